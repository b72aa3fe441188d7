package redaction

import (
	stdjson "encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/console"
)

// maxShown bounds the missed and wrong parts that are printed.
const maxShown = 20

// PrintJSON prints the report as one JSON object.
func PrintJSON(w io.Writer, r *Report) error {
	b, err := stdjson.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return console.Printf(w, "%s\n", b)
}

// PrintReport prints the report as a table, and where the first missed secrets and false redactions are.
func PrintReport(w io.Writer, r *Report) error {
	t := newTable(r)
	if err := console.PrintTable(w, t); err != nil {
		return err
	}
	if err := console.Printf(w, "%s\n", describeFalse(r)); err != nil {
		return err
	}
	if err := printList(w, "missed", r.Missed); err != nil {
		return err
	}
	return printList(w, "redacted, but not labelled", r.Wrong)
}

// PrintMarkdown prints the figures as Markdown.
func PrintMarkdown(w io.Writer, r *Report) error {
	return console.Printf(w, "%s\n\n%s\n", newTable(r).RenderMarkdown(), describeFalse(r))
}

func newTable(r *Report) table.Writer {
	t := console.NewTable(table.Row{"kind", "secrets", "hidden", "partly", "recall", "95 % interval"})
	rows := r.Kinds
	if len(rows) != 1 {
		rows = append(slices.Clip(rows), r.All)
	}
	for _, k := range rows {
		t.AppendRow(table.Row{
			console.Sanitize(k.Kind), k.Secrets, k.Hidden, k.Partly, share(k.Recall), share(k.Range[0]) + " to " + share(k.Range[1]),
		})
	}
	return t
}

func share(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// describeFalse is a sentence about false redactions.
func describeFalse(r *Report) string {
	total, parts := 0, make([]string, 0, len(r.False))
	for _, f := range r.False {
		total += f.Count
		parts = append(parts, fmt.Sprintf("%s %d", f.Label, f.Count))
	}
	text := fmt.Sprintf("False redactions: %d in %d of %d texts, %.2f per 1,000 words", total, r.FalseRows, r.Rows, 1000*float64(total)/max(1, float64(r.Words)))
	if total == 0 {
		return text + "."
	}
	return text + ": " + strings.Join(parts, ", ") + "."
}

func printList(w io.Writer, title string, all []Missed) error {
	for i, m := range all {
		if i == maxShown {
			return console.Printf(w, "%s: and %d more\n", title, len(all)-maxShown)
		}
		at := "line " + strconv.Itoa(m.Line)
		if m.ID != "" {
			at += " (" + console.Sanitize(m.ID) + ")"
		}
		text := ""
		if m.Text != "" {
			text = ": " + strconv.Quote(console.Sanitize(m.Text))
		}
		if err := console.Printf(w, "%s: %s, %s%s\n", title, at, console.Sanitize(m.Kind), text); err != nil {
			return err
		}
	}
	return nil
}
