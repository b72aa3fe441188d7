package main

import (
	"io"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColorModes(t *testing.T) {
	for _, tc := range []struct {
		mode string
		env  []string
		want bool
	}{
		{colorAuto, nil, false}, // not a terminal
		{colorAlways, nil, true},
		{colorAlways, []string{"NO_COLOR=1"}, true}, // the flag wins
		{colorNever, nil, false},
	} {
		c := &cli{colorMode: tc.mode, env: tc.env}
		require.Equal(t, tc.want, c.useColor(io.Discard), "%s %v", tc.mode, tc.env)
	}
}

// On a terminal colors are on, unless NO_COLOR has a value.
func TestColorsOfATerminal(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if runtime.GOOS != "linux" {
		t.Skip("/dev/ptmx is Linux's")
	}
	require.NoError(t, err)
	defer terminal.Close()
	for env, want := range map[string]bool{"TERM=xterm": true, "NO_COLOR=": true, "NO_COLOR=1": false, "NO_COLOR=false": false} {
		c := &cli{colorMode: colorAuto, env: []string{env}}
		require.Equal(t, want, c.useColor(terminal), env)
	}
}

func TestUnknownColorMode(t *testing.T) {
	var out, errs strings.Builder
	code := runProgram(stdStreams{in: strings.NewReader(""), out: &out, err: &errs}, []string{"version", "--color", "sometimes"}, nil)
	require.Equal(t, exitUsage, code)
	require.Equal(t, "confab: --color sometimes: expected one of auto, always, never\n", errs.String())
}
