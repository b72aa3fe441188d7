package incidents

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"confab/internal/console"
	"confab/schemas"
)

// ShowSilences shows the silences that have not ended, the first to end first; with all, also those that have ended.
func ShowSilences(ctx context.Context, w io.Writer, o SilenceOptions, all, asJSON bool) error {
	kept, _, err := o.read(ctx)
	if err != nil {
		return err
	}
	now := o.Now()
	if !all {
		kept = slices.DeleteFunc(kept, func(k StoredSilence) bool { return !now.Before(k.Until) })
	}
	if asJSON {
		return writeSilences(w, kept, now)
	}
	return printSilences(w, kept, now)
}

// printSilences prints silences as a table.
func printSilences(w io.Writer, kept []StoredSilence, now time.Time) error {
	if len(kept) == 0 {
		return console.Printf(w, "no silences\n")
	}
	t := console.NewTable(table.Row{"id", "state", "until", "what", "by", "comment"})
	t.Style().Format.Header = text.FormatDefault
	for i := range kept {
		k := &kept[i]
		state := "ended"
		if k.Active(now) {
			state = "active"
		} else if now.Before(k.From) {
			state = "to come"
		}
		t.AppendRow(table.Row{console.Sanitize(k.ID), state, k.Until.UTC().Format(time.RFC3339), describeSilence(&k.Silence), console.Sanitize(k.User), console.Sanitize(k.Comment)})
	}
	return console.PrintTable(w, t)
}

// writeSilences writes silences as JSON Lines.
func writeSilences(w io.Writer, kept []StoredSilence, now time.Time) error {
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for i := range kept {
		line := struct {
			*schemas.Silence
			Active bool `json:"active"`
		}{&kept[i].Silence, kept[i].Active(now)}
		if err := lines.Encode(line); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}

// describeSilence describes the matchers of a silence.
func describeSilence(s *schemas.Silence) string {
	if s.Group != "" {
		return "group " + console.Sanitize(s.Group)
	}
	m := &s.Matchers
	var parts []string
	for _, p := range [...]struct{ name, value string }{
		{"tenant", m.Tenant},
		{"service", m.Service},
		{"operation", m.Operation},
		{"provider", m.Provider},
		{"model", m.Model},
		{"detectors", strings.Join(m.Detectors, " + ")},
	} {
		if p.value != "" {
			parts = append(parts, p.name+" "+console.Sanitize(p.value))
		}
	}
	return strings.Join(parts, ", ")
}
