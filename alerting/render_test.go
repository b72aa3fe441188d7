package alerting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/schemas"
)

func TestRenderGolden(t *testing.T) {
	quiet := sample()
	quiet.Service, quiet.Provider, quiet.Operation, quiet.ConversationID, quiet.TraceID = "", "", "", "", ""
	quiet.Recommendation, quiet.Risk = schemas.Recommend, new(0.55)
	quiet.Signals = []schemas.Signal{{
		Detector: "schema", Outcome: schemas.Fired, Score: 1, Threshold: 0.5, Type: schemas.Format,
		Reason: "the answer breaks its JSON Schema", Evidence: []schemas.Evidence{{Start: schemas.NoPlace, End: schemas.NoPlace, Note: "/items/0/price"}},
	}}
	deep := sample()
	deep.Pass, deep.SampleReason = schemas.PassDeep, "high_stakes"
	deep.Signals[0].Evidence = nil
	labelled, again := sampleOne(), sampleOne()
	labelled.Feedback = labels()
	again.MayRepeat, again.Earlier, again.Count = true, 12, 3

	tests := []struct {
		name  string
		alert schemas.Alert
		opts  RenderOptions
	}{
		{"agreeing", schemas.Alert{Flag: sample()}, RenderOptions{}},
		{"sparse", schemas.Alert{Flag: quiet}, RenderOptions{}},
		{"deep_without_evidence", schemas.Alert{Flag: deep}, RenderOptions{}},
		{"without_excerpts", sampleOne(), RenderOptions{HideExcerpts: true}},
		{"links_without_buttons", sampleOne(), RenderOptions{TraceURL: everything().TraceURL, RunbookURL: everything().RunbookURL}},
		{"one", sampleOne(), everything()},
		{"group", sampleGroup(), everything()},
		{"labelled", labelled, everything()},
		{"repeat", again, everything()},
		{"digest_stale", sampleDigest(schemas.DigestStale), everything()},
		{"digest_throttled", sampleDigest(schemas.DigestThrottled), everything()},
		{"digest_quiet_hours", sampleDigest(schemas.DigestQuiet), everything()},
		{"broken", sampleBroken(), everything()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := render(&tt.alert, tt.opts)
			require.NoError(t, violations(m, tt.opts))
			require.NoError(t, readable(m))
			golden.Equal(t, "testdata/"+tt.name+".json", indent(t, m))
		})
	}
}

// indent is a message as readable JSON.
func indent(t testing.TB, m message) []byte {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(map[string]any{"text": m.text, "minimal": m.minimal().text, "blocks": m.blocks}))
	return buf.Bytes()
}

func TestRenderHidesExcerpts(t *testing.T) {
	for _, kind := range kinds() {
		shown, hidden := kind, kind
		for _, s := range flagSlots() {
			switch s.name {
			case "Signals.Evidence.Excerpt", "Signals.Evidence.Note", "Signals.Evidence.Citation":
				shown = cloned(shown)
				s.put(&shown.Flag, "CANARY")
				for i := range shown.Riskiest {
					s.put(&shown.Riskiest[i], "CANARY")
				}
				hidden = shown
			}
		}
		require.Contains(t, string(indent(t, render(&shown, RenderOptions{}))), "CANARY")
		require.Contains(t, string(indent(t, renderDetails(&shown, RenderOptions{}))), "CANARY")
		require.NotContains(t, string(indent(t, render(&hidden, RenderOptions{HideExcerpts: true}))), "CANARY")
		require.NotContains(t, string(indent(t, renderDetails(&hidden, RenderOptions{HideExcerpts: true}))), "CANARY")
	}
}

func TestEvidenceIsRedacted(t *testing.T) {
	const mail = "jane.doe@example.com"
	for _, a := range kinds() {
		a.Feedback = []schemas.Feedback{{User: "jane", Source: schemas.FromCLI, Comment: mail}}
		for _, s := range flagSlots() {
			switch s.name {
			case "Signals.Reason", "Signals.Evidence.Excerpt", "Signals.Evidence.Note", "Signals.Evidence.Citation":
				s.put(&a.Flag, mail)
				for i := range a.Riskiest {
					s.put(&a.Riskiest[i], mail)
				}
			}
		}
		require.NotContains(t, string(indent(t, render(&a, everything()))), "jane.doe")
		require.NotContains(t, string(indent(t, renderDetails(&a, everything()))), "jane.doe")
	}
}

func TestEvidenceTakesTurns(t *testing.T) {
	t.Run("of detectors", func(t *testing.T) {
		f := sample()
		got := evidence([]*schemas.Flag{&f}, 0, true)
		require.Len(t, got, 3)
		for i, prefix := range []string{"citation", "grounding", "citation"} { // the worst of each first
			require.True(t, strings.HasPrefix(got[i], prefix), got[i])
		}
		require.Contains(t, got[2], "painted red")
	})
	tests := []struct {
		name string
		risk []schemas.Flag
		want []string // how each piece begins
	}{
		{"three incidents", []schemas.Flag{sample(), member("b7", 0.8, "x"), member("c4", 0.7, "y")}, []string{"incident 3f1c0c8d5f2b\ncitation", "incident b7b7b7b7b7b7, risk 0.80\ngrounding", "incident c4c4c4c4c4c4"}},
		{"two incidents", []schemas.Flag{member("b7", 0.8, "x"), sample()}, []string{"incident b7", "incident 3f1c0c8d5f2b\ncitation", "incident 3f1c0c8d5f2b\ngrounding"}},
		{"one twice", []schemas.Flag{member("b7", 0.8, "x"), member("b7", 0.8, "x")}, []string{"incident b7"}},
		{"the first alone", []schemas.Flag{sample()}, []string{"citation", "grounding", "citation"}},
		{"none was kept", nil, []string{"citation", "grounding", "citation"}},
		{"more than three", []schemas.Flag{sample(), member("b7", 0.8, "x"), member("c4", 0.7, "y"), member("d0", 0.6, "z")}, []string{"incident 3f", "incident b7", "incident c4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := sampleGroup()
			a.Riskiest = tt.risk
			got := newCard(&a, RenderOptions{}).evidence
			require.Len(t, got, len(tt.want))
			for i := range got {
				require.True(t, strings.HasPrefix(got[i], tt.want[i]), got[i])
			}
		})
	}
}

