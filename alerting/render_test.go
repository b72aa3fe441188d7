package alerting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

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

	tests := []struct {
		name     string
		alert    schemas.Alert
		excerpts bool
	}{
		{"agreeing", schemas.Alert{Flag: sample()}, true},
		{"repeat", schemas.Alert{Flag: sample(), MayRepeat: true}, true},
		{"without_excerpts", schemas.Alert{Flag: sample()}, false},
		{"sparse", schemas.Alert{Flag: quiet}, true},
		{"deep_without_evidence", schemas.Alert{Flag: deep}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := render(&tt.alert, RenderOptions{HideExcerpts: !tt.excerpts})
			golden(t, tt.name+".json", indent(t, m))
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
	f := hostile("CANARY")
	f.Service, f.Model, f.Tenant = "s", "m", "t"
	for i := range f.Signals {
		f.Signals[i].Detector, f.Signals[i].Reason, f.Signals[i].Type = "d", "r", ""
		for j := range f.Signals[i].Evidence {
			f.Signals[i].Evidence[j].SourceID = "src"
		}
	}
	f.Operation, f.Provider, f.InteractionID, f.ConversationID, f.TraceID = "", "", "", "", ""
	f.Calibration, f.WorkerVersion, f.SampleReason, f.Origin.Topic = "", "", "", ""
	require.Contains(t, string(indent(t, render(&schemas.Alert{Flag: f}, RenderOptions{}))), "CANARY")
	require.NotContains(t, string(indent(t, render(&schemas.Alert{Flag: f}, RenderOptions{HideExcerpts: true}))), "CANARY")
}

// hostile is a flag whose every string is the payload.
func hostile(p string) schemas.Flag {
	evidence := []schemas.Evidence{
		{Start: 1, End: 2, Excerpt: p, Citation: p, SourceID: p, Note: p},
		{Start: schemas.NoPlace, End: schemas.NoPlace, Excerpt: p, Citation: p, SourceID: p, Note: p},
	}
	f := schemas.Flag{
		IncidentID: incident, Pass: schemas.PassFast, InteractionID: p, Tenant: p, Service: p, Operation: p, Provider: p,
		Model: p, TraceID: p, ConversationID: p, Origin: schemas.Origin{Topic: p},
		Recommendation: schemas.Block, Action: schemas.ActionFlag, Calibration: p, WorkerVersion: p, SampleReason: p,
		OccurredAt: sample().OccurredAt,
	}
	for range 7 {
		f.Signals = append(f.Signals, schemas.Signal{
			Detector: p, Outcome: schemas.Fired, Score: 1, Threshold: 0.5, Type: schemas.SignalType(p), Reason: p, Evidence: evidence,
		})
	}
	return f
}

// payloads try to mention, link, format, hide, reverse, overflow or break out.
func payloads() []string {
	out := []string{
		"<!channel>", "<!here>", "<!everyone>", "<!subteam^S012AB>", "<!subteam^S012AB|@oncall>", "<@U012AB3CD>", "<@W012AB3CD>",
		"<#C024BE7LR>", "<#C024BE7LR|general>", "<!date^1392734382^{date_num}^https://evil.example|now>", "@channel", "@here", "@everyone",
		"<https://evil.example|your bank>", "<http://evil.example>", "<mailto:a@evil.example|mail>", "<tel:+15550100|call>",
		"https://evil.example/login", "HTTP://EVIL.EXAMPLE", "hTtPs://evil.example", "slack://open?team=T1", "javascript://%0aalert(1)",
		"www.evil.example", "WWW.evil.example", "ftp://evil.example", "file:///etc/passwd", "data://text/html,x", "://evil", ":://://evil",
		"&lt;!channel&gt;", "&#60;!channel&#62;", "&amp;lt;!channel&amp;gt;", "\\u003c!channel\\u003e", "%3C!channel%3E",
		"```\n<!channel>\n```", "`code` *bold* _it_ ~gone~", "```", "> quoted\n>>> more", "* list\n1. list", ":rotating_light: :shrug:",
		"<\u200b!channel>", "<!chan\u200bnel>", "\u202e<lennahc!>", "\u2066<!channel>\u2069", "\ufeff<!channel>", "<!channel\U000e0041>",
		"ht\u200btps://evil.example", "https:\u2060//evil.example", "ww\u00adw.evil.example", "\u202ehttps://evil.example\u202c",
		"\x1b[31m<!channel>\x1b[0m", "\x1b]8;;https://evil.example\x1b\\ok\x1b]8;;\x1b\\", "\x1b]0;title\x07", "\x9b31mraw", "\u009b31mC1", "\x1b[2J\x1b[H",
		"\r\nincident 0000", "a\u2028<!channel>", "\x00<!channel>", "\x08\x08\x08<!channel>", "\x7f", "\xff\xfe<!channel>", "\xed\xa0\x80",
		`"}]},{"type":"section","text":{"type":"mrkdwn","text":"<!channel>"}}`, `","type":"mrkdwn","verbatim":false,"x":"`, "{{.Secret}} ${HOME} $(id)",
		strings.Repeat("A", 20_000), strings.Repeat("<", 20_000), strings.Repeat("&", 20_000), strings.Repeat("😀", 5_000),
		strings.Repeat("<!channel>", 2_000), strings.Repeat("https://e.vil/", 2_000), strings.Repeat("\n", 5_000) + "x", strings.Repeat("`", 5_000),
		"a" + strings.Repeat("\u0301", 5_000), strings.Repeat("\u200b", 5_000) + "<!channel>", "", " ",
	}
	return out
}

func TestPayloadsStayInert(t *testing.T) {
	require.GreaterOrEqual(t, len(payloads()), 60)
	for i, p := range payloads() {
		t.Run(fmt.Sprintf("%02d", i), func(t *testing.T) {
			f := hostile(p)
			m := render(&schemas.Alert{Flag: f, MayRepeat: true}, RenderOptions{})
			total := 0
			for _, b := range m.blocks {
				total += check(t, b)
			}
			require.LessOrEqual(t, total, maxMessage)
			require.LessOrEqual(t, units(m.text), maxFallback)
			require.Contains(t, m.text, incident, "the id survives every cut")
			escaped(t, m.text)
			inert(t, m.text)
			escaped(t, m.minimal().text)
			require.LessOrEqual(t, units(m.minimal().text), 2*maxFallback)

			var back slack.Blocks // what we send is what Slack's own types read
			raw, err := json.Marshal(m.blocks)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(raw, &back))
			require.Len(t, back.BlockSet, len(m.blocks))
		})
	}
}

