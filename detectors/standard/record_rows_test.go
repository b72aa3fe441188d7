package standard_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/internal/golden"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// recordDomains returns the domains with record-answer pairs in testdata/records. Each pair was written together with its
// label, before the detectors could read such records.
func recordDomains() []string {
	return []string{"orders", "flights", "labs", "staff", "logs", "sports", "products", "weather", "contracts", "tickets"}
}

// heldRecords is the data set of the pairs that were not looked at while the detectors were written.
const heldRecords = "records-held"

func recordRows(t *testing.T, domain string) []schemas.Labelled {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "records", domain+".jsonl"))
	require.NoError(t, err)
	var rows []schemas.Labelled
	for line := range bytes.Lines(content) {
		var row schemas.Labelled
		require.NoError(t, schemasjson.DecodeLabelled(line, &row), "%s", line)
		rows = append(rows, row)
	}
	return rows
}

func TestRecordRowsAreSound(t *testing.T) {
	t.Parallel()
	ids, total := map[string]bool{}, 0
	for _, domain := range recordDomains() {
		rows := recordRows(t, domain)
		labels := [2]int{}
		for i := range rows {
			row := &rows[i]
			id := row.Interaction.ID
			require.False(t, ids[id], "%s twice", id)
			ids[id] = true
			require.Equal(t, domain, row.Task, id)
			require.True(t, strings.HasPrefix(id, row.Group+"/"), id)
			require.Len(t, row.Spans, row.Label, "a fault of %s, and only a fault, has a place", id)
			for _, s := range row.Spans {
				requireSpan(t, row, s)
			}
			labels[row.Label]++
		}
		require.GreaterOrEqual(t, min(labels[0], labels[1]), 19, domain)
		total += len(rows)
	}
	require.GreaterOrEqual(t, total, 300)
}

// recordTally counts the results of some pairs.
type recordTally struct {
	risk, facts []float64
	rows        []schemas.Labelled
	alerts      [2]int // by label: two or more detectors fired
	places      int    // faults whose first evidence of facts touches the labelled span
}

func (y *recordTally) add(row *schemas.Labelled, readings map[string]detectors.Reading) {
	fired := 0
	for name, r := range readings {
		if name != riskName && r.Outcome == schemas.Fired {
			fired++
		}
	}
	if fired >= 2 {
		y.alerts[row.Label]++
	}
	if row.Label == 1 && overlapsLabel(row, readings["facts"].Finding.Evidence) {
		y.places++
	}
	y.rows = append(y.rows, *row)
	y.risk = append(y.risk, readings[riskName].Finding.Score)
	y.facts = append(y.facts, readings["facts"].Finding.Score)
}

func (y *recordTally) faults() int {
	n := 0
	for i := range y.rows {
		n += y.rows[i].Label
	}
	return n
}

func (y *recordTally) line(name string) string {
	bad := y.faults()
	return fmt.Sprintf("%-16s %4d %6d %10.3f %11.3f %8d of %3d %12d of %3d %7d of %3d\n", name, len(y.rows), bad, auroc(y.risk, y.rows), auroc(y.facts, y.rows),
		y.alerts[1], bad, y.alerts[0], len(y.rows)-bad, y.places, bad)
}

// Bounds of the pairs: the ranking of the risk, and the share of good answers on which two detectors fire.
const (
	leastRecordAUROC = 0.55
	mostRecordAlerts = 0.01
)

// TestRecordQuality measures risk and facts on the pairs of each domain. Rows that a detector cannot measure rank lowest.
func TestRecordQuality(t *testing.T) {
	t.Parallel()
	suite := qualitySuite(t)
	parts := map[string]*recordTally{"all": {}, "seen": {}, "held out": {}}
	out := fmt.Sprintf("%-16s %4s %6s %10s %11s %15s %19s %14s\n", "", "rows", "faults", "AUROC risk", "AUROC facts", "faults alert", "good alert   ", "fault marked")
	for _, domain := range recordDomains() {
		y := &recordTally{}
		rows := recordRows(t, domain)
		for i := range rows {
			readings := evaluateRow(t, suite, &rows[i])
			half := "seen"
			if rows[i].Dataset == heldRecords {
				half = "held out"
			}
			for _, p := range []*recordTally{y, parts["all"], parts[half]} {
				p.add(&rows[i], readings)
			}
		}
		out += y.line(domain)
	}
	require.GreaterOrEqual(t, auroc(parts["all"].risk, parts["all"].rows), leastRecordAUROC)
	good := len(parts["all"].rows) - parts["all"].faults()
	require.LessOrEqual(t, float64(parts["all"].alerts[0]), mostRecordAlerts*float64(good), "good answers that alert")
	for _, part := range []string{"seen", "held out", "all"} {
		out += parts[part].line(part)
	}
	golden.Equal(t, "testdata/records.golden", out)
}
