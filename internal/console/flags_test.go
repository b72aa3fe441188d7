package console

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"confab/internal/rowview"
	"confab/schemas"
)

func hostileFlag() *schemas.Flag {
	evil := "\x1b[31mred\x1b[0m \u202eback \u200bwide\r\nforged line \a"
	return &schemas.Flag{
		IncidentID: "0123456789abcdef", InteractionID: evil, Service: evil, Question: evil,
		DetectedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Fired: []string{"schema"}, Alert: true,
		Signals: []schemas.Signal{{
			Detector: "schema", Outcome: schemas.Fired, Score: 1, Threshold: 0.5, Reason: "broken",
			Evidence: []schemas.Evidence{{Excerpt: evil, Citation: evil, Note: evil, SourceSays: evil}, {SourceExcerpt: evil}},
		}},
	}
}

func TestFlagPrinterRemovesControlCharacters(t *testing.T) {
	for _, show := range []func(FlagPrinter, *schemas.Flag) error{FlagPrinter.Verdict, FlagPrinter.Line, FlagPrinter.Detail} {
		var out bytes.Buffer
		require.NoError(t, show(FlagPrinter{W: &out}, hostileFlag()))
		for _, r := range out.String() {
			require.True(t, unicode.IsPrint(r) || r == '\n', "%q in %q", r, out.String())
		}
		require.NotContains(t, out.String(), "\nforged")
	}
}

func TestFlagPrinterExplainsQuietFlags(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, FlagPrinter{W: &out}.Verdict(&schemas.Flag{Signals: []schemas.Signal{
		{Detector: "citation", Outcome: schemas.Clear}, {Detector: "schema", Outcome: schemas.NotCheckable},
	}}))
	require.Equal(t, "    quiet  citation clear\n", out.String())
	out.Reset()
	require.NoError(t, FlagPrinter{W: &out}.Verdict(&schemas.Flag{}))
	require.Equal(t, "    quiet  nothing to check against\n", out.String())
}

func TestFlagPrinterShowsTheSource(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, FlagPrinter{W: &out}.Verdict(&schemas.Flag{
		Fired: []string{"facts"}, Question: "How long is it?", Signals: []schemas.Signal{{
			Detector: "facts", Outcome: schemas.Fired, Score: 1, Threshold: 0.5, Reason: "a figure differs", Evidence: []schemas.Evidence{
				{Excerpt: "12 km", Note: "12 km; the source has 15 km", SourceSays: "15 km", SourceExcerpt: "The bridge is 15 km long."},
				{Excerpt: "It is old", SourceExcerpt: "It is new."},
			},
		}},
	}))
	require.Equal(t, `    facts
      question: How long is it?
      facts 1.00 ≥ 0.50  a figure differs
        "12 km"
        source says: 15 km
        "It is old"
        source: It is new.
`, out.String())
}

func TestSecondOpinionIsShown(t *testing.T) {
	f := schemas.Flag{Fired: []string{"citation", "facts"}, Alert: true}
	for by, want := range map[string]string{"": "", schemas.NotConfirmed: ", not confirmed", schemas.JudgeDetector: ", confirmed by faithfulness"} {
		f.ConfirmedBy = by
		require.Equal(t, "citation + facts  alert"+want, FlagPrinter{}.verdictWord(&f))
	}
}

func TestOneWitnessIsShown(t *testing.T) {
	sampled := map[string]float64{schemas.AgainstSamples: 1}
	f := &schemas.Flag{IncidentID: "0123456789abcdef", Fired: []string{"consistency", "entailment"}, Signals: []schemas.Signal{
		{Detector: "consistency", Outcome: schemas.Fired, Measures: sampled}, {Detector: "entailment", Outcome: schemas.Fired, Measures: sampled},
	}}
	for _, show := range []func(p FlagPrinter) error{
		func(p FlagPrinter) error { return p.Detail(f) },
		func(p FlagPrinter) error { return p.Row(rowview.New(&schemas.Interaction{}, f, nil)) },
	} {
		var out bytes.Buffer
		require.NoError(t, show(FlagPrinter{W: &out}))
		require.Contains(t, strings.Join(strings.Fields(out.String()), " "), "one witness: consistency, entailment compared with the same sampled responses")
	}
}

func TestFlagPrinterSaysWhyThereIsNoAlert(t *testing.T) {
	var out bytes.Buffer
	p := FlagPrinter{W: &out, NoAlert: func(f *schemas.Flag) string {
		if f.Alert {
			return ""
		}
		return "no alert: risk 0.74 below the minimum 0.85"
	}}
	require.NoError(t, p.Verdict(&schemas.Flag{Fired: []string{"facts", "grounding"}}))
	require.NoError(t, p.Verdict(&schemas.Flag{Fired: []string{"facts", "grounding"}, Alert: true}))
	require.Equal(t, "    facts + grounding  no alert: risk 0.74 below the minimum 0.85\n    facts + grounding  alert\n", out.String())
}

func TestAgentsEvidenceIsShown(t *testing.T) {
	f := &schemas.Flag{Fired: []string{"tools"}, Signals: []schemas.Signal{
		{Detector: "tools", Outcome: schemas.Fired, Evidence: []schemas.Evidence{
			{Start: 25, End: 49, Excerpt: "It has been sent to you.", Note: "refund_order: error", CallID: "call_7"}, {Start: schemas.NoPlace, End: schemas.NoPlace, CallID: "call_8"},
		}},
	}}
	var flag, row bytes.Buffer
	require.NoError(t, FlagPrinter{W: &flag}.Verdict(f))
	require.Contains(t, flag.String(), "\"It has been sent to you.\"\n        call call_7: refund_order: error\n")
	require.Contains(t, flag.String(), "        call call_8\n")
	require.NoError(t, FlagPrinter{W: &row}.Row(rowview.New(&schemas.Interaction{Answer: "Your refund is 45 euros. It has been sent to you."}, f, nil)))
	require.Contains(t, row.String(), "      call call_7: refund_order: error\n")
}
