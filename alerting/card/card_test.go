package card

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

func TestEvidenceAlternates(t *testing.T) {
	t.Run("of detectors", func(t *testing.T) {
		f := samples.Flag()
		got := evidenceTexts([]*schemas.Flag{&f}, 0, true)
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
		{"three incidents", []schemas.Flag{samples.Flag(), samples.FlagOf("b7", 0.8, "x"), samples.FlagOf("c4", 0.7, "y")}, []string{"incident 3f1c0c8d5f2b\ncitation", "incident b7b7b7b7b7b7, risk 0.80\ngrounding", "incident c4c4c4c4c4c4"}},
		{"two incidents", []schemas.Flag{samples.FlagOf("b7", 0.8, "x"), samples.Flag()}, []string{"incident b7", "incident 3f1c0c8d5f2b\ncitation", "incident 3f1c0c8d5f2b\ngrounding"}},
		{"one twice", []schemas.Flag{samples.FlagOf("b7", 0.8, "x"), samples.FlagOf("b7", 0.8, "x")}, []string{"incident b7"}},
		{"the first alone", []schemas.Flag{samples.Flag()}, []string{"citation", "grounding", "citation"}},
		{"none", nil, []string{"citation", "grounding", "citation"}},
		{"more than three", []schemas.Flag{samples.Flag(), samples.FlagOf("b7", 0.8, "x"), samples.FlagOf("c4", 0.7, "y"), samples.FlagOf("d0", 0.6, "z")}, []string{"incident 3f", "incident b7", "incident c4"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := samples.GroupAlert()
			a.Riskiest = tt.risk
			got := NewCard(&a, RenderOptions{}).Evidence
			require.Len(t, got, len(tt.want))
			for i := range got {
				require.True(t, strings.HasPrefix(got[i], tt.want[i]), got[i])
			}
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
		{"not an HTTP address", "javascript:{trace_id}", id, ""},
		{"no host", "https:///{trace_id}", id, ""},
		{"not a URL", "https://t.example/%zz{trace_id}", id, ""},
		{"too long", "https://t.example/" + strings.Repeat("x", maxLink) + "{trace_id}", id, ""},
		{"an id in capitals", "https://t.example/{trace_id}", strings.ToUpper(id), ""},
		{"an id too short", "https://t.example/{trace_id}", id[1:], ""},
		{"an id of zeros", "https://t.example/{trace_id}", strings.Repeat("0", 32), ""},
		{"an id with a path", "https://t.example/{trace_id}", "../../admin?delete=1#aaaaaaaaaaaa", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, traceLink(tt.template, tt.id)) })
	}
}

func TestModelsAreListed(t *testing.T) {
	a := samples.GroupAlert()
	a.Models = strings.Split("a b c d e", " ")
	require.Equal(t, Field{"Models", "a\nb\nc\nd\ne"}, modelField(&a))
	a.Models = append(a.Models, "f", "g")
	require.Equal(t, Field{"Models", "a\nb\nc\nd\ne\nand 2 more"}, modelField(&a))
	require.Contains(t, groupSummary(&a), "7 models")
	a.Models = nil
	require.Equal(t, Field{"Model", "openai / gpt-4o-mini"}, modelField(&a))
}

func TestDigestCountsAddUp(t *testing.T) {
	a := samples.DigestAlert(schemas.DigestStale)
	require.Equal(t, "and 9 more groups with 34 incidents", groupLines(&a)[3])
	a.MoreGroups = 1
	require.Equal(t, "and 1 more group with 34 incidents", groupLines(&a)[3])
	a.MoreGroups, a.Count = 0, 378
	require.Len(t, groupLines(&a), 3)
	for len(a.Groups) < maxGroups+2 {
		a.Groups = append(a.Groups, schemas.GroupCount{Count: 1})
	}
	a.Count, a.MoreGroups = 378+int64(maxGroups-1)+10, 4
	lines := groupLines(&a)
	require.Len(t, lines, maxGroups+1)
	require.Equal(t, "and 6 more groups with 12 incidents", lines[maxGroups], "other groups are counted")
}

func TestIcons(t *testing.T) {
	tests := []struct {
		kind           schemas.AlertKind
		severity       schemas.Severity
		recommendation schemas.Recommendation
		want           string
	}{
		{schemas.AlertGroup, schemas.SeverityHigh, schemas.Block, "🚨"},
		{schemas.AlertGroup, schemas.SeverityHigh, schemas.Recommend, "🔴"},
		{schemas.AlertGroup, schemas.SeverityNormal, schemas.Block, "🔴"},
		{schemas.AlertGroup, schemas.SeverityNormal, schemas.Recommend, "🟠"},
		{schemas.AlertGroup, schemas.SeverityNormal, schemas.Allow, "⚪"},
		{"", "", schemas.Block, "🔴"},
		{schemas.AlertDigest, schemas.SeverityHigh, schemas.Recommend, "🚨"},
		{schemas.AlertDigest, schemas.SeverityNormal, schemas.Block, "📚"},
		{schemas.AlertBroken, schemas.SeverityHigh, schemas.Block, "🔧"},
	}
	for _, tt := range tests {
		a := schemas.Alert{Kind: tt.kind, Severity: tt.severity, Flag: schemas.Flag{Recommendation: tt.recommendation}}
		require.Equal(t, tt.want, cardIcon(&a), fmt.Sprint(tt))
	}
}

func TestUserNames(t *testing.T) {
	for _, tt := range []struct {
		user   string
		source schemas.FeedbackSource
		want   string
	}{
		{"U1", schemas.FromSlack, "U1"},
		{"U1", schemas.FromCLI, "cli:U1"}, // a command-line user is not a Slack user
		{"jane doe", schemas.FromCLI, "cli:jane_doe"},
		{"//evil.example", schemas.FromCLI, "cli:__evil.example"},
		{"a@b", schemas.FromCLI, "cli:a_b"},
		{"", schemas.FromCLI, "unknown"},
		{"jane", schemas.FromSlack, "unknown"},
		{"U1", "elsewhere", "unknown"},
	} {
		require.Equal(t, tt.want, userName(tt.user, tt.source), tt.user)
	}
}
