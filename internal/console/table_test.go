package console

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/stretchr/testify/require"
)

func exampleTable() table.Writer {
	t := NewTable(table.Row{"detector", "rows", "fired\nin A", "comment"})
	t.AppendRow(table.Row{"grounding", 120, 7, strings.Repeat("a word and ", 8) + "the end"})
	t.AppendSeparator()
	t.AppendRow(table.Row{"facts", 3, "", `"quoted", with a comma`})
	return t
}

func TestTablesFold(t *testing.T) {
	folded := FitTable(exampleTable(), 60)
	require.Equal(t, `grounding
  rows 120, fired in A 7
  comment a word and a word and a word and a word and a word
  and a word and a word and a word and the end
facts
  rows 3, comment "quoted", with a comma`, folded)
	require.LessOrEqual(t, text.LongestLineLen(folded), 60)
}

// Elsewhere than on a narrow terminal tables stay tables.
func TestTablesStayWide(t *testing.T) {
	wide := exampleTable().Render()
	require.Contains(t, wide, "┌")
	require.Equal(t, wide, FitTable(exampleTable(), 0))
	require.Equal(t, wide, FitTable(exampleTable(), text.LongestLineLen(wide)))
	require.NotContains(t, FitTable(exampleTable(), text.LongestLineLen(wide)-1), "┌")
	var out bytes.Buffer
	require.NoError(t, PrintTable(&out, exampleTable()))
	require.Equal(t, wide+"\n", out.String())
}
