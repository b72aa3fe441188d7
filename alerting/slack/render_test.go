package slack

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/internal/golden"
	"confab/schemas"
)

func TestRenderGolden(t *testing.T) {
	quiet := samples.Flag()
	quiet.Service, quiet.Provider, quiet.Operation, quiet.ConversationID, quiet.TraceID = "", "", "", "", ""
	quiet.Recommendation, quiet.Risk = schemas.Recommend, new(0.55)
	quiet.Signals = []schemas.Signal{{
		Detector: "schema", Outcome: schemas.Fired, Score: 1, Threshold: 0.5, Type: schemas.Format,
		Reason: "the answer breaks its JSON Schema", Evidence: []schemas.Evidence{{Start: schemas.NoPlace, End: schemas.NoPlace, Note: "/items/0/price"}},
	}}
	deep := samples.Flag()
	deep.Pass, deep.SampleReason = schemas.PassDeep, "high_stakes"
	deep.Signals[0].Evidence = nil
	labelled, again := samples.SingleAlert(), samples.SingleAlert()
	labelled.Feedback = samples.Feedback()
	again.PossiblyDuplicated, again.EarlierCount, again.Count = true, 12, 3

	tests := []struct {
		name  string
		alert schemas.Alert
		opts  card.RenderOptions
	}{
		{"notice", samples.Notice(), card.RenderOptions{}},
		{"agreeing", schemas.Alert{Flag: samples.Flag()}, card.RenderOptions{}},
		{"sparse", schemas.Alert{Flag: quiet}, card.RenderOptions{}},
		{"deep_without_evidence", schemas.Alert{Flag: deep}, card.RenderOptions{}},
		{"without_excerpts", samples.SingleAlert(), card.RenderOptions{HideExcerpts: true}},
		{"links_without_buttons", samples.SingleAlert(), card.RenderOptions{TraceURL: alerttest.RenderAll().TraceURL, RunbookURL: alerttest.RenderAll().RunbookURL, PageURL: "https://confab.example/"}},
		{"one", samples.SingleAlert(), alerttest.RenderAll()},
		{"agent", samples.AgentAlert(), alerttest.RenderAll()},
		{"agent_without_excerpts", samples.AgentAlert(), card.RenderOptions{HideExcerpts: true}},
		{"group", samples.GroupAlert(), alerttest.RenderAll()},
		{"labelled", labelled, alerttest.RenderAll()},
		{"repeat", again, alerttest.RenderAll()},
		{"digest_stale", samples.DigestAlert(schemas.DigestStale), alerttest.RenderAll()},
		{"digest_throttled", samples.DigestAlert(schemas.DigestThrottled), alerttest.RenderAll()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := renderAlert(&tt.alert, tt.opts)
			require.NoError(t, violations(m, tt.opts))
			require.NoError(t, checkReadable(m))
			golden.Equal(t, "testdata/"+tt.name+".json", indentJSON(t, m))
		})
	}
}

// indentJSON returns a message as indented JSON.
func indentJSON(t testing.TB, m message) []byte {
	t.Helper()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(map[string]any{"text": m.text, "minimal": m.minimal().text, "blocks": m.blocks}))
	return buf.Bytes()
}

func TestRenderHidesExcerpts(t *testing.T) {
	for _, kind := range samples.Alerts() {
		shown, hidden := kind, kind
		for _, s := range samples.FlagTextFields() {
			switch s.Name {
			case "Signals.Evidence.Excerpt", "Signals.Evidence.Note", "Question", "Signals.Evidence.SourceExcerpt", "Signals.Evidence.SourceSays":
				shown = samples.CloneAlert(shown)
				s.Put(&shown.Flag, "CANARY")
				for i := range shown.Riskiest {
					s.Put(&shown.Riskiest[i], "CANARY")
				}
				hidden = shown
			}
		}
		require.Contains(t, string(indentJSON(t, renderAlert(&shown, card.RenderOptions{}))), "CANARY")
		require.NotContains(t, string(indentJSON(t, renderAlert(&hidden, card.RenderOptions{HideExcerpts: true}))), "CANARY")
	}
}

func TestEvidenceIsRedacted(t *testing.T) {
	const mail = "jane.doe@example.com"
	for _, a := range samples.Alerts() {
		a.Feedback = []schemas.Feedback{{User: "jane", Source: schemas.FromCLI, Comment: mail}}
		for _, s := range samples.FlagTextFields() {
			switch s.Name {
			case "Signals.Reason", "Signals.Evidence.Excerpt", "Signals.Evidence.Note", "Signals.Evidence.Citation", "Question", "Signals.Evidence.SourceExcerpt", "Signals.Evidence.SourceSays":
				s.Put(&a.Flag, mail)
				for i := range a.Riskiest {
					s.Put(&a.Riskiest[i], mail)
				}
			}
		}
		require.NotContains(t, string(indentJSON(t, renderAlert(&a, alerttest.RenderAll()))), "jane.doe")
	}
}

func TestButtons(t *testing.T) {
	foreign, groupless := samples.SingleAlert(), samples.SingleAlert()
	foreign.Flag.IncidentID, groupless.Group = "7", "the group"
	notrace := samples.SingleAlert()
	notrace.Flag.TraceID = "7; drop"
	digest := samples.DigestAlert(schemas.DigestStale)
	tests := []struct {
		name  string
		alert schemas.Alert
		want  string
	}{
		{"all", samples.SingleAlert(), "wrong fine silence trace runbook"},
		{"no id to send back", foreign, ""},
		{"no group to silence", groupless, "wrong fine trace runbook"},
		{"an invalid trace id", notrace, "wrong fine silence runbook"},
		{"a digest is about many incidents", digest, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, actionsOf(renderAlert(&tt.alert, alerttest.RenderAll())))
			opts := alerttest.RenderAll()
			opts.Buttons = false
			require.Empty(t, actionsOf(renderAlert(&tt.alert, opts)), "clicks are not received")
		})
	}
}

func BenchmarkRender(b *testing.B) {
	alert := samples.GroupAlert()
	opts := alerttest.RenderAll()
	b.ReportAllocs()
	for b.Loop() {
		renderAlert(&alert, opts)
	}
}
