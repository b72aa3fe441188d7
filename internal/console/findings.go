package console

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// wrapColumns is the number of columns at which findings are wrapped.
const wrapColumns = 88

// PrintFindings prints findings with their remedies as a table.
func PrintFindings(w io.Writer, all []Finding, color bool) error {
	p := FlagPrinter{W: w, Color: color}
	t := NewTable(table.Row{"", "check", "finding"})
	for i := range all {
		f := &all[i]
		what := Sanitize(f.Detail)
		if f.Subject != "" {
			what = Sanitize(f.Subject) + ": " + what
		}
		what = text.WrapSoft(what, wrapColumns)
		if f.Remedy != "" {
			what += "\n" + text.WrapSoft("→ "+Sanitize(f.Remedy), wrapColumns)
		}
		t.AppendRow(table.Row{p.Paint(stateColor(f.State), string(f.State)), f.Check, what})
	}
	return Printf(w, "%s\n%s\n", FitTable(t, Columns(w)), countFindings(all))
}

func stateColor(s State) text.Color {
	switch s {
	case Problem:
		return text.FgHiRed
	case Warning:
		return text.FgYellow
	case OK:
		return text.FgGreen
	default:
		return text.Faint
	}
}

func countFindings(all []Finding) string {
	return fmt.Sprintf("%d ok, %d not checked, %d warnings, %d problems", CountFindings(all, OK),
		CountFindings(all, NotChecked), CountFindings(all, Warning), CountFindings(all, Problem))
}

// FindingsJSON writes findings as JSON.
func FindingsJSON(w io.Writer, all []Finding) error {
	return PrintJSON(w, struct {
		Problems   int       `json:"problems"`
		Warnings   int       `json:"warnings"`
		NotChecked int       `json:"not_checked"`
		Findings   []Finding `json:"findings"`
	}{
		CountFindings(all, Problem), CountFindings(all, Warning), CountFindings(all, NotChecked), all,
	})
}
