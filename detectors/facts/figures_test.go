package facts

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/schemas"
)

// figurePair is a source, an answer, and whether the source supports the figures of the answer.
type figurePair struct {
	line           int
	ok             bool
	source, answer string
}

func figurePairs(t testing.TB) (pairs []figurePair) {
	t.Helper()
	data, err := os.ReadFile("testdata/figures.txt")
	require.NoError(t, err)
	for i, line := range strings.Split(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.Split(line, " | ")
		require.Len(t, parts, 3, "line %d", i+1)
		pairs = append(pairs, figurePair{i + 1, parts[0] == "ok", strings.ReplaceAll(parts[1], `\n`, "\n"), parts[2]})
	}
	return pairs
}

// TestFigurePairs checks that right arithmetic and conversions are supported and that wrong ones are found.
func TestFigurePairs(t *testing.T) {
	wrong := map[bool]int{}
	pairs := figurePairs(t)
	require.GreaterOrEqual(t, len(pairs), 250)
	for _, p := range pairs {
		t.Run(fmt.Sprintf("line %d", p.line), func(t *testing.T) {
			var doc detectors.Document
			doc.Reset(&schemas.Interaction{Answer: p.answer, Sources: []schemas.Source{{ID: "1", Text: p.source}}})
			var found []string
			for _, f := range Findings(&doc) {
				if f.Kind == figureindex.Number || f.Kind == figureindex.Date || f.Kind == figureindex.Weak && !p.ok {
					found = append(found, doc.Answer()[f.Start:f.End])
				}
			}
			if p.ok != (len(found) == 0) {
				wrong[p.ok]++
				t.Errorf("supported: %t, found %q in %q by %q", p.ok, found, p.answer, p.source)
			}
		})
	}
	t.Logf("%d pairs, false alarms %d, missed %d", len(pairs), wrong[true], wrong[false])
}

// FuzzFactsOfFigures checks answers and sources that share pieces.
func FuzzFactsOfFigures(f *testing.F) {
	for _, p := range figurePairs(f) {
		f.Add(p.source, p.answer)
	}
	f.Fuzz(func(t *testing.T, source, answer string) {
		var doc detectors.Document
		doc.Reset(&schemas.Interaction{Answer: answer, Sources: []schemas.Source{{ID: "1", Text: source}, {ID: "2", Text: answer[:len(answer)/2]}}})
		for _, g := range Findings(&doc) {
			require.True(t, 0 <= g.Start && g.Start <= g.End && int(g.End) <= len(doc.Answer()))
		}
	})
}
