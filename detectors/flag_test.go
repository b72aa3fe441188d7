package detectors

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestFlag(t *testing.T) {
	in := &schemas.Interaction{
		ID: "i-1", Tenant: "acme", Service: "search", Operation: "qa", Provider: "p", Model: "m", TraceID: "t", SpanID: "s",
		ConversationID: "c", Tags: []string{"legal"}, OccurredAt: time.Unix(1, 0), Answer: "One. Two secret words.", Streamed: true,
		IDSource: schemas.IDSourceOffset, Repaired: true, UnknownFields: 2, Malformed: []string{"tags", "logprobs"}, Attributes: map[string]string{"card": "4111"},
		Sources: []schemas.Source{{ID: "doc-a", Text: "One."}},
	}
	s := newTestSuite(t, nil,
		fakeEntry("clear", Finding{Score: 0.25, Measures: []Measure{{Name: "words", Value: 2}}, Evidence: []Evidence{{End: 3}}}, nil),
		fakeEntry("fires", Finding{
			Score: 0.75, Type: schemas.Temporal, Reason: "a figure differs",
			Measures: []Measure{{Name: "z", Value: 3.5}, {Name: "bad", Value: math.NaN()}, {Name: "worse", Value: math.Inf(-1)}},
			Evidence: []Evidence{
				{Start: 5, End: 22, Citation: "doc-a", Source: 0, SourceStart: 0, SourceEnd: 4, Similarity: 0.5, Note: "my secret"},
				{Start: schemas.NoPlace, End: schemas.NoPlace, Source: -1, Note: "/a/b is missing"},
			},
			Grounding: Grounding{
				Claims: 2, Confidence: 0.25, OverallSimilarity: 0.5, UngroundedClaims: 1,
				Ungrounded: []Support{{Start: 5, End: 22, Similarity: 0.125}},
			},
		}, nil),
		fakeEntry("fails", Finding{}, errors.New("cannot read the secret schema")),
		fakeEntry("cannot", Finding{NotCheckable: "no sources", Truncated: true, Measures: []Measure{{Name: "n", Value: 0}}}, nil))
	e := s.Evaluate(t.Context(), in)
	got := e.Flag(schemas.Origin{Topic: "llm.interactions", Partition: 3, Offset: 9}, schemas.PassDeep, time.Unix(5, 0))
	e.Release()
	want := schemas.Flag{
		IncidentID: in.EventID().IncidentID(), Pass: schemas.PassDeep, InteractionID: "i-1", Tenant: "acme", Service: "search", Operation: "qa",
		Provider: "p", Model: "m", TraceID: "t", SpanID: "s", ConversationID: "c", Tags: []string{"legal"},
		OccurredAt: time.Unix(1, 0), DetectedAt: time.Unix(5, 0), Origin: schemas.Origin{Topic: "llm.interactions", Partition: 3, Offset: 9},
		Signals: []schemas.Signal{
			{Detector: "clear", Outcome: schemas.Clear, Score: 0.25, Threshold: 0.5, Type: schemas.Factual, Measures: map[string]float64{"words": 2}},
			{
				Detector: "fires", Outcome: schemas.Fired, Score: 0.75, Threshold: 0.5, Type: schemas.Temporal, Reason: "a figure differs",
				Measures: map[string]float64{"z": 3.5},
				Evidence: []schemas.Evidence{
					{Start: 5, End: 22, Excerpt: "Two [x] words.", Citation: "doc-a", SourceID: "doc-a", SourceEnd: 4, Similarity: 0.5, Note: "my [x]", SourceNumber: 1, SourceExcerpt: "One."},
					{Start: -1, End: -1, Note: "/a/b is missing"},
				},
			},
			{Detector: "fails", Outcome: schemas.Failed, Type: schemas.Factual, Reason: "cannot read the [x] schema"},
			{Detector: "cannot", Outcome: schemas.NotCheckable, Type: schemas.Factual, Reason: "no sources", Measures: map[string]float64{"n": 0}},
		},
		Fired: []string{"fires"}, Recommendation: schemas.Recommend,
		Grounding: &schemas.Grounding{
			Confidence: 0.75, OverallSimilarity: 0.5, UngroundedClaims: 1, Source: "streaming_response",
			UngroundedClaimList: []schemas.Claim{{Start: 5, End: 22, Excerpt: "Two [x] words.", Similarity: 0.125}},
		},
		Calibration: "cal-1", WorkerVersion: "1.2.3", Truncated: true, IDSource: "offset",
		Attributes:  map[string]string{AttributeRepaired: "true", AttributeUnknownFields: "2", AttributeUnitsSkipped: "short 1", AttributeMalformedFields: "tags,logprobs"},
		SourcesFrom: schemas.SourcesFromField, Checked: schemas.CheckedNone, Unchecked: []string{schemas.UncheckedError, schemas.UncheckedNoDetector},
	}
	require.Empty(t, cmp.Diff(want, got))
}

// TestFlagCopiesNamedAttributes requires that flags copy the named attributes alone, without secrets and short, and that the
// application cannot write what the flag itself says.
func TestFlagCopiesNamedAttributes(t *testing.T) {
	s := newTestSuite(t, func(o *Options) { o.Attributes = []string{"prompt_version", "long", "absent", AttributeRepaired} }, fakeEntry("clear", Finding{}, nil))
	in := &schemas.Interaction{Answer: "x", Repaired: true, Attributes: map[string]string{
		"prompt_version": "7 secret", "long": strings.Repeat("ü", 2*MaxExcerpt), "card": "4111", AttributeRepaired: "false",
	}}
	e := s.Evaluate(t.Context(), in)
	defer e.Release()
	got := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{}).Attributes
	require.Equal(t, "7 [x]", got["prompt_version"])
	require.LessOrEqual(t, utf8.RuneCountInString(got["long"]), MaxExcerpt+3)
	require.Equal(t, "true", got[AttributeRepaired])
	require.NotContains(t, got, "card")
	require.NotContains(t, got, "absent")
}

