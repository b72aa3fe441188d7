package card

import (
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"

// linkedFlag is a flag with every value of a link.
func linkedFlag() schemas.Flag {
	return schemas.Flag{
		TraceID: traceID, SpanID: "00f067aa0ba902b7", InteractionID: "chatcmpl-9/0", ConversationID: "chat 7", Tenant: "bänk", Service: "support-bot",
		OccurredAt: time.UnixMilli(1_763_000_000_123),
	}
}

func TestTraceLinks(t *testing.T) {
	for name, tt := range map[string]struct {
		template string
		change   func(f *schemas.Flag)
		want     string
	}{
		"in the path":              {"https://t.example/{trace_id}", nil, "https://t.example/" + traceID},
		"in the query, twice":      {"http://localhost:16686/x?a={trace_id}&b={trace_id}", nil, "http://localhost:16686/x?a=" + traceID + "&b=" + traceID},
		"all, encoded":             {"https://t.example/{tenant}/{service}/{interaction_id}?c={conversation_id}&s={span_id}&t={occurred_at_ms}#{trace_id}", nil, "https://t.example/b%C3%A4nk/support-bot/chatcmpl-9%2F0?c=chat%207&s=00f067aa0ba902b7&t=1763000000123#" + traceID},
		"none configured":          {"", nil, ""},
		"no placeholder":           {"https://t.example/", nil, ""},
		"unknown placeholder":      {"https://t.example/{trace_id}/{user}", nil, ""},
		"in the host":              {"https://{tenant}.example/{trace_id}", nil, ""},
		"not an HTTP address":      {"javascript:{trace_id}", nil, ""},
		"no host":                  {"https:///{trace_id}", nil, ""},
		"not a URL":                {"https://t.example/%zz{trace_id}", nil, ""},
		"too long":                 {"https://t.example/" + strings.Repeat("x", maxLink) + "{trace_id}", nil, ""},
		"a UUID":                   {"https://t.example/{trace_id}", func(f *schemas.Flag) { f.TraceID = "2D6B96F2-0a4d-4366-99a5-1ad558c66e99" }, "https://t.example/2D6B96F2-0a4d-4366-99a5-1ad558c66e99"},
		"an id of zeros":           {"https://t.example/{trace_id}", func(f *schemas.Flag) { f.TraceID = strings.Repeat("0", 32) }, ""},
		"a missing value":          {"https://t.example/{trace_id}/{conversation_id}", func(f *schemas.Flag) { f.ConversationID = "" }, ""},
		"an unknown time":          {"https://t.example/{trace_id}?t={occurred_at_ms}", func(f *schemas.Flag) { f.OccurredAt = time.Time{} }, ""},
		"a missing unused value":   {"https://t.example/{trace_id}", func(f *schemas.Flag) { f.ConversationID = "" }, "https://t.example/" + traceID},
		"an id with a path":        {"https://t.example/{trace_id}", func(f *schemas.Flag) { f.TraceID = "../../admin" }, ""},
		"an id with a query":       {"https://t.example/{trace_id}", func(f *schemas.Flag) { f.TraceID = "a?delete=1" }, ""},
		"an id with quotes":        {"https://t.example/?q=%22{trace_id}%22", func(f *schemas.Flag) { f.TraceID = `a","x":"` }, ""},
		"an id with a placeholder": {"https://t.example/{trace_id}", func(f *schemas.Flag) { f.TraceID = "{tenant}" }, ""},
		"an id that is too long":   {"https://t.example/{trace_id}", func(f *schemas.Flag) { f.TraceID = strings.Repeat("a", maxLinkValue+1) }, ""},
		"an invisible character":   {"https://t.example/{tenant}", func(f *schemas.Flag) { f.Tenant = "bank\u200b" }, ""},
		"invalid UTF-8":            {"https://t.example/{tenant}", func(f *schemas.Flag) { f.Tenant = "\xff" }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := linkedFlag()
			if tt.change != nil {
				tt.change(&f)
			}
			require.Equal(t, tt.want, TraceLink(tt.template, &f))
		})
	}
}

// TestHostileLinkValues: whatever a record says, the address keeps its host and path, and the page behind it gets the value.
func TestHostileLinkValues(t *testing.T) {
	const template = "https://t.example/x/{trace_id}/y?q=%22{interaction_id}%22&c={conversation_id}#{service}"
	links := 0
	for _, text := range append(samples.HostileTexts(), "a/b", "a b", "ü", ".", "..", "%2e%2e", "a%00") {
		f := linkedFlag()
		f.TraceID, f.InteractionID, f.ConversationID, f.Service = text, text, text, text
		link := TraceLink(template, &f)
		if link == "" {
			continue
		}
		links++
		u, err := url.Parse(link)
		require.NoError(t, err)
		require.Equal(t, "t.example", u.Host)
		require.Equal(t, "/x/"+text+"/y", u.Path)
		require.Equal(t, url.Values{"q": {`"` + text + `"`}, "c": {text}}, u.Query())
		require.Len(t, strings.Split(u.EscapedPath(), "/"), 4, "a value is one segment")
	}
	require.GreaterOrEqual(t, links, 3)
}

// TestDocumentedLinks: every example in the docs is an address that this flag fills.
func TestDocumentedLinks(t *testing.T) {
	page, err := os.ReadFile("../../docs/alerts.md")
	require.NoError(t, err)
	examples := regexp.MustCompile(`(?m)^  trace_url: (\S+)`).FindAllStringSubmatch(string(page), -1)
	require.GreaterOrEqual(t, len(examples), 4)
	want := map[string]string{
		"Langfuse":          "https://cloud.langfuse.com/project/PROJECT_ID/traces/" + traceID,
		"Phoenix":           "https://phoenix.example.com/redirects/traces/" + traceID,
		"Datadog":           "https://app.datadoghq.com/apm/trace/" + traceID + "?timeHint=1763000000123",
		"Grafana and Tempo": `{"t":{"datasource":"TEMPO_UID","queries":[{"refId":"A","queryType":"traceql","query":"` + traceID + `"}],"range":{"from":"now-7d","to":"now"}}}`,
	}
	var links []string
	for _, example := range examples {
		require.NoError(t, CheckLink(example[1]))
		link := TraceLink(example[1], new(linkedFlag()))
		require.NotEmpty(t, link, example[1])
		if u, err := url.Parse(link); err == nil && u.Query().Has("panes") {
			link = u.Query().Get("panes")
		}
		links = append(links, link)
	}
	for name, link := range want {
		require.Contains(t, links, link, name)
	}
}

func TestCheckLink(t *testing.T) {
	for template, want := range map[string]string{
		"https://t.example/{trace_id}": "", "https://t.example?x={tenant}": "", "https://t.example#{span_id}": "",
		"https://t.example/":                       "has no placeholder",
		"https://t.example/{trace_id}/{traceid}":   "has an unknown placeholder",
		"https://t.example/{trace_id}?q={\"a\":1}": "%7B",
		"https://t.example/{trace_id}{":            "has an unknown placeholder",
		"https://{tenant}.example/{trace_id}":      "in its host",
		"https://{tenant}":                         "in its host",
	} {
		if err := CheckLink(template); want == "" {
			require.NoError(t, err, template)
		} else {
			require.ErrorContains(t, err, want, template)
		}
	}
}
