package redrive

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/console"
	"confab/internal/worker/records"
)

// maxRows bounds the reasons of a result: Confab has fewer, headers of other programs may have any.
const maxRows = 100

// Result is what was found and sent.
type Result struct {
	Rows        []*Row `json:"reasons"`
	Planned     int    `json:"planned"` // letters that go back
	Sent        int    `json:"sent"`    // acknowledged
	NotSelected int    `json:"not_selected"`

	byReason map[[2]string]*Row
}

// Row sums up the dead letters of one reason.
type Row struct {
	Stage   string               `json:"stage"`
	Reason  string               `json:"reason"`
	Class   records.RedriveClass `json:"class"`
	Letters int                  `json:"letters"`
	Redrive int                  `json:"redrive"` // those that go back
	Stay    map[fate]int         `json:"stay"`    // the others, by why
	Remedy  string               `json:"remedy"`
}

func (r *Result) add(l *letter) {
	key := [2]string{l.Stage, l.Reason}
	row := r.byReason[key]
	if row == nil {
		if len(r.Rows) >= maxRows {
			key = [2]string{"other", "other"}
		}
		if row = r.byReason[key]; row == nil {
			row = &Row{Stage: key[0], Reason: key[1], Class: records.ClassOf(key[0], key[1]), Stay: map[fate]int{}, Remedy: remedy(key[0], key[1])}
			r.byReason[key], r.Rows = row, append(r.Rows, row)
		}
	}
	row.Letters++
	if l.fate == fateRedrive {
		row.Redrive++
		r.Planned++
	} else {
		row.Stay[l.fate]++
	}
}

func remedy(stage, reason string) string {
	if reason == "" {
		return "another program wrote it: its headers have no confab-reason"
	}
	return records.NewRemedy(nil)("", stage, reason, nil)
}

func (r *Result) sort() {
	classes := []records.RedriveClass{records.RedriveTransient, records.RedriveAfterFix, records.RedriveNever}
	slices.SortFunc(r.Rows, func(a, b *Row) int {
		return cmp.Or(cmp.Compare(slices.Index(classes, a.Class), slices.Index(classes, b.Class)), cmp.Compare(b.Letters, a.Letters),
			cmp.Compare(a.Stage, b.Stage), cmp.Compare(a.Reason, b.Reason))
	})
}

// PrintTable prints a result: the reasons, the remedies of those that need one, and what was done. rate is in records a second.
func PrintTable(w io.Writer, r *Result, wrote bool, rate int) error {
	switch {
	case len(r.Rows) > 0:
	case r.NotSelected > 0:
		return console.Printf(w, "none of the dead letters is selected: %d have other stages, reasons or times\n", r.NotSelected)
	default:
		return console.Printf(w, "there are no dead letters\n")
	}
	t := console.NewTable(table.Row{"stage", "reason", "class", "letters", "redrive", "stay"})
	var remedies strings.Builder
	for _, row := range r.Rows {
		reason := console.Sanitize(row.Reason)
		t.AppendRow(table.Row{console.Sanitize(row.Stage), reason, string(row.Class), row.Letters, row.Redrive, row.stays()})
		if row.Class != records.RedriveTransient {
			fmt.Fprintf(&remedies, "%s: %s\n", cmp.Or(reason, "no reason"), row.Remedy)
		}
	}
	if err := console.PrintTable(w, t); err != nil {
		return err
	}
	end := fmt.Sprintf("sent and acknowledged: %s\n", console.CountOf(r.Sent, "record"))
	if n := r.Planned; !wrote && n > 0 {
		end = fmt.Sprintf("nothing was sent: --yes sends %s, at most %d a second\n", console.CountOf(n, "record"), rate)
	} else if !wrote {
		end = "nothing is to be sent\n"
	}
	return console.Printf(w, "%s%s", remedies.String(), end)
}

func (row *Row) stays() string {
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(row.Stay)) {
		parts = append(parts, fmt.Sprintf("%d %s", row.Stay[why], why))
	}
	return strings.Join(parts, ", ")
}