func TestFlagWithoutFiredRules(t *testing.T) {
	s := newTestSuite(t, nil, fakeEntry("clear", Finding{Grounding: Grounding{Claims: 1, Confidence: 1, UngroundedClaims: 1, Ungrounded: []Support{{End: 1}}}}, nil))
	e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
	defer e.Release()
	f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
	require.Equal(t, schemas.Allow, f.Recommendation)
	require.NotNil(t, f.Fired, "an empty list, not null")
	require.Nil(t, f.Attributes)
	require.True(t, f.Grounding.Grounded)
	require.Zero(t, f.Grounding.UngroundedClaims, "none are ungrounded where the answer is grounded")
	require.Empty(t, f.Grounding.UngroundedClaimList)
	require.NotNil(t, f.Grounding.UngroundedClaimList, "an empty list, not null")
}

// The interaction's strings point into a buffer that the consumer reuses: a flag that kept one would change later.
func TestFlagSharesNoMemory(t *testing.T) {
	raw := []byte("id tenant service operation provider model trace span conversation tag answer doc source offset note citation reason")
	w := strings.Fields(unsafeString(raw))
	in := &schemas.Interaction{
		ID: w[0], Tenant: w[1], Service: w[2], Operation: w[3], Provider: w[4], Model: w[5], TraceID: w[6], SpanID: w[7], ConversationID: w[8],
		Tags: []string{w[9]}, Answer: w[10], Sources: []schemas.Source{{ID: w[11], Text: w[12]}}, IDSource: w[13],
	}
	s := newTestSuite(t, nil, fakeFunc("d", func(_ context.Context, d *Document) (Finding, error) {
		return Finding{
			Score: 1, Reason: w[16], Evidence: d.Evidence(Evidence{End: 6, Note: w[14], Citation: w[15]}),
			Grounding: Grounding{Claims: 1, Ungrounded: d.Supports(Support{End: 6})},
		}, nil
	}), fakeFunc("n", func(_ context.Context, d *Document) (Finding, error) { return Finding{NotCheckable: w[16]}, nil }))
	s.opts.Redact = func(s string) string { return s } // returns the string itself, not a copy
	e := s.Evaluate(t.Context(), in)
	f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
	e.Release()
	before := cmp.Diff(schemas.Flag{}, f)
	for i := range raw {
		raw[i] = '#'
	}
	require.Equal(t, before, cmp.Diff(schemas.Flag{}, f))
	require.NotContains(t, before, "#")
}

func TestExcerpts(t *testing.T) {
	for name, tt := range map[string]struct {
		answer     string
		start, end int
		want       string
	}{
		"whole":                {"abc", 0, 3, "abc"},
		"exact":                {strings.Repeat("x", 100), 0, 100, strings.Repeat("x", 100)},
		"long":                 {strings.Repeat("x", 101), 0, 101, strings.Repeat("x", 100) + "..."},
		"characters":           {strings.Repeat("é", 101), 0, 202, strings.Repeat("é", 100) + "..."},
		"much longer":          {strings.Repeat("é", 5000), 0, 10000, strings.Repeat("é", 100) + "..."},
		"secret at the cut":    {strings.Repeat("x", 97) + "secret", 0, 103, strings.Repeat("x", 97) + "[x]"},
		"cut in a character":   {"é!", 1, 3, "\uFFFD!"},
		"lines":                {"a\nb\tc\r\n\x00\x1b[31md", 0, 99, "a b c  [31md"},
		"beyond the end":       {"abc", 1, 99, "bc"},
		"behind the end":       {"abc", 50, 60, ""},
		"backwards":            {"abc", 2, 1, ""},
		"before the beginning": {"abc", -5, 2, "ab"},
	} {
		t.Run(name, func(t *testing.T) {
			e := Evaluation{suite: newTestSuite(t, nil, fakeEntry("d", Finding{}, nil))}
			e.doc.Reset(&schemas.Interaction{Answer: tt.answer})
			e.texts.Begin(e.suite.opts.Redact, nil)
			got := e.excerpt(tt.start, tt.end)
			require.Equal(t, tt.want, got)
			require.True(t, utf8.ValidString(got))
		})
	}
}

func TestEvidenceLimit(t *testing.T) {
	rows := make([]Evidence, 1000)
	s := newTestSuite(t, nil, fakeEntry("d", Finding{Score: 1, Evidence: rows, Grounding: Grounding{Claims: 1, Ungrounded: make([]Support, 1000)}}, nil))
	e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
	defer e.Release()
	f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
	require.Len(t, f.Signals[0].Evidence, MaxEvidence)
	require.Len(t, f.Grounding.UngroundedClaimList, MaxEvidence)
}

// Programs that read flags parse one form of a time, whatever the zones of the worker and the producer.
func TestFlagTimesAreUTC(t *testing.T) {
	zone := time.FixedZone("", 3600)
	at := time.Date(2026, 11, 22, 13, 0, 0, 0, zone)
	s := newTestSuite(t, nil, fakeEntry("clear", Finding{}, nil))
	e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x", OccurredAt: at})
	defer e.Release()
	f := e.Flag(schemas.Origin{}, schemas.PassFast, at.Add(time.Second))
	require.Equal(t, at.UTC(), f.OccurredAt)
	require.Equal(t, at.Add(time.Second).UTC(), f.DetectedAt)
}
