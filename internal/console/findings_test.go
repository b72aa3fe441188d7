package console

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintFindings(t *testing.T) {
	all := []Finding{
		{Check: "topic", Subject: "t\x1b[31m", State: Problem, Detail: "gone", Remedy: "`create` it"},
		{Check: "clock", State: OK, Detail: strings.Repeat("long words ", 12)},
	}
	var plain, colored, program bytes.Buffer
	require.NoError(t, PrintFindings(&plain, all, false))
	require.NotContains(t, plain.String(), "\x1b")
	require.Contains(t, plain.String(), "│ problem │ topic │ t[U+001B][31m: gone ")
	require.Contains(t, plain.String(), "│ → `create` it ")
	require.Contains(t, plain.String(), "1 ok, 0 not checked, 0 warnings, 1 problems\n")
	for line := range strings.Lines(plain.String()) {
		require.LessOrEqual(t, len([]rune(line)), wrapColumns+30)
	}
	require.NoError(t, PrintFindings(&colored, all, true))
	require.Contains(t, colored.String(), "\x1b[91mproblem\x1b[0m")
	require.NoError(t, FindingsJSON(&program, all[:1]))
	require.JSONEq(t, `{"problems":1,"warnings":0,"not_checked":0,"findings":[
		{"check":"topic","subject":"t\u001b[31m","state":"problem","detail":"gone","remedy":"`+"`create`"+` it"}]}`, program.String())
}
