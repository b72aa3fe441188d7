package detectors

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestCoverage(t *testing.T) {
	text := func(name string, f Finding, err error) Entry {
		e := fakeEntry(name, f, err)
		e.Prose = true
		return e
	}
	missing := func(why string) Finding { return Finding{NotCheckable: why} }
	own := text("own", scoredFinding(0), nil)
	own.Own = true
	deep := func(f Finding, err error) Entry {
		e := text("deep", f, err)
		e.Deep = true
		return e
	}
	failure := errors.New("no")
	quiet, noSources := text("a", scoredFinding(0), nil), text("a", missing(ReasonNoSources), nil)
	const answer = "The bridge over the river was opened in May."
	var cut Finding
	cut.Truncated = true
	for _, tt := range []struct {
		name    string
		answer  string
		entries []Entry
		checked schemas.Checked
		why     []string
	}{
		{"clear", answer, []Entry{quiet}, schemas.CheckedFull, nil},
		{"fired", answer, []Entry{text("a", scoredFinding(1), nil)}, schemas.CheckedFull, nil},
		{"nothing of its kind", answer, []Entry{quiet, text("b", missing("no citations"), nil), fakeEntry("c", missing("no logprobs"), nil)}, schemas.CheckedFull, nil},
		{"no claims", "You're welcome!", []Entry{text("a", missing(ReasonNoClaims), nil)}, schemas.CheckedFull, nil},
		{"states nothing, without sources", "You're welcome!", []Entry{noSources}, schemas.CheckedFull, nil},
		{"no text", " \n", []Entry{quiet}, schemas.CheckedFull, nil},
		{"no text, one failed", "", []Entry{fakeEntry("a", Finding{}, failure)}, schemas.CheckedPartial, []string{"error"}},
		{"no sources", answer, []Entry{noSources}, schemas.CheckedNone, []string{"no_sources"}},
		{"no sources, a word", "Mozart.", []Entry{noSources}, schemas.CheckedNone, []string{"no_sources"}},
		{"no sources, but links", answer, []Entry{noSources, text("b", scoredFinding(0), nil)}, schemas.CheckedPartial, []string{"no_sources"}},
		{"no sources, known claims only", answer, []Entry{noSources, own}, schemas.CheckedNone, []string{"no_sources"}},
		{"language", answer, []Entry{text("a", missing(ReasonLanguage), nil)}, schemas.CheckedNone, []string{"language"}},
		{"malformed", answer, []Entry{text("b", missing(ReasonMalformed), nil), quiet}, schemas.CheckedPartial, []string{"malformed_field"}},
		{"malformed for another kind", answer, []Entry{fakeEntry("b", missing(ReasonMalformed), nil), quiet}, schemas.CheckedFull, nil},
		{"source too long", answer, []Entry{text("b", missing(ReasonTruncated), nil), quiet}, schemas.CheckedPartial, []string{"truncated"}},
		{"part of a source", answer, []Entry{text("a", cut, nil)}, schemas.CheckedPartial, []string{"truncated"}},
		{"a failure", answer, []Entry{quiet, text("b", Finding{}, failure)}, schemas.CheckedPartial, []string{"error"}},
		{"only failures", answer, []Entry{text("a", Finding{}, failure), text("b", missing("no citations"), nil)}, schemas.CheckedNone, []string{"error"}},
		{"a failure of another kind", "You're welcome!", []Entry{noSources, fakeEntry("b", Finding{}, failure)}, schemas.CheckedPartial, []string{"error"}},
		{"deep failure", answer, []Entry{quiet, deep(Finding{}, failure)}, schemas.CheckedPartial, []string{"error"}},
		{"no judge", answer, []Entry{quiet, deep(missing("no judge"), nil)}, schemas.CheckedFull, nil},
		{"no budget for the judge", answer, []Entry{quiet, deep(Finding{}, schemas.BudgetSpent)}, schemas.CheckedFull, nil},
		{"code only", "```\nx = 1\n```", []Entry{text("a", missing(ReasonNoClaims), nil)}, schemas.CheckedNone, []string{"not_prose"}},
		{"code and prose", answer + "\n```\nx = 1\n```\n", []Entry{quiet}, schemas.CheckedPartial, []string{"not_prose"}},
		{"empty fence", answer + "\n```\n```\n", []Entry{quiet}, schemas.CheckedFull, nil},
		{"list of sources only", "Sources:\n[1] The tower is 330 metres high.", []Entry{text("a", missing(ReasonNoClaims), nil)}, schemas.CheckedNone, []string{"not_prose"}},
		{"markup only", "<style>[1]</style>", []Entry{text("a", missing("no citations"), nil)}, schemas.CheckedNone, []string{"not_prose"}},
		{"reasoning before", "<think>\nHm.\n</think>\n" + answer, []Entry{quiet}, schemas.CheckedFull, nil},
		{"not armed", answer, []Entry{text("off", scoredFinding(0), nil)}, schemas.CheckedNone, []string{"not_armed"}},
		{"not armed, another kind", answer, []Entry{quiet, fakeEntry("off", scoredFinding(0), nil)}, schemas.CheckedFull, nil},
		{"no text detector", answer, []Entry{fakeEntry("b", scoredFinding(0), nil)}, schemas.CheckedNone, []string{"no_detector"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newTestSuite(t, func(o *Options) {
				o.Thresholds = fixedThresholds{limit: 0.5, off: map[string]bool{"off": true}}
			}, tt.entries...)
			e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: tt.answer})
			defer e.Release()
			f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
			require.Equal(t, tt.checked, f.Checked)
			require.Equal(t, tt.why, f.Unchecked)
			if f.Incomplete() {
				require.NotEqual(t, schemas.Allow, f.Recommendation)
			}
			require.Zero(t, testing.AllocsPerRun(5, func() { e.Coverage() }))
		})
	}
}

