package tune

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"confab/calibration/tune"
	"confab/internal/console"
)

// reportPrinter says what a fit changes.
type reportPrinter struct {
	o      *Options
	report *tune.Report
	perDay float64 // 0: unknown
	limits []string
}

func (p *reportPrinter) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(struct {
		*tune.Report

		AnswersPerDay float64  `json:"answers_per_day,omitempty"`
		Limits        []string `json:"limits,omitempty"`
		Written       string   `json:"written,omitempty"`
	}{p.report, p.perDay, p.limits, p.o.Out})
}

// print writes the labels, a table of what the rule does now and tuned, what changes and what does not; then what would help, and what to
// do next.
func (p *reportPrinter) print(w io.Writer) error {
	r := p.report
	var b strings.Builder
	fmt.Fprintf(&b, "labels:    %d answers, %d of them wrong%s; of all answers %s wrong\n", r.Labels.Rows, r.Labels.Wrong, p.sources(), percent(r.BaseRate, "are"))
	p.forecasts(&b)
	fmt.Fprintf(&b, "changes:   %s\n", p.changes())
	fmt.Fprintf(&b, "unchanged: %s\n", orNothing(r.Kept))
	for _, name := range slices.Sorted(maps.Keys(p.o.Set)) {
		fmt.Fprintf(&b, "note:      detectors.%s.threshold is set to %g: tuning starts there, and the setting outweighs the file; to tune it, take it out of the configuration first\n", name, p.o.Set[name])
	}
	for _, limit := range p.limits {
		fmt.Fprintf(&b, "not known: %s\n", limit)
	}
	if help := p.help(); help != "" {
		fmt.Fprintf(&b, "more:      %s\n", help)
	}
	if p.o.Out == "" {
		b.WriteString("nothing was written: add --out calibration.yaml\n")
	} else {
		fmt.Fprintf(&b, "wrote %s: set calibration_file to it, or try it first: %s --calibration %s\n", p.o.Out, p.o.Check, console.ShellQuote(p.o.Out))
	}
	return console.Printf(w, "%s", b.String())
}

// sources says who labelled, if not people alone.
func (p *reportPrinter) sources() string {
	by := p.report.Labels.By
	var parts []string
	for _, source := range []tune.Source{tune.Person, tune.Judge} {
		if n := by[source]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d by %s", n, source))
		}
	}
	if len(parts) == 1 && by[tune.Person] > 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// forecasts is a table of what the rule does now and tuned.
func (p *reportPrinter) forecasts(b *strings.Builder) {
	per := "of 1,000"
	if p.perDay > 0 {
		per = "a day"
	}
	log := p.report.Before.Log.Answers
	t := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0)
	fmt.Fprint(t, "        ")
	if log > 0 {
		fmt.Fprintf(t, "\tof these %d", log)
	}
	fmt.Fprintf(t, "\tflags %s\talerts %s\talerts that are right\twrong answers flagged\n", per, per)
	for _, row := range []struct {
		name string
		*tune.Forecast
	}{{"now:", &p.report.Before}, {"tuned:", &p.report.After}} {
		fmt.Fprint(t, row.name)
		if log > 0 {
			fmt.Fprintf(t, "\t%d flagged, %d alerting", row.Log.Flags, row.Log.Alerts)
		}
		fmt.Fprintf(t, "\t%s\t%s\t%s\t%s\n", number(row.Flags), number(row.Alerts), rightAlerts(row.Forecast), percent(row.Found, ""))
	}
	_ = t.Flush() // a builder takes everything
	if p.report.Labels.Wrong < enoughWrong {
		b.WriteString("           few wrong answers are labelled: the table is mostly what was known before\n")
	}
}

func rightAlerts(f *tune.Forecast) string {
	switch n := f.Log; {
	case n.Answers > 0 && n.Alerts == 0:
		return "no alert to label"
	case f.Right == (tune.Interval{High: 1}):
		return "unknown: none labelled"
	case f.Right.Low > 0.95 && n.Answers > 0 && n.Alerts < enoughAlerts:
		return "too few alerts to tell"
	case f.Right.Low > 0.995:
		return "all labelled ones"
	}
	return percent(f.Right, "")
}

func (p *reportPrinter) changes() string {
	var list []string
	for _, c := range p.report.Changes {
		list = append(list, fmt.Sprintf("%s %g → %g (%s)", console.Sanitize(c.Name), c.From, c.To, c.Why))
	}
	return orNothing(list)
}

// enoughAlerts is the number of alerts from which an interval of those that are right is told.
const enoughAlerts = 5

// enoughWrong is the number of wrong answers from which labels outweigh what was known before.
const enoughWrong = 20

// leastDraw is the least that is worth drawing: an answer of a small draw stands for so many that it outweighs the other labels.
const leastDraw = 40

// help says how many more labels would decide.
func (p *reportPrinter) help() string {
	n := p.report.Labels
	if n.Wrong >= enoughWrong {
		return ""
	}
	share := max(float64(n.Wrong)/float64(n.Rows), p.report.BaseRate.Value)
	missing := max(leastDraw, int(math.Ceil(float64(enoughWrong-n.Wrong)/share/10))*10)
	text := fmt.Sprintf("about %d more labels would bring %d wrong answers, which outweigh what was known before", missing, enoughWrong)
	left := max(0, p.report.Before.Log.Answers-n.Rows) // rows of --kafka are of no log
	if p.o.Log != nil && left < missing {
		text = strings.Replace(text, " more labels", " more labels, of a longer log,", 1) + fmt.Sprintf("; this log has %d answers without one", left)
		missing = left
	}
	if p.o.Log != nil && missing > 0 {
		out := fmt.Sprintf("more-%d.csv", len(p.o.Labels))
		given := " --labels " + strings.Join(p.o.Labels, " --labels ")
		text += fmt.Sprintf(": %s%s --draw %d --out %s, then%s --labels %s", p.o.Command, given, missing, out, given, out)
	}
	return text
}

func orNothing(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return console.Sanitize(strings.Join(list, "; "))
}

// number is an estimate with its interval.
func number(i tune.Interval) string {
	return fmt.Sprintf("%s (%s to %s)", short(i.Value), short(i.Low), short(i.High))
}

func short(x float64) string {
	if x < 9.95 && x != math.Trunc(x) {
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// percent is a share with its interval: "40 % (20 to 60 %) of alerts are".
func percent(i tune.Interval, what string) string {
	return strings.TrimSpace(fmt.Sprintf("%.0f %% (%.0f to %.0f %%) %s", 100*i.Value, 100*i.Low, 100*i.High, what))
}
