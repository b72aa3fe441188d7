package standard_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// qualityTheme is one file of invented interactions in testdata/quality.
type qualityTheme struct {
	name string
	rows []schemas.Labelled
}

func qualityThemes(t *testing.T) []qualityTheme {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "quality", "*.jsonl"))
	require.NoError(t, err)
	var all []qualityTheme
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.LessOrEqual(t, len(content), 30<<10, "%s: split the theme", file)
		one := qualityTheme{name: strings.TrimSuffix(filepath.Base(file), ".jsonl")}
		for line := range bytes.Lines(content) {
			var row schemas.Labelled
			require.NoError(t, schemasjson.DecodeLabelled(line, &row), "%s", line)
			one.rows = append(one.rows, row)
		}
		all = append(all, one)
	}
	return all
}

// TestQualityRowsAreSound requires a span of whole words for each fault.
func TestQualityRowsAreSound(t *testing.T) {
	t.Parallel()
	ids, groups, types, total := map[string]bool{}, map[string]string{}, map[string]bool{}, 0
	for _, th := range qualityThemes(t) {
		labels := [2]int{}
		for i := range th.rows {
			row := &th.rows[i]
			id := row.Interaction.ID
			require.True(t, strings.HasPrefix(id, th.name+"/"), id)
			require.False(t, ids[id], "%s twice", id)
			ids[id] = true
			require.True(t, row.Labelled, id)
			require.Equal(t, "own", row.Dataset, id)
			require.NotEmpty(t, row.Task, id)
			require.True(t, strings.HasPrefix(id, row.Group+"/"), "the group of %s", id)
			require.Contains(t, []string{"", th.name}, groups[row.Group], "a group has one theme")
			groups[row.Group] = th.name
			labels[row.Label]++
			require.Equal(t, row.Label == 1, len(row.Spans) > 0, "a fault of %s, and only a fault, has a place", id)
			for _, s := range row.Spans {
				requireSpan(t, row, s)
				types[s.Type] = true
			}
		}
		require.Positive(t, labels[0], th.name)
		require.Positive(t, labels[1], th.name)
		total += len(th.rows)
	}
	require.GreaterOrEqual(t, total, 150)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "detectors.md"))
	require.NoError(t, err)
	require.Contains(t, string(page), fmt.Sprintf("holds %d invented interactions", total))
	for _, one := range []schemas.SignalType{
		schemas.Factual, schemas.Fabrication, schemas.Attribution, schemas.Temporal,
		schemas.Technical, schemas.Logical, schemas.Format, schemas.Confidence,
	} {
		require.True(t, types[string(one)], "no fault of type %s", one)
		delete(types, string(one))
	}
	require.Empty(t, types, "no types of a signal")
}

// requireSpan requires that the span contains text and splits no word.
func requireSpan(t *testing.T, row *schemas.Labelled, s schemas.Span) {
	t.Helper()
	answer, id := row.Interaction.Answer, row.Interaction.ID
	require.Less(t, s.Start, s.End, id)
	require.LessOrEqual(t, s.End, len(answer), id)
	fault := answer[s.Start:s.End]
	require.True(t, utf8.ValidString(fault), id)
	require.Equal(t, strings.TrimSpace(fault), fault, id)
	joined := func(i int) bool {
		word := func(c byte) bool { return c >= 0x80 || strings.IndexByte("_ \"'`.,:;!?()[]{}\n", c) < 0 }
		return i > 0 && i < len(answer) && word(answer[i-1]) && word(answer[i])
	}
	require.False(t, joined(s.Start) || joined(s.End), "%s: %q is no whole words", id, fault)
}