// The bits of a set stand for the published reasons.
func TestCoverageReasons(t *testing.T) {
	all := Coverage{gaps: gapNoDetector<<1 - 1}
	require.Equal(t, schemas.UncheckedReasons(), all.Reasons())
	for gap, reason := range map[gapSet]string{
		gapError: schemas.UncheckedError, gapSkipped: schemas.UncheckedSkipped, gapNotProse: schemas.UncheckedNotProse,
		gapNoDetector: schemas.UncheckedNoDetector,
	} {
		require.Equal(t, []string{reason}, Coverage{gaps: gap}.Reasons())
	}
}

func TestCoverageOfLimits(t *testing.T) {
	const claim = "The bridge over the river opened in May. "
	reads := fakeFunc("a", func(_ context.Context, d *Document) (Finding, error) {
		d.Claims()
		return Finding{}, nil
	})
	reads.Prose = true
	s := newTestSuite(t, func(o *Options) { o.SkipOperations = []string{"draft"} }, reads)
	for _, tt := range []struct {
		name    string
		in      schemas.Interaction
		checked schemas.Checked
		why     []string
	}{
		{"many claims", schemas.Interaction{Answer: strings.Repeat(claim, 1000)}, schemas.CheckedFull, nil},
		{"answer", schemas.Interaction{Answer: claim + strings.Repeat("x", MaxTextBytes)}, schemas.CheckedPartial, []string{"truncated"}},
		{"source", schemas.Interaction{Answer: claim, Sources: []schemas.Source{{Text: strings.Repeat("x", MaxSourceBytes+1)}}}, schemas.CheckedPartial, []string{"truncated"}},
		{"operation", schemas.Interaction{Answer: claim, Operation: "draft"}, schemas.CheckedNone, []string{"operation"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := s.Evaluate(t.Context(), &tt.in)
			defer e.Release()
			c := e.Coverage()
			require.Equal(t, tt.checked, c.Checked)
			require.Equal(t, tt.why, c.Reasons())
		})
	}
}
