package tune

import (
	"io"
	"slices"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/console"
	"confab/internal/worker/tuning"
)

// ShowVersions prints the versions of the calibration that are kept, and what the last refit did. applied is the version that workers
// with this configuration have; nil for none.
func ShowVersions(w io.Writer, s *tuning.State, applied *tuning.Version) error {
	current, pending := s.Current(), s.Pending()
	t := console.NewTable(table.Row{"version", "made", "state", "changes"})
	for _, v := range s.List() {
		state := ""
		switch v {
		case current:
			if state = "in force"; applied == nil {
				state = "chosen, but made from another calibration file or model"
			}
		case pending:
			state = "proposed"
		}
		what := ""
		if len(v.Words) > 0 {
			what = v.Words[0]
		}
		t.AppendRow(table.Row{console.Sanitize(v.ID), v.At.UTC().Format(time.DateOnly), state, console.Sanitize(what)})
	}
	if len(s.Versions) > 0 {
		if err := console.PrintTable(w, t); err != nil {
			return err
		}
	}
	if applied == nil {
		if err := console.Printf(w, "the calibration file is in force\n"); err != nil {
			return err
		}
	}
	if s.Refit.Outcome == "" {
		return console.Printf(w, "no refit yet\n")
	}
	lines := slices.Clone(s.Refit.Words)
	if err := console.Printf(w, "last refit, %s: %s\n", s.Refit.At.UTC().Format(time.RFC3339), s.Refit.Outcome); err != nil {
		return err
	}
	for _, line := range lines {
		if err := console.Printf(w, "  %s\n", console.Sanitize(line)); err != nil {
			return err
		}
	}
	return nil
}
