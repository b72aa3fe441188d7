package detectors

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/schemas"
)

func TestSourceExcerpts(t *testing.T) {
	long := strings.Repeat("word ", 80)
	for name, tt := range map[string]struct {
		source, place string
		want          string
	}{
		"a figure with its sentence":   {"It opened in 1937. The bridge is 15 km long. Trams use it.", "15 km", "The bridge is 15 km long."},
		"a whole source":               {"It opened in 1937.", "It opened in 1937.", "It opened in 1937."},
		"a line of a list":             {"Fees:\n- basic: 5 euros\n- plus: 9 euros", "9 euros", "- plus: 9 euros"},
		"cut between words":            {long, strings.TrimSpace(long), strings.TrimSpace(strings.Repeat("word ", 32)) + "..."},
		"far into a long sentence":     {long + "costs 15 euros " + long, "15 euros", strings.Repeat("word ", 10) + "costs 15 euros " + strings.TrimSpace(strings.Repeat("word ", 19)) + "..."},
		"text without spaces":          {strings.Repeat("橋", 300), strings.Repeat("橋", 300), strings.Repeat("橋", 160) + "..."},
		"in a long text of ideographs": {strings.Repeat("橋", 300) + "15", "15", strings.Repeat("橋", 20) + "15"},
		"no place":                     {"It opened in 1937.", "", ""},
		"a secret":                     {"Ask Ann at (415) 867-5301 for the price.", "Ask Ann", "Ask Ann at [phone] for the price."},
		"half a secret":                {"Ask Ann at (415) 867-5301 for the price.", "5301 for", "Ask Ann at [phone] for the price."},
	} {
		t.Run(name, func(t *testing.T) {
			start := strings.Index(tt.source, tt.place)
			row := Evidence{End: 1, SourceStart: start, SourceEnd: start + len(tt.place), Says: tt.place}
			f := flagOf(t, row, &schemas.Interaction{Answer: "x", Sources: []schemas.Source{{Text: tt.source}}}, nil)
			got := f.Signals[0].Evidence[0]
			require.Equal(t, tt.want, got.SourceExcerpt)
			require.LessOrEqual(t, utf8.RuneCountInString(got.SourceExcerpt), MaxSourceExcerpt+3)
			require.Equal(t, 1, got.SourceNumber)
		})
	}
}

// flagOf returns the flag of an interaction in which a detector that fires reports the row.
func flagOf(t *testing.T, row Evidence, in *schemas.Interaction, change func(*Options, *Finding)) schemas.Flag {
	t.Helper()
	finding := Finding{Score: 1, Evidence: []Evidence{row}}
	s := newTestSuite(t, func(o *Options) {
		o.Redact = redact.Redact
		if change != nil {
			change(o, &finding)
		}
	}, fakeFunc("d", func(context.Context, *Document) (Finding, error) { return finding, nil }))
	e := s.Evaluate(t.Context(), in)
	defer e.Release()
	return e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
}

// A source that is shown hides the parts of its secrets, also in what it says instead, where no note quotes it.
func TestSourceWordsAreMasked(t *testing.T) {
	const source = "The card is 4539 1488 0343 6467. The phone is (415) 867-5301. Or call +33 3 55 50 14 92."
	start := strings.Index(source, "0343")
	for says, want := range map[string]string{"867 5301": "[redacted] [redacted]", "33 3 55 50 14 92": "[redacted]", "3 55 50": "[redacted]"} {
		f := flagOf(t, Evidence{End: 1, SourceStart: start, SourceEnd: start + 4, Says: says}, &schemas.Interaction{Answer: "x", Sources: []schemas.Source{{Text: source}}}, nil)
		got := f.Signals[0].Evidence[0]
		require.Equal(t, want, got.SourceSays)
		require.NotContains(t, got.SourceExcerpt, "0343")
	}
}

func TestQuestionOfFlag(t *testing.T) {
	user := func(text string) []schemas.Message {
		return []schemas.Message{{Role: "user", Content: "Older?"}, {Role: "assistant", Content: "No."}, {Role: "user", Content: text}}
	}
	for name, tt := range map[string]struct {
		messages []schemas.Message
		want     string
	}{
		"none":           {nil, ""},
		"one line":       {user("How long is it?"), "How long is it?"},
		"first line":     {user("\n\n  How long is it?\r\nMy key is hunter2hunter2"), "How long is it?"},
		"long":           {user(strings.Repeat("long ", 50)), strings.TrimSpace(strings.Repeat("long ", 32)) + "..."},
		"secret":         {user("Is (415) 867-5301 yours, ann.lee@example.org?"), "Is [phone] yours, [email]?"},
		"other role":     {[]schemas.Message{{Role: "human", Content: "How long?"}}, "How long?"},
		"without source": {[]schemas.Message{{Role: "user", Content: "Source: it is red.\nWhat is it?", SourcesStart: 0, SourcesEnd: 19}}, "What is it?"},
	} {
		t.Run(name, func(t *testing.T) {
			in := &schemas.Interaction{Answer: "x", Messages: tt.messages}
			require.Equal(t, tt.want, flagOf(t, Evidence{Source: -1}, in, nil).Question)
			require.Empty(t, flagOf(t, Evidence{Source: -1}, in, func(_ *Options, f *Finding) { f.Score = 0 }).Question, "a quiet flag has none")
		})
	}
}

