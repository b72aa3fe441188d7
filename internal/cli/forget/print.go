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
	unreadable := 0
	for i := range r.Rows {
		row := &r.Rows[i]
		unreadable += row.Unreadable
		var n any = row.Records
		if row.Skipped {
			n = "?"
		}
		t.AppendRow(table.Row{row.Topic, n, row.Fate, row.goneBy()})
	}
	if err := console.PrintTable(w, t); err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "incidents: %d, of tenants: %s\n", r.Incidents, listOf(r.Tenants))
	if unreadable > 0 {
		fmt.Fprintf(&b, "%d of the records cannot be decoded; they contain a selected text\n", unreadable)
	}
	if len(r.Messages) > 0 {
		fmt.Fprintf(&b, "delete these messages in Slack (channel and timestamp): %s\n", listOf(r.Messages))
	}
	if wrote {
		fmt.Fprintf(&b, "written and acknowledged: %s; the roles alert and ui remove their copies when they read the marks\n", countOf(r.Written))
	} else {
		fmt.Fprintf(&b, "nothing was changed: --yes writes %s\n", countOf(r.Records))
	}
	return console.Printf(w, "%s", b.String())
}

func countOf(records int) string {
	if records == 1 {
		return "1 record"
	}
	return fmt.Sprintf("%d records", records)
}

func (row *Row) goneBy() string {
	if row.Until.IsZero() {
		return row.Why
	}
	return row.Until.Format(time.DateOnly)
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

// jsonRow is a topic for scripts. Records is null if the topic was not read, GoneBy if the time is unknown.
type jsonRow struct {
	Topic      string     `json:"topic"`
	Records    *int       `json:"records"`
	Unreadable int        `json:"unreadable"`
	Fate       string     `json:"fate"`
	GoneBy     *time.Time `json:"gone_by"`
	Why        string     `json:"why,omitempty"`
}

// PrintJSON prints one object.
func PrintJSON(w io.Writer, r *Result) error {
	out := struct {
		Incidents int       `json:"incidents"`
		Tenants   []string  `json:"tenants"`
		Topics    []jsonRow `json:"topics"`
		Messages  []string  `json:"messages"`
		Planned   int       `json:"planned"`
		Written   int       `json:"written"`
	}{r.Incidents, append([]string{}, r.Tenants...), []jsonRow{}, append([]string{}, r.Messages...), r.Records, r.Written}
	for i := range r.Rows {
		row := &r.Rows[i]
		j := jsonRow{Topic: row.Topic, Unreadable: row.Unreadable, Fate: row.Fate, Why: row.Why}
		if !row.Skipped {
			j.Records = &row.Records
		}
		if !row.Until.IsZero() {
			j.GoneBy = &row.Until
		}
		out.Topics = append(out.Topics, j)
	}
	return console.PrintJSON(w, out)
}
