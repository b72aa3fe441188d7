package confab_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors"
	"confab/internal/golden"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

const multilingualRows = "detectors/standard/testdata/multilingual"

// multilingualSets returns the files of testdata/multilingual with their names in docs/languages.md. The first five have the
// same sixteen topics, so that English is the control; the rows of cross answer in another language than their sources.
func multilingualSets() [][2]string {
	return [][2]string{{"en", "English (control)"}, {"de", "German"}, {"es", "Spanish"}, {"fr", "French"}, {"zh", "Chinese"}, {"cross", "other than the sources"}}
}

// multilingualRow is a right answer, or one with a single fault. Topics with odd numbers are of the split dev. Rows of the
// split held-out are not read while rules are written.
type multilingualRow struct {
	schemas.Labelled
	Meta struct {
		Split, Language, Kind string
		Source                string `json:"source_language"`
	} `json:"meta"`
}

func readMultilingual(t *testing.T, set string) []multilingualRow {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(multilingualRows, set+".jsonl"))
	require.NoError(t, err)
	var rows []multilingualRow
	for line := range bytes.Lines(content) {
		var row multilingualRow
		require.NoError(t, json.Unmarshal(line, &row))
		require.NoError(t, schemasjson.DecodeLabelled(line, &row.Labelled), "%s", line)
		rows = append(rows, row)
	}
	return rows
}

func TestMultilingualRowsAreSound(t *testing.T) {
	t.Parallel()
	ids, splits, sources := map[string]bool{}, map[string]string{}, map[string]string{}
	faults := []string{"figure", "name", "date", "negation", "invented", "role"}
	for _, set := range multilingualSets() {
		counts := map[string][2]int{}
		for _, row := range readMultilingual(t, set[0]) {
			id := row.Interaction.ID
			require.False(t, ids[id], "%s twice", id)
			ids[id] = true
			require.True(t, strings.HasPrefix(id, row.Group+"/"), id)
			require.Contains(t, []string{"", row.Meta.Split}, splits[row.Group], "a group has one split")
			splits[row.Group] = row.Meta.Split
			for _, s := range row.Interaction.Sources {
				if set[0] != "cross" {
					require.Contains(t, []string{"", row.Meta.Split}, sources[s.Text], "a source has one split")
				}
				sources[s.Text] = row.Meta.Split
			}
			require.Equal(t, row.Label == 1, slices.Contains(faults, row.Meta.Kind), id)
			require.Equal(t, set[0] == "cross", row.Meta.Source != "" && row.Meta.Source != row.Meta.Language, id)
			n := counts[row.Meta.Split]
			n[row.Label]++
			counts[row.Meta.Split] = n
		}
		require.Len(t, counts, 2, "dev and held-out")
		for split, n := range counts {
			require.GreaterOrEqual(t, min(n[0], n[1]), 16, "%s %s", set[0], split)
			require.InDelta(t, n[0], n[1], 2, "half of them are wrong")
		}
	}
}

// multilingualTally counts the verdicts on one set.
type multilingualTally struct {
	n, fired, alerts [2]int // by label
	unchecked        int    // rows that grounding cannot check
	byDetector       [2]map[string]int
	risks            [2][]float64
	good, missed     []string // ids of good answers that fire, and of faults on which nothing fires
}

func (y *multilingualTally) add(row *multilingualRow, f *schemas.Flag) {
	label := row.Label
	y.n[label]++
	risk := math.Inf(-1) // unmeasured rows rank lowest
	if f.Risk != nil {
		risk = *f.Risk
	}
	y.risks[label] = append(y.risks[label], risk)
	if f.Alert {
		y.alerts[label]++
	}
	for i := range f.Signals {
		if s := &f.Signals[i]; s.Detector == "grounding" && s.Outcome == schemas.NotCheckable {
			y.unchecked++
		}
	}
	for _, name := range f.Fired {
		if y.byDetector[label] == nil {
			y.byDetector[label] = map[string]int{}
		}
		y.byDetector[label][name]++
	}
	switch fired := len(f.Fired) > 0; {
	case fired:
		y.fired[label]++
		if label == 0 {
			y.good = append(y.good, row.Interaction.ID)
		}
	case label == 1:
		y.missed = append(y.missed, row.Interaction.ID)
	}
}

// ranking returns the AUROC of the risk, and the share of faults above the risk that at most 5 % of good answers exceed.
func (y *multilingualTally) ranking() (area, recall float64) {
	for _, bad := range y.risks[1] {
		above := 0
		for _, good := range y.risks[0] {
			switch {
			case bad > good:
				area++
			case bad == good:
				area += 0.5
			}
			if good >= bad {
				above++
			}
		}
		if float64(above) <= 0.05*float64(y.n[0]) {
			recall++
		}
	}
	return area / float64(y.n[0]*y.n[1]), recall / float64(y.n[1])
}

// figures returns the columns of docs/languages.md.
func (y *multilingualTally) figures() []string {
	area, recall := y.ranking()
	list := []float64{area, recall}
	for _, counts := range [][2]int{y.fired, y.alerts} {
		list = append(list, float64(counts[0])/float64(y.n[0]), float64(counts[1])/float64(y.n[1]))
	}
	list = append(list, float64(y.unchecked)/float64(y.n[0]+y.n[1]))
	var texts []string
	for _, v := range list {
		texts = append(texts, strings.TrimPrefix(fmt.Sprintf("%.2f", v), "0"))
	}
	return texts
}

// TestMultilingual checks the table of docs/languages.md on verdicts under the default alert rule.
func TestMultilingual(t *testing.T) {
	t.Parallel()
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	const columns = "%-6s %-9s %4d %6s %10s %10s %9s %11s %10s %9s  %v %v\n"
	out := "set    split     rows  AUROC recall_at5 good_fired bad_fired good_alert bad_alert unchecked  fired: good, bad\n"
	lists := ""
	var documented []string
	for _, set := range multilingualSets() {
		tallies := map[string]*multilingualTally{"dev": {}, "held-out": {}}
		for _, row := range readMultilingual(t, set[0]) {
			f := e.Evaluate(t.Context(), &row.Interaction, schemas.Origin{}, time.Unix(0, 0))
			tallies[row.Meta.Split].add(&row, &f)
		}
		for _, split := range []string{"dev", "held-out"} {
			y := tallies[split]
			v := y.figures()
			out += fmt.Sprintf(columns, set[0], split, y.n[0]+y.n[1], v[0], v[1], v[2], v[3], v[4], v[5], v[6], y.byDetector[0], y.byDetector[1])
		}
		documented = append(documented, documentedVerdicts(set[1], tallies["dev"].figures(), tallies["held-out"].figures()))
		lists += fmt.Sprintf("%s, dev: good answers that fire: %s; faults that nothing finds: %s\n", set[0],
			strings.Join(tallies["dev"].good, ", "), strings.Join(tallies["dev"].missed, ", "))
	}
	golden.Equal(t, filepath.Join(filepath.Dir(multilingualRows), "multilingual.golden"), out+lists)
	page, err := os.ReadFile("docs/languages.md")
	require.NoError(t, err)
	for _, row := range documented {
		require.Contains(t, string(page), row)
	}
}

// documentedVerdicts returns the row of a set: each figure of the half dev and of the half held-out.
func documentedVerdicts(name string, dev, held []string) string {
	row := "| " + name
	for i := range dev {
		row += " | " + dev[i] + "/" + held[i]
	}
	return row + " |"
}
