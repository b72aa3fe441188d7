package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Records of one conversation are compared in the order of the file, whatever lies between them. A rewritten answer is no turn of its own.
func TestCheckJoinsConversations(t *testing.T) {
	t.Chdir(t.TempDir())
	var lines strings.Builder
	write := func(conversation, id int, answer string) {
		fmt.Fprintf(&lines, `{"interaction_id":"%d-%d","conversation_id":"c%d","answer":%q}`+"\n", conversation, id, conversation, answer)
	}
	for c := range 30 {
		write(c, 1, "The coach to Inverness leaves at 09:40 from bay 7.")
	}
	for c := range 30 {
		write(c, 2, "Bikes travel in the hold of the coach.")
		write(c, 3, "The coach to Inverness leaves at 10:40 from bay 7.")
	}
	require.NoError(t, os.WriteFile("in.jsonl", []byte(lines.String()), 0o600))
	for _, more := range [][]string{nil, {"--rewrite", "remove"}} {
		code, said := confabFile(t, append([]string{"check", "in.jsonl", "--json", "--only", "flagged"}, more...)...)
		require.Zero(t, code, said)
		require.Equal(t, 30, strings.Count(said, `"rule":"earlier_figure"`), said)
		require.Equal(t, 30, strings.Count(said, `"turn":1`))
	}
}
