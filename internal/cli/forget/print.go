package forget

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/console"
)

// maxListed bounds listed names and messages.
const maxListed = 20

// PrintTable prints a result.
func PrintTable(w io.Writer, r *Result, wrote bool) error {
	if r.Empty() {
		return console.Printf(w, "nothing was found that could be forgotten\n")
	}
	t := console.NewTable(table.Row{"topic", "records", "what happens", "gone by"})
	var b strings.Builder
	for i := range r.Rows {
		row := &r.Rows[i]
		var n any = "?"
		if row.Records != nil {
			n = *row.Records
		}
		gone := row.Why
		if row.Until != nil {
			gone = row.Until.Format(time.DateOnly)
		}
		t.AppendRow(table.Row{row.Topic, n, row.Fate, gone})
		if row.Unreadable > 0 {
			fmt.Fprintf(&b, "%d records of %s cannot be decoded, and were not searched\n", row.Unreadable, row.Topic)
		}
	}
	if err := console.PrintTable(w, t); err != nil {
		return err
	}
	fmt.Fprintf(&b, "incidents: %d, of tenants: %s\n", r.Incidents, listOf(r.Tenants))
	if len(r.Messages) > 0 {
		fmt.Fprintf(&b, "delete these messages in Slack (channel and timestamp): %s\n", listOf(r.Messages))
	}
	if wrote {
		fmt.Fprintf(&b, "written and acknowledged: %s; the roles alert and ui remove their copies when they read the marks\n", console.CountOf(r.Written, "record"))
	} else {
		fmt.Fprintf(&b, "nothing was changed: --yes writes %s\n", console.CountOf(r.Records, "record"))
	}
	return console.Printf(w, "%s", b.String())
}

func listOf(names []string) string {
	clean := make([]string, 0, min(len(names), maxListed))
	for _, n := range names[:min(len(names), maxListed)] {
		clean = append(clean, console.Sanitize(n))
	}
	text := strings.Join(clean, ", ")
	if more := len(names) - len(clean); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	if text == "" {
		return "none"
	}
	return text
}
