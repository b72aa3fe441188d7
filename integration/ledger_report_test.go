//go:build integration

package integration

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// writeChaosReport replaces the report in a page, between the comments "rounds" and "/rounds".
func writeChaosReport(t *testing.T, page string, results []*RoundResult) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), "<!-- rounds -->\n")
	_, after, closed := strings.Cut(rest, "<!-- /rounds -->")
	require.True(t, found && closed, "%s has no place for the report", page)
	require.NoError(t, os.WriteFile(page, []byte(before+"<!-- rounds -->\n"+chaosTable(results)+"<!-- /rounds -->"+after), 0o600))
}

// chaosTable returns the sums of the rounds by mode of delivery, as Markdown.
func chaosTable(results []*RoundResult) string {
	sums := map[string]*chaosSum{}
	software := map[string]bool{}
	for _, r := range results {
		s := sums[r.Delivery]
		if s == nil {
			s = &chaosSum{faults: map[string]int{}}
			sums[r.Delivery] = s
		}
		s.add(r)
		software[r.Versions+", commit "+r.Commit] = true
	}
	modes := []string{deliveryName(false), deliveryName(true)}
	var out strings.Builder
	out.WriteString("| | at least once | exactly once |\n|---|---|---|\n")
	row := func(name string, cell func(*chaosSum) string) {
		fmt.Fprintf(&out, "| %s |", name)
		for _, mode := range modes {
			text := "–"
			if s := sums[mode]; s != nil {
				text = cell(s)
			}
			fmt.Fprintf(&out, " %s |", text)
		}
		out.WriteByte('\n')
	}
	count := func(name string, n func(*chaosSum) int) {
		row(name, func(s *chaosSum) string { return thousands(n(s)) })
	}
	row("seeds", func(s *chaosSum) string { return strings.Join(s.seeds, " ") })
	count("input records", func(s *chaosSum) int { return s.events })
	count("SIGKILL of a worker", func(s *chaosSum) int { return s.faults[string(Kill)] })
	count("faults under load", func(s *chaosSum) int { return s.hit })
	row("missing, extra, unaccounted", func(s *chaosSum) string { return s.lost() })
	row("repeats in `llm.incidents` and dead letters (after id)", func(s *chaosSum) string {
		return fmt.Sprintf("%s (%d)", thousands(s.detect.Duplicates), s.detect.AfterID)
	})
	row("repeats for each SIGKILL of a worker", func(s *chaosSum) string {
		return fmt.Sprintf("%.1f", float64(s.detect.Duplicates)/float64(max(1, s.faults[string(Kill)])))
	})
	row("sampled copies: without flag of the deep pass, repeats", func(s *chaosSum) string {
		return fmt.Sprintf("%d, %d", s.deep.Missing+s.deep.Unaccounted+s.copies.Unaccounted, s.copies.Duplicates)
	})
	row("alerts, in messages", func(s *chaosSum) string { return fmt.Sprintf("%s, %s", thousands(s.alerts), thousands(s.sent)) })
	row("messages, posts, marked as possible repeat", func(s *chaosSum) string {
		return fmt.Sprintf("%s, %s, %s", thousands(s.messages), thousands(s.posts), thousands(s.marked))
	})
	count("unmarked repeats", func(s *chaosSum) int { return s.unmarked })
	row("seconds until the lag of `detect` is 0: median, longest", func(s *chaosSum) string {
		slices.Sort(s.drains)
		return fmt.Sprintf("%.1f, %.1f", s.drains[len(s.drains)/2], s.drains[len(s.drains)-1])
	})
	count("workers that ended by themselves", func(s *chaosSum) int { return s.ended })
	fmt.Fprintf(&out, "\n%s.\n", strings.Join(slices.Sorted(maps.Keys(software)), "; "))
	return out.String()
}

// chaosSum is the sum of the rounds of a mode.
type chaosSum struct {
	events, hit, alerts, sent, messages, posts, marked, unmarked, ended int

	seeds                []string // of the rounds
	faults               map[string]int
	detect, copies, deep AuditResult
	drains               []float64
}

func (s *chaosSum) add(r *RoundResult) {
	s.seeds = append(s.seeds, strconv.FormatUint(r.Seed, 10))
	s.events += r.Events
	s.hit += r.Hit
	s.alerts += r.Alerts
	s.sent += r.Slack.Incidents
	s.messages += r.Slack.Messages
	s.posts += r.Slack.Posts
	s.marked += r.Slack.Marked
	s.unmarked += r.Slack.Unmarked
	s.ended += len(r.Ended)
	s.drains = append(s.drains, r.Drain)
	for kind, n := range r.Faults {
		s.faults[kind] += n
	}
	s.detect.add(&r.Detect)
	s.copies.add(&r.Copies)
	s.deep.add(&r.Deep)
}

func (s *chaosSum) lost() string {
	return fmt.Sprintf("%d, %d, %d", s.detect.Missing, s.detect.Extra, s.detect.Unaccounted)
}

func (v *AuditResult) add(other *AuditResult) {
	v.Missing += other.Missing
	v.Extra += other.Extra
	v.Unaccounted += other.Unaccounted
	v.Duplicates += other.Duplicates
	v.AfterID += other.AfterID
}

// thousands writes 1234567 as 1,234,567.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