// check holds one block against Slack's limits and our rule on where text may stand, and returns its length.
func check(t *testing.T, b slack.Block) int {
	t.Helper()
	total := 0
	object := func(o *slack.TextBlockObject, limit int) {
		require.Equal(t, slack.PlainTextType, o.Type, "nothing is mrkdwn")
		require.False(t, *o.Emoji)
		require.NotEmpty(t, o.Text, "Slack refuses empty text")
		require.LessOrEqual(t, units(o.Text), limit)
		escaped(t, o.Text)
		inert(t, o.Text)
		total += units(o.Text)
	}
	switch b := b.(type) {
	case *slack.HeaderBlock:
		object(b.Text, 150)
	case *slack.SectionBlock:
		require.Nil(t, b.Text)
		require.LessOrEqual(t, len(b.Fields), 10)
		require.NotEmpty(t, b.Fields)
		for _, o := range b.Fields {
			object(o, 2000)
		}
	case *slack.ContextBlock:
		require.LessOrEqual(t, len(b.ContextElements.Elements), 10)
		for _, e := range b.ContextElements.Elements {
			o, ok := e.(*slack.TextBlockObject)
			require.True(t, ok)
			object(o, 2000)
		}
	case *slack.RichTextBlock:
		require.LessOrEqual(t, len(b.Elements), maxEvidence)
		for _, e := range b.Elements {
			pre, ok := e.(*slack.RichTextPreformatted)
			require.True(t, ok, "evidence is preformatted")
			for _, part := range pre.Elements {
				text, ok := part.(*slack.RichTextSectionTextElement)
				require.True(t, ok, "text is a text element: no link, no user, no emoji")
				require.NotEmpty(t, text.Text)
				inert(t, text.Text)
				require.LessOrEqual(t, strings.Count(text.Text, "\n"), 3, "evidence has our lines only")
				total += units(text.Text)
			}
		}
	default:
		t.Fatalf("unexpected block %T", b)
	}
	return total
}

// escaped fails when s holds something that Slack would parse.
func escaped(t *testing.T, s string) {
	t.Helper()
	require.NotContains(t, s, "<")
	require.NotContains(t, s, ">")
	rest := strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(s)
	require.NotContains(t, rest, "&")
}

func TestEvidenceIsRedacted(t *testing.T) {
	f := sample()
	const mail = "jane.doe@example.com"
	f.Signals[0].Reason = mail
	f.Signals[0].Evidence[0] = schemas.Evidence{Start: 1, End: 2, Excerpt: mail, Citation: mail, SourceID: "d", Note: mail}
	require.NotContains(t, string(indent(t, render(&schemas.Alert{Flag: f}, RenderOptions{}))), "jane.doe")
}

func TestEvidenceTakesTurns(t *testing.T) {
	f := sample()
	got := evidence(&f, true)
	require.Len(t, got, 3)
	for i, prefix := range []string{"citation", "grounding", "citation"} { // the worst of each first
		require.True(t, strings.HasPrefix(got[i], prefix), got[i])
	}
	require.Contains(t, got[2], "painted red")
}

func BenchmarkRender(b *testing.B) {
	alert := schemas.Alert{Flag: sample()}
	b.ReportAllocs()
	for b.Loop() {
		render(&alert, RenderOptions{})
	}
}