func TestButtons(t *testing.T) {
	foreign, groupless := sampleOne(), sampleOne()
	foreign.Flag.IncidentID, groupless.Group = "7", "the group"
	notrace := sampleOne()
	notrace.Flag.TraceID = "7; drop"
	digest, broken := sampleDigest(schemas.DigestQuiet), sampleBroken()
	tests := []struct {
		name  string
		alert schemas.Alert
		want  string
	}{
		{"all", sampleOne(), "confirm false_positive silence trace runbook"},
		{"no id to send back", foreign, ""},
		{"no group to silence", groupless, "confirm false_positive trace runbook"},
		{"a trace that is none", notrace, "confirm false_positive silence runbook"},
		{"a digest is about many incidents", digest, ""},
		{"a broken detector", broken, "silence runbook"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, actionsOf(render(&tt.alert, everything())))
			opts := everything()
			opts.Buttons = false
			require.Empty(t, actionsOf(render(&tt.alert, opts)), "nobody would answer")
		})
	}
}

func TestLinks(t *testing.T) {
	const id = "4bf92f3577b34da6a3ce929d0e0e4736"
	tests := []struct{ name, template, id, want string }{
		{"in the path", "https://t.example/{trace_id}", id, "https://t.example/" + id},
		{"in the query, twice", "http://localhost:16686/x?a={trace_id}&b={trace_id}", id, "http://localhost:16686/x?a=" + id + "&b=" + id},
		{"none configured", "", id, ""},
		{"no place for the id", "https://t.example/", id, ""},
		{"no address of the web", "javascript:{trace_id}", id, ""},
		{"no host", "https:///{trace_id}", id, ""},
		{"no URL", "https://t.example/%zz{trace_id}", id, ""},
		{"too long", "https://t.example/" + strings.Repeat("x", maxLink) + "{trace_id}", id, ""},
		{"an id in capitals", "https://t.example/{trace_id}", strings.ToUpper(id), ""},
		{"an id too short", "https://t.example/{trace_id}", id[1:], ""},
		{"an id of zeros", "https://t.example/{trace_id}", strings.Repeat("0", 32), ""},
		{"an id that leads elsewhere", "https://t.example/{trace_id}", "../../admin?delete=1#aaaaaaaaaaaa", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, traceLink(tt.template, tt.id)) })
	}
}

func TestModelsAreListed(t *testing.T) {
	a := sampleGroup()
	a.Models = strings.Split("a b c d e", " ")
	require.Equal(t, field{"Models", "a\nb\nc\nd\ne"}, modelsOf(&a))
	a.Models = append(a.Models, "f", "g")
	require.Equal(t, field{"Models", "a\nb\nc\nd\ne\nand 2 more"}, modelsOf(&a))
	require.Contains(t, similar(&a), "7 models")
	a.Models = nil
	require.Equal(t, field{"Model", "openai / gpt-4o-mini"}, modelsOf(&a))
}

func TestDigestCountsAddUp(t *testing.T) {
	a := sampleDigest(schemas.DigestStale)
	require.Equal(t, "and 9 more groups with 34 incidents", groupLines(&a)[3])
	a.More = 1
	require.Equal(t, "and 1 more group with 34 incidents", groupLines(&a)[3])
	a.More, a.Count = 0, 378
	require.Len(t, groupLines(&a), 3)
	for len(a.Groups) < maxGroups+2 {
		a.Groups = append(a.Groups, schemas.GroupCount{Count: 1})
	}
	a.Count, a.More = 378+int64(maxGroups-1)+10, 4
	lines := groupLines(&a)
	require.Len(t, lines, maxGroups+1)
	require.Equal(t, "and 6 more groups with 12 incidents", lines[maxGroups], "what is not named is counted")
}

func TestIcons(t *testing.T) {
	tests := []struct {
		kind           schemas.AlertKind
		lane           schemas.Lane
		recommendation schemas.Recommendation
		want           string
	}{
		{schemas.AlertGroup, schemas.LaneHigh, schemas.Block, "🚨"},
		{schemas.AlertGroup, schemas.LaneHigh, schemas.Recommend, "🔴"},
		{schemas.AlertGroup, schemas.LaneNormal, schemas.Block, "🔴"},
		{schemas.AlertGroup, schemas.LaneNormal, schemas.Recommend, "🟠"},
		{schemas.AlertGroup, schemas.LaneNormal, schemas.Allow, "⚪"},
		{"", "", schemas.Block, "🔴"},
		{schemas.AlertDigest, schemas.LaneHigh, schemas.Recommend, "🚨"},
		{schemas.AlertDigest, schemas.LaneNormal, schemas.Block, "📚"},
		{schemas.AlertBroken, schemas.LaneHigh, schemas.Block, "🔧"},
	}
	for _, tt := range tests {
		a := schemas.Alert{Kind: tt.kind, Lane: tt.lane, Flag: schemas.Flag{Recommendation: tt.recommendation}}
		require.Equal(t, tt.want, icon(&a), fmt.Sprint(tt))
	}
}

func BenchmarkRender(b *testing.B) {
	alert := sampleGroup()
	opts := everything()
	b.ReportAllocs()
	for b.Loop() {
		render(&alert, opts)
	}
}
