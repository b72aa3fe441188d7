package card

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

func TestEvidenceAlternates(t *testing.T) {
	other := func(digits, text string) schemas.Flag { return samples.FlagOf(digits, 0.8, text) }
	tests := []struct {
		name string
		risk []schemas.Flag
		want []string // a part of each passage
	}{
		{"three incidents", []schemas.Flag{samples.Flag(), other("b7", "Dogs."), other("c4", "Cats.")}, []string{"1937", "Dogs.", "Cats."}},
		{"two incidents", []schemas.Flag{other("b7", "Dogs."), samples.Flag()}, []string{"Dogs.", "1937", "painted red"}},
		{"one twice", []schemas.Flag{other("b7", "Dogs."), other("b7", "Dogs.")}, []string{"Dogs."}},
		{"the first alone", []schemas.Flag{samples.Flag()}, []string{"1937", "painted red"}},
		{"none", nil, []string{"1937", "painted red"}},
		{"more than three", []schemas.Flag{samples.Flag(), other("b7", "Dogs."), other("c4", "Cats."), other("d0", "Hens.")}, []string{"1937", "Dogs.", "Cats."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := samples.GroupAlert()
			a.Riskiest = tt.risk
			got := NewCard(&a, RenderOptions{}).Evidence
			require.Len(t, got, len(tt.want))
			for i := range got {
				require.Contains(t, got[i].String(), tt.want[i])
				require.NotContains(t, got[i].String(), "bytes", "positions are in the thread")
			}
		})
	}
}

func TestPassages(t *testing.T) {
	const sentence = "It is 15 km long, not 15.5 km or 115 km."
	tests := []struct {
		name, detector, question string
		evidence                 schemas.Evidence
		hide                     bool
		want                     string // strong words in *
	}{
		{name: "all", question: "How long?", evidence: schemas.Evidence{Excerpt: sentence, Note: "15", SourceExcerpt: "The 12 km road.", SourceSays: "12"}, want: "Asked: How long?\n“It is *15* km long, not 15.5 km or 115 km.”\nSource says: “The *12* km road.”"},
		{name: "the source's figure alone", evidence: schemas.Evidence{Excerpt: sentence, Note: "15 km", SourceSays: "12 km"}, want: "“It is *15 km* long, not 15.5 km or 115 km.”\nSource says: *12 km*"},
		{name: "words elsewhere", evidence: schemas.Evidence{Excerpt: sentence, Note: "16", SourceExcerpt: "A road.", SourceSays: "12"}, want: "“" + sentence + "”\nnote: *16*\nSource says: “A road.”"},
		{name: "no source", detector: "grounding", evidence: schemas.Evidence{Excerpt: sentence}, want: "“" + sentence + "”\nNo source supports this."},
		{name: "no source, another detector", detector: "facts", evidence: schemas.Evidence{Excerpt: sentence}, want: "“" + sentence + "”\nfacts: why"},
		{name: "ideographs", detector: "grounding", evidence: schemas.Evidence{Excerpt: "桥长十五公里。", Note: "十五"}, want: "“桥长*十五*公里。”\nNo source supports this."},
		{name: "hidden", hide: true, detector: "facts", question: "How long?", evidence: schemas.Evidence{Start: 3, End: 9, Excerpt: sentence, Note: "15", SourceExcerpt: "The 12 km road.", SourceSays: "12"}, want: "facts: why\nanswer bytes 3–9"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := schemas.Flag{Question: tt.question, Signals: []schemas.Signal{{Detector: tt.detector, Reason: "why", Outcome: schemas.Fired, Evidence: []schemas.Evidence{tt.evidence}}}}
			got := evidencePassages(&schemas.Alert{Flag: f}, RenderOptions{HideExcerpts: tt.hide})
			require.Len(t, got, 1)
			text := ""
			for _, r := range got[0] {
				if r.Strong {
					r.Text = "*" + r.Text + "*"
				}
				text += r.Text
			}
			require.Equal(t, tt.want, text)
		})
	}
}

// A passage with a source replaces one about the same words without.
func TestPassageWithSourceWins(t *testing.T) {
	f := samples.Flag()
	f.Signals[0], f.Signals[1] = f.Signals[1], f.Signals[0]
	got := evidencePassages(&schemas.Alert{Flag: f}, RenderOptions{})
	require.Contains(t, got[0].String(), "1935")
	for _, p := range got {
		require.NotContains(t, p.String(), "No source")
	}
}

// What a judge says of words stands first, whatever other detectors have found there.
func TestJudgeComesFirst(t *testing.T) {
	f := samples.Flag()
	other := &f.Signals[slices.IndexFunc(f.Signals, func(s schemas.Signal) bool { return s.Outcome == schemas.Fired && len(s.Evidence) > 0 })]
	fault := schemas.Evidence{Start: other.Evidence[0].Start, End: other.Evidence[0].End, Excerpt: "in 1935", Note: "instead: you said 1889", Rule: string(schemas.Contradicted)}
	f.Signals = append(f.Signals, schemas.Signal{Detector: schemas.JudgeDetector, Outcome: schemas.Fired, Reason: "the judge found a fault", Evidence: []schemas.Evidence{fault}})
	got := evidencePassages(&schemas.Alert{Flag: f}, RenderOptions{})
	require.Contains(t, got[0].String(), "instead: you said 1889")
	for _, p := range got[1:] {
		require.NotContains(t, p.String(), "you said")
	}
	f.JudgePrompt, f.JudgeModel, f.Fired = "faults-1", "large", []string{schemas.JudgeDetector}
	require.Equal(t, &schemas.Judged{Model: "large", Prompt: "faults-1", Wrong: true}, f.Judged())
}