// Statements of a judge are kept whatever the outcome, without the secrets that the judge repeats in part.
func TestStatementsOfFlag(t *testing.T) {
	in := &schemas.Interaction{Answer: "Call (415) 867-5301.", Sources: []schemas.Source{{Text: "Ann has the card 4539 1488 0343 6467."}}}
	statements := make([]schemas.Statement, 100)
	statements[0] = schemas.Statement{End: 20, Text: "Call (415) 867-5301.", Verdict: "unfaithful", Reason: "the card ends in 6467, not in 5301", Confidence: 0.5}
	for name, change := range map[string]func(*Options, *Finding){
		"fired": func(*Options, *Finding) {},
		"clear": func(_ *Options, f *Finding) { f.Score = 0 },
		"none":  func(_ *Options, f *Finding) { f.NotCheckable = "no statement" },
	} {
		t.Run(name, func(t *testing.T) {
			f := flagOf(t, Evidence{Source: -1}, in, func(o *Options, f *Finding) { f.Statements = statements; change(o, f) })
			got := f.Signals[0].Statements
			require.Len(t, got, MaxStatements)
			require.Equal(t, schemas.Statement{
				End: 20, Text: "Call [phone].", Verdict: "unfaithful", Reason: "the card ends in [redacted], not in [redacted]", Confidence: 0.5,
			}, got[0])
		})
	}
	require.Equal(t, "Call (415) 867-5301.", statements[0].Text, "the finding is left alone")
}

// A judge has read the sources: what it says of a fault may repeat a part of a secret. The flag names judge and prompt.
func TestFaultsOfFlag(t *testing.T) {
	in := &schemas.Interaction{Answer: "The card ends in 1234.", Sources: []schemas.Source{{Text: "Ann has the card 4539 1488 0343 6467."}}}
	row := Evidence{End: 21, Source: -1, Note: "instead: it ends in 6467", Rule: string(schemas.Contradicted)}
	f := flagOf(t, row, in, func(_ *Options, f *Finding) { f.Asked = schemas.Asked{Model: "large", Prompt: "faults-1"} })
	require.Equal(t, "instead: it ends in [redacted]", f.Signals[0].Evidence[0].Note)
	require.Equal(t, "contradicted", f.Signals[0].Evidence[0].Rule)
	require.Equal(t, &schemas.Judged{Model: "large", Prompt: "faults-1"}, f.Judged())
	f = flagOf(t, row, in, func(_ *Options, f *Finding) { f.Asked.Prompt, f.NotCheckable = "faults-1", "nothing to judge" })
	require.Nil(t, f.Judged(), "no verdict")
}

func TestHiddenExcerpts(t *testing.T) {
	in := &schemas.Interaction{
		Answer: "The bridge is long.", Messages: []schemas.Message{{Role: "user", Content: "How long?"}}, Sources: []schemas.Source{{ID: "a", Text: "A short one."}},
	}
	row := Evidence{End: 10, Citation: "1", SourceEnd: 7, Note: "long", Says: "short", Similarity: 0.5}
	f := flagOf(t, row, in, func(o *Options, f *Finding) {
		o.HideExcerpts = true
		f.Statements = []schemas.Statement{{End: 3, Text: "long", Verdict: "faithful", Reason: "why", Confidence: 1}}
		f.Grounding = Grounding{Claims: 1, Ungrounded: []Support{{End: 10}}}
	})
	require.Equal(t, []schemas.Evidence{{End: 10, SourceID: "a", SourceEnd: 7, SourceNumber: 1, Similarity: 0.5}}, f.Signals[0].Evidence)
	require.Equal(t, []schemas.Statement{{End: 3, Verdict: "faithful", Confidence: 1}}, f.Signals[0].Statements)
	require.Equal(t, []schemas.Claim{{End: 10}}, f.Grounding.UngroundedClaimList)
	require.Empty(t, f.Question)
}
