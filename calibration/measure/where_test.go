package measure

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"a", "a", true},
		{"a", "ab", false},
		{"", "", true},
		{"", "a", false},
		{"*", "", true},
		{"*", "a/b", true},
		{"a*", "ab", true},
		{"a*", "ba", false},
		{"*b", "ab", true},
		{"*b", "ba", false},
		{"a*c", "abc", true},
		{"a*c", "ac", true},
		{"aba*aba", "aba", false},
		{"aba*aba", "abaaba", true},
		{"*/optional/*", "x/optional/format", true},
		{"*/optional/*", "x/required", false},
		{"a*b*c", "a-b-b-c", true},
		{"a*b*c", "a-c-b", false},
		{"**", "x", true},
	} {
		require.Equal(t, c.want, matchesPattern(c.pattern, c.s), "%s on %s", c.pattern, c.s)
	}
}

func TestWhere(t *testing.T) {
	t.Parallel()
	file := writeLabels(t, "set.jsonl", labelLine("a/1", 1, ""), labelLine("a/2", 0, `,"dataset":"own"`), "{", labelLine("b/1", 0, ""))
	for text, want := range map[string][]string{
		"id=a/*": {"a/1", "a/2", "!"}, "id!=a/*": {"!", "b/1"}, "dataset=own": {"a/2", "!"}, "task=t": {"a/1", "a/2", "!", "b/1"},
		"group=x": {"!"}, "operation=qa": {"a/1", "a/2", "!", "b/1"}, "tenant!=": {"!"}, "model=": {"a/1", "a/2", "!", "b/1"},
	} {
		l, err := OpenLabels(file)
		require.NoError(t, err)
		c, err := ParseCondition(text)
		require.NoError(t, err)
		var got []string
		for labels := Where(l, c); ; {
			var row schemas.Labelled
			err := labels.Next(&row)
			if errors.Is(err, io.EOF) {
				break
			}
			id := row.Interaction.ID
			if err != nil {
				id = "!" // an unreadable row is always reported
			}
			got = append(got, id)
		}
		require.Equal(t, want, got, text)
		l.Close()
	}
	both, err := ParseCondition("id=a/*")
	require.NoError(t, err)
	second, err := ParseCondition("dataset=own")
	require.NoError(t, err)
	l, err := OpenLabels(file)
	require.NoError(t, err)
	defer l.Close()
	var row schemas.Labelled
	require.NoError(t, Where(l, both, second).Next(&row))
	require.Equal(t, "a/2", row.Interaction.ID, "every condition holds")
	require.Same(t, l, Where(l))
}

func TestParseConditionErrors(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "id", "meta=x", "answer=x", "=x", "!=x"} {
		_, err := ParseCondition(text)
		require.ErrorContains(t, err, "KEY is one of dataset, group, id, model, operation, task, tenant", text)
	}
}
