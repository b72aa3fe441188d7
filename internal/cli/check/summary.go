package check

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/internal/console"
	"confab/schemas"
)

// topNames is the number of reasons and fields that the summary names.
const topNames = 4

// WriteSummary writes for a person what became of the lines of the file with that name.
func (r *Result) WriteSummary(w io.Writer, name string) error {
	var b strings.Builder
	for _, hint := range r.hints(name) {
		b.WriteString("hint: " + hint + "\n")
	}
	skipped := ""
	if r.Skipped > 0 {
		skipped = fmt.Sprintf(", %d without a model's answer", r.Skipped)
	}
	fmt.Fprintf(&b, "%s read: %s%s, %d unreadable; %d flagged%s, %s, %d with nothing to check%s, in %s\n",
		console.CountOf(r.Lines, "record"), console.CountOf(r.Measured(), "answer"), skipped, r.Bad,
		r.Flagged, share(r.Flagged, r.Measured()), console.CountOf(r.Alerts, "alert"),
		r.Unchecked, share(r.Unchecked, r.Measured()), formatElapsed(r.Elapsed))
	if r.Prompts > 0 {
		fmt.Fprintf(&b, "%s without given sources: found in the prompt of %d", console.CountOf(r.Prompts, "answer"), r.Sourced)
		if r.unsourced > 0 {
			fmt.Fprintf(&b, "; not in that of line %d: if it has some, say where with sources_pattern in the file of --map or the configuration (docs/prompt-sources.md)", r.unsourced)
		}
		b.WriteString("\n")
	}
	if r.Hinted > 0 {
		fmt.Fprintf(&b, "%d quiet %s weak hints, such as another figure in the sources: the report (--report FILE.html) shows them\n", r.Hinted, map[bool]string{true: "answer has", false: "answers have"}[r.Hinted == 1])
	}
	r.Reasons.line(&b, "nothing to check", r.explain())
	r.Unknown.line(&b, "unknown fields, ignored", r.Unknown.top())
	r.Malformed.line(&b, "malformed fields, ignored", r.Malformed.top())
	r.Rewritten.line(&b, "rewriting", r.Rewritten.top())
	r.writeDetectors(&b)
	r.Usual.line(&b, "usual token uncertainty, learned from answers", r.Usual.top())
	return console.Printf(w, "%s", b.String())
}

// writeDetectors writes a line per detector.
func (r *Result) writeDetectors(b *strings.Builder) {
	if len(r.Detectors) == 0 {
		return
	}
	width := 0
	for i := range r.Detectors {
		width = max(width, len(r.Detectors[i].Detector))
	}
	fmt.Fprintf(b, "%-*s %8s %8s  %s\n", width, "detector", "fired", "clear", "not checkable")
	for i := range r.Detectors {
		d := &r.Detectors[i]
		missing := d.Outcomes[schemas.NotCheckable] + d.Outcomes[schemas.Skipped]
		fmt.Fprintf(b, "%-*s %8d %8d %8d", max(width, len("detector")), console.Sanitize(d.Detector), d.Outcomes[schemas.Fired], d.Outcomes[schemas.Clear], missing)
		b.WriteString(strings.TrimRight("  "+d.Reasons.list(d.Reasons.top()), " "))
		if failed := d.Outcomes[schemas.Failed]; failed > 0 {
			b.WriteString("  " + console.CountOf(failed, "error"))
		}
		if at, set := r.set[d.Detector]; set {
			fmt.Fprintf(b, "  threshold set to %g", at)
		}
		b.WriteString("\n")
	}
	for i := range r.Detectors {
		r.Detectors[i].writeFailures(b, r.began)
	}
}

// top returns the names, the most frequent ones first, those of equal number in the order of appearance.
func (c *Counts) top() []string {
	names := slices.Clone(c.names)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(c.n[b], c.n[a]) })
	return names
}

// line writes the first names with their numbers; nothing without a name.
func (c *Counts) line(b *strings.Builder, title string, names []string) {
	if len(names) > 0 {
		b.WriteString(title + ": " + c.list(names) + "\n")
	}
}

// list is the first names with their numbers.
func (c *Counts) list(names []string) string {
	parts := make([]string, 0, topNames+1)
	for _, n := range names[:min(topNames, len(names))] {
		parts = append(parts, console.Sanitize(n)+" "+strconv.Itoa(c.n[n]))
	}
	if more := len(names) - topNames; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// share is " (24 %)"; empty for none.
func share(n, of int) string {
	if n == 0 || of == 0 {
		return ""
	}
	percent := 100 * float64(n) / float64(of)
	if percent < 0.1 {
		return " (< 0.1 %)"
	}
	return " (" + strings.TrimSuffix(strconv.FormatFloat(percent, 'f', 1, 64), ".0") + " %)"
}

func formatElapsed(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
