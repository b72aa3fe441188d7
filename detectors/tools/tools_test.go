package tools

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/golden"
	"confab/internal/hostile"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

const threshold = .6 // of the shipped calibration

// eachTurn reads the rows of a file of the corpus.
func eachTurn(t testing.TB, file string, f func(row *schemas.Labelled)) {
	t.Helper()
	content, err := os.ReadFile("testdata/" + file)
	require.NoError(t, err)
	for line := range bytes.Lines(content) {
		var row schemas.Labelled
		require.NoError(t, schemasjson.DecodeLabelled(line, &row))
		f(&row)
	}
}

// measure counts the turns of a file on which each rule fires, by kind of fault; "" is a right turn.
func measure(t *testing.T, file string) (table string, falseAlarms, right int) {
	t.Helper()
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	rules := []string{"any"}
	for _, r := range Rules() {
		rules = append(rules, r.ID)
	}
	turns, fired := map[string]int{}, map[string]int{}
	eachTurn(t, file, func(row *schemas.Labelled) {
		turns[row.Kind]++
		f, _ := detectortest.Detect(t, d, &row.Interaction)
		seen := map[string]bool{"any": f.Score >= threshold}
		for _, e := range f.Evidence {
			seen[e.Rule] = true
		}
		for rule, is := range seen {
			if is {
				fired[rule+row.Kind]++
			}
		}
	})
	var b strings.Builder
	b.WriteString("| fault | turns | " + strings.Join(rules, " | ") + " |\n|---" + strings.Repeat("|---:", len(rules)+1) + "|\n")
	kinds := []string{}
	for kind := range turns {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	for _, kind := range kinds {
		name := kind
		if kind == "" {
			name = "none"
		}
		fmt.Fprintf(&b, "| %s | %d |", name, turns[kind])
		for _, r := range rules {
			fmt.Fprintf(&b, " %d |", fired[r+kind])
		}
		b.WriteByte('\n')
	}
	return b.String(), fired["any"], turns[""]
}

// TestMeasured holds what each rule finds among the turns that the rules were chosen on.
func TestMeasured(t *testing.T) {
	t.Parallel()
	table, alarms, right := measure(t, "turns.train.jsonl")
	require.LessOrEqual(t, alarms*100, right, "right turns that are accused")
	golden.Equal(t, "testdata/train.golden", table)
}

// TestUnseen holds what the rules find among turns that nothing was chosen on.
func TestUnseen(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"test", "sealed"} {
		table, _, _ := measure(t, "turns."+part+".jsonl")
		t.Logf("%s\n%s", part, table)
		golden.Equal(t, "testdata/"+part+".golden", table)
	}
}

// Without tools and calls nothing is read.
func TestNoTools(t *testing.T) {
	t.Parallel()
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	f, doc := detectortest.Detect(t, d, &schemas.Interaction{Answer: "I've booked it."})
	require.Equal(t, reasonNoTools, f.NotCheckable)
	require.Zero(t, doc.Work().Spent())
}

// A fault of a call names it.
func TestCallIsNamed(t *testing.T) {
	t.Parallel()
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	f, _ := detectortest.Detect(t, d, &schemas.Interaction{Tools: []schemas.Tool{{Name: "a"}}, Calls: []schemas.ToolCall{{ID: "c1", Name: "b"}}})
	require.Equal(t, "c1", f.Evidence[0].CallID)
	require.Equal(t, schemas.NoPlace, f.Evidence[0].Start)
}

// TestHostileRecords: no kind of hostile record takes more than a part of the budget.
func TestHostileRecords(t *testing.T) {
	t.Parallel()
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	for _, k := range hostile.Kinds() {
		in := k.Record(k.Full/8, 0).Interaction
		in.Tools = []schemas.Tool{{Name: "find"}}
		for _, s := range in.Sources {
			in.Calls = append(in.Calls, schemas.ToolCall{Name: "find", Arguments: s.Text, Result: s.Text})
		}
		in.Calls = append(in.Calls, schemas.ToolCall{Name: "find", Result: in.Answer})
		_, doc := detectortest.Detect(t, d, &in)
		require.LessOrEqual(t, doc.Work().Spent(), int64(detectors.MaxWork/2), k.Name)
	}
}

// BenchmarkTools is the cost of one turn of the corpus, with the reading of its answer.
func BenchmarkTools(b *testing.B) {
	d, err := New(Options{}, newValidator)
	require.NoError(b, err)
	var rows []*schemas.Interaction
	eachTurn(b, "turns.train.jsonl", func(row *schemas.Labelled) { rows = append(rows, &row.Interaction) })
	var doc detectors.Document
	i := 0
	for b.Loop() {
		doc.Reset(rows[i%len(rows)])
		_, err := d.Detect(b.Context(), &doc)
		require.NoError(b, err)
		i++
	}
}
