package diff

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/console"
)

// WriteText writes the report for people: a summary, a table of detectors, the worst rows.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for i, s := range []Side{r.A, r.B} {
		fmt.Fprintf(&b, "%c  %s: rows %d, alerts %d (%.1f per 1,000)", 'A'+i, printable(s.Name), s.Rows, s.Alerts, s.AlertsPer1000)
		if s.Repeated > 0 {
			fmt.Fprintf(&b, "; repeated and ignored: %d", s.Repeated)
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\nrows    %d on both sides: %d equal, %d changed; %d appeared, %d vanished\n", r.Compared, r.Equal, r.Changed, r.Appeared, r.Vanished)
	fmt.Fprintf(&b, "alerts  %d gained, %d lost\n", r.Gained, r.Lost)
	if len(r.ChangedRows) > 0 {
		b.WriteString("rows by what differs:")
		separator := " "
		for _, a := range Aspects() {
			if n := r.ChangedRows[a]; n > 0 {
				fmt.Fprintf(&b, "%s%s %d", separator, a, n)
				separator = ", "
			}
		}
		b.WriteString("\n")
	}
	t := console.NewTable(table.Row{"detector", "fired in A", "fired in B", "scores changed", "largest change"})
	for _, d := range r.Detectors {
		t.AppendRow(table.Row{printable(d.Name), d.FiredA, d.FiredB, d.Changed, printable(d.Largest)})
	}
	fmt.Fprintf(&b, "\n%s\n", console.FitTable(t, console.Columns(w)))
	r.printRows(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Report) printRows(b *strings.Builder) {
	all := r.Changed + r.Appeared + r.Vanished
	if all == 0 {
		b.WriteString("\nno differences\n")
	} else if len(r.Rows) > 0 {
		fmt.Fprintf(b, "\n%d of %d rows that differ, worst first\n", len(r.Rows), all)
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		lines := fmt.Sprintf("lines %d and %d", row.LineA, row.LineB)
		if row.LineA == 0 {
			lines = fmt.Sprintf("line %d of B", row.LineB)
		} else if row.LineB == 0 {
			lines = fmt.Sprintf("line %d of A", row.LineA)
		}
		fmt.Fprintf(b, "\n%s  %s  %s\n", printable(row.InteractionID), printable(row.Pass), lines)
		for _, c := range row.Changes {
			detector := ""
			if c.Detector != "" {
				detector = printable(c.Detector) + "  "
			}
			fmt.Fprintf(b, "  %-14s  %s%s → %s\n", c.Aspect, detector, printable(c.From), printable(c.To))
		}
	}
}

// printable is a value for people: texts of producers cannot control the terminal.
func printable(v any) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case bool:
		return map[bool]string{true: "yes", false: "no"}[v]
	case float64:
		return strconv.FormatFloat(v, 'g', 6, 64)
	}
	return cmp.Or(console.Sanitize(fmt.Sprint(v)), "none")
}
