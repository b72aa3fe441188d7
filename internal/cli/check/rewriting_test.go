package check

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/rewrite"
)

const rewriteInput = `{"interaction_id":"a","answer":"The pass is open.","sources":[{"id":"s","text":"The pass is open."}]}
{"interaction_id":"b","answer":"Write to anna.lang@example.org. The pass opened in 1937.","sources":[{"id":"s","text":"other"}]}
`

// rewrittenRow is a row of the output.
type rewrittenRow struct {
	InteractionID string          `json:"interaction_id"`
	Rewrite       *rewrite.Result `json:"rewrite"`
}

func rewrittenRows(t *testing.T, out string) (rows []rewrittenRow) {
	t.Helper()
	for line := range strings.Lines(out) {
		var row rewrittenRow
		require.NoError(t, json.Unmarshal([]byte(line), &row), line)
		rows = append(rows, row)
	}
	return rows
}

func TestRewriteAsJSON(t *testing.T) {
	got := runCommand(t, rewriteInput, Flags{Rewrite: "remove"}, false)
	require.NoError(t, got.fault)
	rows := rewrittenRows(t, got.out)
	require.Len(t, rows, 2)
	require.Equal(t, rewrite.StatusUnchanged, rows[0].Rewrite.Status)
	require.Equal(t, "The pass is open.", rows[0].Rewrite.Answer)
	require.Equal(t, "b", rows[1].InteractionID)
	// scoreBySource fires on the sentence for empty answers, too
	require.Equal(t, rewrite.StatusFailed, rows[1].Rewrite.Status)
	require.Equal(t, rewrite.ReasonEmptyFires, rows[1].Rewrite.Reason)
	require.Equal(t, "Write to [email]. The pass opened in 1937.", rows[1].Rewrite.Original, "redacted")
	require.Empty(t, rows[1].Rewrite.Answer)
	require.Contains(t, got.err, "rewriting: unchanged 1, failed empty_answer 1\n")

	plain := runCommand(t, rewriteInput, Flags{}, false)
	require.NotContains(t, plain.out, `"rewrite"`)
	require.NotContains(t, plain.err, "rewriting")
}

func TestRewriteForPeople(t *testing.T) {
	got := runCommand(t, strings.Replace(rewriteInput, `"other"`, `""`, 1), Flags{Rewrite: "annotate"}, true, "file.jsonl")
	require.NoError(t, got.fault)
	require.Contains(t, got.out, `    annotate: 2 edits, 1 round, clear afterwards
      original:
        Write to [email]. The pass opened in 1937.
      rewritten:
        Write to [email].[^1] The pass opened in 1937.[^2]

        [^1]: No source confirms this.
`)
	got = runCommand(t, rewriteInput, Flags{Rewrite: "remove"}, true, "file.jsonl")
	require.Contains(t, got.out, "    remove: failed, empty answer\n")
	require.NotContains(t, got.out, "rewritten:")
}

func TestRewriteFlag(t *testing.T) {
	_, err := NewCommand(Flags{Only: "all", Rewrite: "delete"}, nil, nil, false)
	require.ErrorContains(t, err, `--rewrite "delete": expected remove, hedge or annotate`)
	_, err = NewCommand(Flags{Only: "all", Rewrite: "hedge", Report: "x.html"}, nil, nil, false)
	require.ErrorContains(t, err, "leave out --report")
}