func TestSummaryLine(t *testing.T) {
	a := samples.GroupAlert()
	require.Equal(t, "acme · support-bot · answer_with_citations · gpt-4o, gpt-4o-mini, o4-mini · risk 0.91 · recommends block", summaryLine(&a))
	a.Models, a.Flag.Tenant, a.Flag.Operation, a.Flag.Risk = nil, "default", "", nil
	require.Equal(t, "support-bot · gpt-4o-mini · recommends block", summaryLine(&a))
}

func TestModelsAreListed(t *testing.T) {
	a := samples.GroupAlert()
	a.Models = strings.Split("a b c d e", " ")
	require.Equal(t, "a, b, c, d, e", modelNames(&a))
	a.Models = append(a.Models, "f", "g")
	require.Equal(t, "a, b, c, d, e, 2 more", modelNames(&a))
	require.Contains(t, groupSummary(&a), "7 models")
}

func TestDigestCountsAddUp(t *testing.T) {
	a := samples.DigestAlert(schemas.DigestStale)
	require.Equal(t, "and 9 more groups with 34 incidents", groupLines(&a, true)[3])
	a.MoreGroups = 1
	require.Equal(t, "and 1 more group with 34 incidents", groupLines(&a, true)[3])
	a.MoreGroups, a.Count = 0, 378
	require.Len(t, groupLines(&a, true), 3)
	for len(a.Groups) < maxGroups+2 {
		a.Groups = append(a.Groups, schemas.GroupCount{Count: 1})
	}
	a.Count, a.MoreGroups = 378+int64(maxGroups-1)+10, 4
	lines := groupLines(&a, true)
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

func TestOneWitnessIsNoted(t *testing.T) {
	a := samples.GroupAlert()
	require.Empty(t, NewCard(&a, RenderOptions{}).Notes)
	sampled := map[string]float64{schemas.AgainstSamples: 1}
	a.Flag.Signals = []schemas.Signal{
		{Detector: "grounding", Outcome: schemas.Fired},
		{Detector: "consistency", Outcome: schemas.Fired, Measures: sampled},
		{Detector: "faithfulness", Outcome: schemas.Clear, Measures: sampled},
	}
	require.Empty(t, NewCard(&a, RenderOptions{}).Notes, "the other one is clear")
	a.Flag.Signals = append(a.Flag.Signals, schemas.Signal{Detector: "entailment", Outcome: schemas.Fired, Measures: sampled})
	require.Equal(t, []string{"one witness: consistency, entailment compared with the same sampled responses"}, NewCard(&a, RenderOptions{}).Notes)
}

// The second opinion is noted, and the judge's reason comes first.
func TestSecondOpinionIsNoted(t *testing.T) {
	a := samples.SingleAlert()
	a.Flag.Signals = append(a.Flag.Signals, schemas.Signal{
		Detector: schemas.JudgeDetector, Outcome: schemas.Fired, Reason: "found by the judge",
		Evidence: []schemas.Evidence{{Start: 10, End: 58, Excerpt: "The bridge opened in 1937", Note: "the source says 1935"}},
	})
	for _, tt := range []struct {
		by    string
		pass  schemas.Pass
		alert bool
		note  string
	}{
		{"", schemas.PassFast, true, ""},
		{schemas.JudgeDetector, schemas.PassDeep, true, "Confirmed by the judge."},
		{schemas.NotConfirmed, schemas.PassFast, true, "Not confirmed: the judge has given no second opinion."},
		{"", schemas.PassDeep, false, "Cleared after this message was sent: the judge found the answer fine."},
	} {
		a.Flag.ConfirmedBy, a.Flag.Pass, a.Flag.Alert = tt.by, tt.pass, tt.alert
		c := NewCard(&a, RenderOptions{})
		require.Equal(t, tt.note, strings.Join(c.Notes, " "))
		require.Contains(t, c.Evidence[0].String(), "the source says 1935", "what the judge says is first")
	}
}

// A figure alone says little: its sentence is quoted, with the figure marked, if another finding of the flag has it.
func TestFigureStandsInItsSentence(t *testing.T) {
	alert := samples.SingleAlert()
	alert.Flag.Question = ""
	alert.Flag.Signals = []schemas.Signal{
		{Detector: "citation", Outcome: schemas.Fired, Evidence: []schemas.Evidence{{Start: 60, End: 80, Excerpt: "It has two towers.", SourceExcerpt: "It has one tower."}}},
		{Detector: "facts", Outcome: schemas.Fired, Evidence: []schemas.Evidence{{Start: 21, End: 25, Excerpt: "1937", SourceSays: "1935", SourceExcerpt: "It opened in 1935."}}},
		{Detector: "grounding", Outcome: schemas.Fired, Evidence: []schemas.Evidence{
			{Start: 60, End: 80, Excerpt: "It has two towers."}, {Start: 0, End: 26, Excerpt: "The bridge opened in 1937."},
		}},
	}
	card := NewCard(&alert, RenderOptions{})
	require.Len(t, card.Evidence, 2)
	require.Equal(t, "“The bridge opened in 1937.”\nSource says: “It opened in 1935.”", card.Evidence[1].String())
	require.Contains(t, card.Evidence[1], Run{"1937", true})
}
