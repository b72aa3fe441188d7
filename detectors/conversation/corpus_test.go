package conversation_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/conversation"
	"confab/internal/golden"
	"confab/schemas"
)

// labelled is a row of the corpus.
type labelled struct {
	ID, Kind, Lang, Fault, At string
	Label, Turn               int
	Turns                     []labelledTurn
}

type labelledTurn struct {
	User, Answer string
	Sources      []string
	ToolCalls    []struct {
		Name              string
		Arguments, Result json.RawMessage
	} `json:"tool_calls"`
}

func readCorpus(t testing.TB, part string) (rows []labelled) {
	t.Helper()
	f, err := os.Open("testdata/conversations." + part + ".jsonl")
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var row labelled
		require.NoError(t, json.Unmarshal(lines.Bytes(), &row))
		rows = append(rows, row)
	}
	return rows
}

// interaction is the record of the n-th turn, with the turns before it among its messages or only its own question.
func (l *labelled) interaction(n int, whole bool) *schemas.Interaction {
	turn := l.Turns[n]
	in := &schemas.Interaction{ID: fmt.Sprintf("%s-%d", l.ID, n), Answer: turn.Answer, ConversationID: l.ID}
	if whole {
		for _, before := range l.Turns[:n] {
			in.Messages = append(in.Messages, schemas.Message{Role: "user", Content: before.User}, schemas.Message{Role: "assistant", Content: before.Answer})
		}
	}
	in.Messages = append(in.Messages, schemas.Message{Role: "user", Content: turn.User})
	for _, s := range turn.Sources {
		in.Sources = append(in.Sources, schemas.Source{Text: s})
	}
	for _, c := range turn.ToolCalls {
		in.Calls = append(in.Calls, schemas.ToolCall{Name: c.Name, Arguments: string(c.Arguments), Result: string(c.Result)})
	}
	return in
}

func detect(t testing.TB, doc *detectors.Document, in *schemas.Interaction) detectors.Finding {
	t.Helper()
	d, err := conversation.New(conversation.Options{})
	require.NoError(t, err)
	doc.Reset(in)
	f, err := d.Detect(t.Context(), doc)
	require.NoError(t, err)
	return f
}

// findings are those of each turn, with the history in the messages, or from the turns that were read before.
func (l *labelled) findings(t testing.TB, whole bool) (list []detectors.Finding) {
	t.Helper()
	var earlier []schemas.EarlierTurn
	for n := range l.Turns {
		doc, in := &detectors.Document{}, l.interaction(n, whole)
		in.Earlier = earlier
		list = append(list, detect(t, doc, in))
		turn := conversation.Turn(doc)
		turn.Number = n + 1
		if !whole {
			earlier = append(earlier, turn)
		}
	}
	return list
}

// figuresOf measures a part of the corpus: findings at wrong last answers, by fault, and at right answers.
func figuresOf(t *testing.T, part string, whole bool) string {
	t.Helper()
	found, wrong, turn, falsely, right := map[string]int{}, map[string]int{}, 0, 0, 0
	for _, row := range readCorpus(t, part) {
		list := row.findings(t, whole)
		for n, f := range list {
			hit := f.Score > .5
			if row.Label == 0 || n < len(list)-1 {
				right++
				if hit {
					falsely++
				}
				continue
			}
			wrong[row.Fault]++
			if hit {
				found[row.Fault]++
				if f.Evidence[0].Turn == row.Turn {
					turn++
				}
			}
		}
	}
	var b strings.Builder
	all, of := 0, 0
	for _, fault := range slices.Sorted(maps.Keys(wrong)) {
		fmt.Fprintf(&b, "  %-9s %2d of %2d\n", fault, found[fault], wrong[fault])
		all, of = all+found[fault], of+wrong[fault]
	}
	return fmt.Sprintf("%s: contradictions found %d of %d, with the right turn %d; false findings %d of %d right answers\n%s", part, all, of, turn, falsely, right, b.String())
}

// The figures are the same whether the messages hold the history or the turns were read before.
func TestFigures(t *testing.T) {
	got := ""
	for _, part := range []string{"train", "test", "sealed"} {
		figures := figuresOf(t, part, true)
		require.Equal(t, figures, figuresOf(t, part, false))
		got += figures
	}
	golden.Equal(t, "testdata/figures.golden", got)
}
