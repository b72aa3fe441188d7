package tune

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/console"
	"confab/internal/worker/tuning"
)

// ShowVersions prints the versions of the calibration that are kept, and what the last refit did. applied is the version that workers
// with this configuration have; nil for none.
func ShowVersions(w io.Writer, s *tuning.State, applied *tuning.Version) error {
	t := console.NewTable(table.Row{"version", "made", "state", "changes"})
	for _, v := range s.List() {
		what := ""
		if len(v.Words) > 0 {
			what = v.Words[0]
		}
		t.AppendRow(table.Row{console.Sanitize(v.ID), v.At.UTC().Format(time.DateOnly), versionState(s, v, applied), console.Sanitize(what)})
	}
	var b strings.Builder
	if len(s.Versions) > 0 {
		b.WriteString(console.FitTable(t, console.Columns(w)) + "\n")
	}
	if applied == nil {
		b.WriteString("the calibration file is in force\n")
	}
	if last := s.Refit; last.Outcome == "" {
		b.WriteString("no refit yet\n")
	} else {
		fmt.Fprintf(&b, "last refit, %s: %s\n", last.At.UTC().Format(time.RFC3339), console.Sanitize(string(last.Outcome)))
		for _, line := range last.Words {
			b.WriteString("  " + console.Sanitize(line) + "\n")
		}
	}
	return console.Printf(w, "%s", b.String())
}

// ShowChoice says what a choice put in force.
func ShowChoice(w io.Writer, s *tuning.State, applied *tuning.Version) error {
	switch id := console.Sanitize(s.InForce.Version); {
	case id == "":
		return console.Printf(w, "the calibration file is in force now: workers follow within seconds\n")
	case applied == nil:
		return console.Printf(w, "%s is chosen, but was made from another calibration file or model than the configured ones: workers with these keep the file\n", id)
	default:
		return console.Printf(w, "%s is in force now: workers follow within seconds\n", id)
	}
}

func versionState(s *tuning.State, v, applied *tuning.Version) string {
	switch {
	case v == s.Current() && applied == nil:
		return "chosen, but made from another calibration file or model"
	case v == s.Current():
		return "in force"
	case v == s.Pending():
		return "proposed"
	}
	return ""
}
