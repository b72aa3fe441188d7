package lab_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

const answer = "The lease runs until 30 June 2026 if the deposit of 1,250 euros is paid [1]. Mirela Stan signs before the handover with Benedikt Auer [2].\n" +
	"- All 40 visitors must enter at 14:30 or at 16:45, and the größte Halle is open [2]."

// plant runs plant.py on interactions; twice, since the same rows must give the same file.
func plant(t *testing.T, lines ...string) (rows []schemas.Labelled) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in.jsonl")
	require.NoError(t, os.WriteFile(in, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	var files [2][]byte
	for i := range files {
		out := filepath.Join(dir, "out.jsonl")
		text, err := exec.CommandContext(t.Context(), python, "-B", "plant.py", "--variants", "40", in, out).CombinedOutput()
		require.NoError(t, err, string(text))
		files[i], err = os.ReadFile(out)
		require.NoError(t, err)
	}
	require.Equal(t, string(files[0]), string(files[1]))
	for line := range bytes.Lines(files[0]) {
		var r schemas.Labelled
		require.NoError(t, json.Unmarshal(line, &r))
		rows = append(rows, r)
	}
	return rows
}

func interaction(t *testing.T, id string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"interaction_id": id, "answer": answer, "sources": []map[string]string{
		{"id": "1", "text": "Deposit: 1,250 euros, or 2,300 euros for the hall. The lease ends on 30 June 2026."},
		{"id": "2", "text": "On Friday Mirela Stan and the director Benedikt Auer meet Loretta Finch. Doors open at 14:30, 16:45 and 18:00 for 40 or 65 visitors."},
	}})
	require.NoError(t, err)
	return string(text)
}

// Each variant differs from the right answer in its span only, or lacks something in the claim that the span marks.
func TestPlantedFaults(t *testing.T) {
	rows := plant(t, interaction(t, "a"), interaction(t, "b"), `{"label": 1, "interaction": `+interaction(t, "wrong")+`}`)
	kinds, right := map[string]bool{}, 0
	for i := range rows {
		r := &rows[i]
		require.NotContains(t, r.Interaction.ID, "wrong")
		if r.Label == 0 {
			require.Equal(t, answer, r.Interaction.Answer)
			right++
			continue
		}
		require.Len(t, r.Spans, 1)
		s, got := r.Spans[0], r.Interaction.Answer
		kinds[s.Type] = true
		require.NotEqual(t, answer, got)
		require.True(t, 0 <= s.Start && s.Start < s.End && s.End <= len(got), "%+v", s)
		require.True(t, strings.HasPrefix(answer, got[:s.Start]), "%s: %s", s.Type, got)
		require.True(t, strings.HasSuffix(answer, got[s.End:]), "%s: %s", s.Type, got)
	}
	require.Equal(t, 2, right)
	for _, kind := range []string{
		"figure_other", "figure_digit", "figures_swapped", "day", "time_other", "name_other", "names_swapped", "cue", "opposite",
		"condition_dropped", "tail_of_other_claim", "citation_moved",
	} {
		require.Contains(t, kinds, kind)
	}
}

// Answers on records get faults of records: another record's value, another field's, a turned yes or no, a wrong count.
func TestPlantedRecordFaults(t *testing.T) {
	source := `[{"order_id": "A-11", "status": "in_transit", "items": 13, "total_usd": 29, "gift": false}, {"order_id": "A-12", "status": "delivered", "items": 17, "total_usd": 19, "gift": true}]`
	text, err := json.Marshal(map[string]any{
		"interaction_id": "orders", "sources": []map[string]string{{"id": "1", "text": source}},
		"answer": "Of the three orders A-11 has 13 items, costs 29 dollars and is in transit.\nOrder A-12 is a gift with 17 items for 19 dollars.",
	})
	require.NoError(t, err)
	kinds := map[string]bool{}
	for _, r := range plant(t, string(text)) {
		for _, s := range r.Spans {
			kinds[s.Type] = true
		}
	}
	for _, kind := range []string{"value_of_other_record", "value_of_other_field", "flag_turned", "count_off"} {
		require.Contains(t, kinds, kind)
	}
}
