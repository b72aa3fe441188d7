package console

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintFaults(t *testing.T) {
	const line = "a.csv:1: x\n"
	for n, want := range map[int]string{0: "", 1: line, 20: strings.Repeat(line, 20), 21: strings.Repeat(line, 20) + "and 1 more\n", 30: strings.Repeat(line, 20) + "and 10 more\n"} {
		var b bytes.Buffer
		PrintFaults(&b, strings.Split(strings.Repeat("a.csv:1: x\n", n), "\n")[:n], 20)
		require.Equal(t, want, b.String())
	}
}
