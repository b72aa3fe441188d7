package evaluate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/internal/console"
	"confab/schemas"
)

// printAgreement prints how the verdicts of a judge agree with the labels, by kind of fault.
func printAgreement(w io.Writer, judge schemas.Asked, rows []measure.Row) error {
	var a quality.Agreement
	for i := range rows {
		at := slices.IndexFunc(rows[i].Signals, func(s measure.Signal) bool { return s.Detector == schemas.JudgeDetector })
		if at >= 0 && rows[i].Signals[at].HasScore {
			a.Add(rows[i].Kind, rows[i].Positive, rows[i].Signals[at].Outcome == schemas.Fired)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "judge %s, prompt %s: %d of %d answers judged, %s as labelled", console.Sanitize(judge.Model), judge.Prompt, a.N(), len(rows), quality.Share(a.Share()))
	fmt.Fprintf(&b, "; finds %s of the wrong ones, alarms on %s of the fine ones; balanced accuracy %s, kappa %s\n",
		quality.Percent(a.Recall()), quality.Percent(a.Alarms()), quality.Share(a.Balanced()), quality.Share(a.Kappa()))
	for _, kind := range a.Kinds() {
		balanced, n := a.OfKind(kind)
		if kind == "" {
			kind = "other"
		}
		fmt.Fprintf(&b, "  %s (%d): balanced accuracy %s\n", console.Sanitize(kind), n, quality.Share(balanced))
	}
	return console.Printf(w, "%s", b.String())
}
