package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"confab/internal/console"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// WriteJSON writes the report as one indented JSON object.
func (r *Report) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteText writes the report for people: a summary, a table of detectors, the worst rows. Ids from producers are
// quoted where they contain control or invisible characters.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	r.printSummary(&b)
	r.printDetectors(&b, console.Columns(w))
	r.printRows(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) printSummary(b *strings.Builder) {
	for i, s := range []Side{r.A, r.B} {
		fmt.Fprintf(b, "%c  %s: rows %d, alerts %d (%.1f per 1,000)", 'A'+i, printableText(s.Name), s.Rows, s.Alerts, s.AlertsPer1000)
		if s.Repeated > 0 {
			fmt.Fprintf(b, "; repeated and ignored: %d", s.Repeated)
		}
		b.WriteString("\n")
	}
	changed := ""
	if r.ThresholdsOnly > 0 {
		changed = fmt.Sprintf(" (%d in thresholds only)", r.ThresholdsOnly)
	}
	fmt.Fprintf(b, "\nrows    %d on both sides: %d equal, %d changed%s; %d appeared, %d vanished\n", r.Compared, r.Equal, r.Changed, changed, r.Appeared, r.Vanished)
	fmt.Fprintf(b, "alerts  %d gained (%.1f per 1,000), %d lost (%.1f per 1,000)\n", r.Alerts.Gained, r.Alerts.GainedPer1000, r.Alerts.Lost, r.Alerts.LostPer1000)
	fmt.Fprintf(b, "risk    %d changed; mean change %s, largest %s\n", r.Risk.Changed, formatSigned(r.Risk.Mean), formatNumber(r.Risk.Largest))
	var counts []string
	for _, a := range Aspects() {
		if n := r.ChangedRows[a]; n > 0 {
			counts = append(counts, fmt.Sprintf("%s %d", a, n))
		}
	}
	if len(counts) > 0 {
		fmt.Fprintf(b, "rows by what differs: %s\n", strings.Join(counts, ", "))
	}
}

// printDetectors prints the common rows by detector.
func (r *Report) printDetectors(b *strings.Builder, width int) {
	t := console.NewTable(table.Row{
		"detector", "fired\nin A", "fired\nin B", "fired\nin both", "scores\nchanged", "mean\nchange", "largest\nchange", "thresholds\nchanged", "spans\nchanged", "outcomes\nchanged",
	})
	t.Style().Format.Header = text.FormatDefault
	var columns []table.ColumnConfig
	for n := 2; n <= 9; n++ {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	for i := range r.Detectors {
		d := &r.Detectors[i]
		t.AppendRow(table.Row{
			printableText(d.Name), d.FiredA, d.FiredB, d.FiredBoth, d.Score.Changed, formatSigned(d.Score.Mean), formatNumber(d.Score.Largest),
			d.Thresholds, d.Spans, outcomeChanges(d.Outcomes),
		})
	}
	fmt.Fprintf(b, "\n%s\n", console.FitTable(t, width))
}

// outcomeChanges lists the cells off the diagonal, one per line.
func outcomeChanges(outcomes map[string]map[string]int) string {
	var lines []string
	for _, from := range slices.Sorted(maps.Keys(outcomes)) {
		for _, to := range slices.Sorted(maps.Keys(outcomes[from])) {
			if from != to {
				lines = append(lines, fmt.Sprintf("%s → %s %d", printableText(from), printableText(to), outcomes[from][to]))
			}
		}
	}
	return strings.Join(lines, "\n")
}

func (r *Report) printRows(b *strings.Builder) {
	all := r.Changed + r.Appeared + r.Vanished
	switch {
	case all == 0:
		b.WriteString("\nno differences\n")
		return
	case len(r.Worst) == 0:
		return
	}
	fmt.Fprintf(b, "\n%d of %d rows that differ, worst first\n", len(r.Worst), all)
	for i := range r.Worst {
		row := &r.Worst[i]
		fmt.Fprintf(b, "\n%s  %s  %s\n", printableText(row.InteractionID), printableText(row.Pass), row.lines())
		for _, c := range row.Changes {
			fmt.Fprintf(b, "  %-14s  %s\n", c.Aspect, c.describe())
		}
	}
}

func (r *Row) lines() string {
	switch {
	case r.LineA == 0:
		return fmt.Sprintf("line %d of B", r.LineB)
	case r.LineB == 0:
		return fmt.Sprintf("line %d of A", r.LineA)
	default:
		return fmt.Sprintf("lines %d and %d", r.LineA, r.LineB)
	}
}

func (c *Change) describe() string {
	from, to := printableValue(c.From), printableValue(c.To)
	if from == to { // rounding hides the change
		from, to = fmt.Sprint(c.From), fmt.Sprint(c.To)
	}
	change := from + " → " + to
	if c.Detector == "" {
		return change
	}
	return printableText(c.Detector) + "  " + change
}

func printableValue(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case float64:
		return formatNumber(v)
	case []string:
		if len(v) == 0 {
			return "none"
		}
		names := slices.Clone(v)
		for i := range names {
			names[i] = printableText(names[i])
		}
		return strings.Join(names, ", ")
	default:
		return printableText(fmt.Sprint(v))
	}
}

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }

// formatSigned is a number with its sign, or 0.
func formatSigned(x float64) string {
	if x > 0 {
		return "+" + formatNumber(x)
	}
	return formatNumber(x)
}

// printableText quotes s where it has control or invisible characters.
func printableText(s string) string {
	if quoted := strconv.Quote(s); quoted[1:len(quoted)-1] != s {
		return quoted
	}
	return s
}
