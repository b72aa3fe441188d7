package standard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/internal/golden"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// everydayRow is an answer as people and models write them, of testdata/everyday: right or empty of facts, or with one fault
// in the midst of polite text. Rows of the splits held-out and final are not read when rules are written, their figures are;
// those of fresh were measured once before.
type everydayRow struct {
	schemas.Labelled
	language, split string
	figures         bool // it calculates, or converts units or clocks
}

func everydayRows(t *testing.T) []everydayRow {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "everyday", "*.jsonl"))
	require.NoError(t, err)
	var all []everydayRow
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range bytes.Lines(content) {
			var facts struct {
				Meta struct{ Language, Split, Needs string } `json:"meta"`
			}
			require.NoError(t, json.Unmarshal(line, &facts))
			one := everydayRow{language: facts.Meta.Language, split: facts.Meta.Split, figures: facts.Meta.Needs == "figures"}
			require.NoError(t, schemasjson.DecodeLabelled(line, &one.Labelled))
			all = append(all, one)
		}
	}
	return all
}

// TestEverydayRowsAreSound requires enough rows, in five languages, whose groups are in one split.
func TestEverydayRowsAreSound(t *testing.T) {
	t.Parallel()
	ids, splits, sources := map[string]bool{}, map[string]string{}, map[string]bool{}
	right, wrong, languages := 0, 0, map[string]int{}
	for _, row := range everydayRows(t) {
		id := row.Interaction.ID
		require.False(t, ids[id], "%s twice", id)
		ids[id] = true
		require.Contains(t, []string{"dev", "held-out", "fresh", "final"}, row.split, id)
		require.Contains(t, []string{"", row.split}, splits[row.Group], "a group has one split")
		splits[row.Group] = row.split
		for _, s := range row.Interaction.Sources {
			sources[s.Text] = true
		}
		require.Equal(t, row.Label == 1, strings.Contains(id, "/faulty-"), id)
		if row.Label == 1 {
			wrong++
			continue
		}
		right++
		languages[row.language]++
	}
	require.GreaterOrEqual(t, right, 400)
	require.GreaterOrEqual(t, wrong, 150)
	require.GreaterOrEqual(t, len(sources), 120)
	for _, language := range []string{"en", "de", "es", "fr", "zh"} {
		require.GreaterOrEqual(t, languages[language], 40, language)
	}
}

// everydayTally counts the outcomes of one split or language by label.
type everydayTally struct {
	n, fired, both [2]int // both: two or more, which is an alert
	rules          [2]map[string]int
	ids            [2][]string // of good answers that fire, of good answers that alert
	missed         []string
}

func (y *everydayTally) add(row *everydayRow, readings map[string]detectors.Reading) {
	y.n[row.Label]++
	fired := 0
	for _, name := range slices.Sorted(maps.Keys(readings)) {
		if name == riskName || readings[name].Outcome != schemas.Fired {
			continue
		}
		fired++
		if y.rules[row.Label] == nil {
			y.rules[row.Label] = map[string]int{}
		}
		y.rules[row.Label][name]++
	}
	if fired > 0 {
		y.fired[row.Label]++
	}
	if fired > 1 {
		y.both[row.Label]++
	}
	switch {
	case row.Label == 1 && fired == 0:
		y.missed = append(y.missed, row.Interaction.ID)
	case row.Label == 0 && fired > 1:
		y.ids[1] = append(y.ids[1], row.Interaction.ID)
	case row.Label == 0 && fired > 0:
		y.ids[0] = append(y.ids[0], row.Interaction.ID)
	}
}

func (y *everydayTally) line(name string) string {
	share := func(part [2]int, label int) string {
		return fmt.Sprintf("%.3f", float64(part[label])/float64(max(1, y.n[label])))
	}
	return fmt.Sprintf("%-17s %5d %6s %6s | %5d %6s %6s | %v %v\n", name, y.n[0], share(y.fired, 0), share(y.both, 0),
		y.n[1], share(y.fired, 1), share(y.both, 1), y.rules[0], y.rules[1])
}

// TestEveryday bounds the share of everyday answers that alert under the default rule, and records what is found among the
// faulty ones with them, so that rules which silence everything are seen.
func TestEveryday(t *testing.T) {
	t.Parallel()
	suite := qualitySuite(t)
	tallies := map[string]*everydayTally{}
	for _, row := range everydayRows(t) {
		readings := evaluateRow(t, suite, &row.Labelled)
		kind := "text"
		if row.figures {
			kind = "figures"
		}
		for _, key := range []string{row.split, row.split + "/" + row.language, row.split + "/" + kind} {
			if tallies[key] == nil {
				tallies[key] = &everydayTally{}
			}
			tallies[key].add(&row, readings)
		}
	}
	const maxAlerts, maxFired = 0.01, 0.06
	for _, split := range []string{"dev", "held-out", "fresh"} {
		y := tallies[split]
		require.LessOrEqual(t, float64(y.both[0])/float64(y.n[0]), maxAlerts, "%v", y.ids[1])
		require.LessOrEqual(t, float64(y.fired[0])/float64(y.n[0]), maxFired, "%v", y.ids[0])
	}
	var out strings.Builder
	out.WriteString("share of answers on which something fires, and two or more, which is an alert; figures: rows that calculate or convert\n")
	fmt.Fprintf(&out, "%-17s %5s %6s %6s | %5s %6s %6s | %s\n", "split", "good", "fired", "two", "bad", "fired", "two", "by detector: good, bad")
	for _, key := range slices.Sorted(maps.Keys(tallies)) {
		out.WriteString(tallies[key].line(key))
	}
	dev := tallies["dev"]
	writeIDs(&out, "dev, good answers that alert", dev.ids[1])
	writeIDs(&out, "dev, good answers that fire", dev.ids[0])
	writeIDs(&out, "dev, faults that nothing finds", dev.missed)
	golden.Equal(t, "testdata/everyday.golden", out.String())
}
