package tools

import (
	"bytes"
	"fmt"
	"os"
	"sort"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/detectortest"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

func TestZZ(t *testing.T) {
	content, err := os.ReadFile("testdata/turns.train.jsonl")
	require.NoError(t, err)
	d, err := New(Options{}, newValidator)
	require.NoError(t, err)
	type cell map[string]int
	rules := map[string]cell{}
	kinds := map[string][2]int{}
	fp := 0
	for line := range bytes.Lines(content) {
		var row schemas.Labelled
		require.NoError(t, schemasjson.DecodeLabelled(line, &row))
		kind := row.Kind
		f, _ := detectortest.Detect(t, d, &row.Interaction)
		n := kinds[kind]
		n[1]++
		fired := f.Score >= .6
		if fired {
			n[0]++
		}
		kinds[kind] = n
		if row.Label == 0 && fired {
			fp++
		}
		for _, e := range f.Evidence {
			if rules[e.Rule] == nil {
				rules[e.Rule] = cell{}
			}
			rules[e.Rule][kind]++
			if kind == "" || os.Getenv("V") != "" {
				fmt.Printf("%s %s [%s] %s | %s | says %s | %s\n", row.Interaction.ID, kind, e.Rule, e.Note, e.CallID, e.Says, row.Interaction.Answer)
			}
		}
		if kind != "" && !fired {
			fmt.Printf("MISS %s %s | %s\n", kind, row.Interaction.ID, row.Interaction.Answer)
		}
	}
	fmt.Println("false", fp)
	var names []string
	all := [2]int{}
	for k, n := range kinds {
		names = append(names, fmt.Sprintf("%-20s %d/%d", k, n[0], n[1]))
		if k != "" {
			all[0] += n[0]
			all[1] += n[1]
		}
	}
	sort.Strings(names)
	for _, s := range names {
		fmt.Println(s)
	}
	fmt.Println("all", all)
	for r, c := range rules {
		fmt.Println(r, c)
	}
}
