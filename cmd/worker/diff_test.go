package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiffExitCodes(t *testing.T) {
	const calm = `{"incident_id":"1","pass":"fast","recommendation":"allow"}`
	const alert = `{"incident_id":"1","pass":"fast","recommendation":"allow","alert":true}`
	for name, tc := range map[string]struct {
		args  string
		a, b  string
		code  int
		wants string // on standard error
	}{
		"equal":        {"--fail-on any", calm, calm, exitOK, ""},
		"not refused":  {"", calm, alert, exitOK, ""},
		"other change": {"--fail-on outcomes,scores,risk,spans,missing", calm, alert, exitOK, ""},
		"refused":      {"--fail-on alerts", calm, alert, exitPolicy, "--fail-on: found changes: alerts\n"},
		"unreadable":   {"--fail-on any", calm, calm + "\n{", exitFailure, "standard input: line 2 is not a flag"},
		"empty":        {"--fail-on any", calm, "", exitFailure, "standard input holds no flags"},
		"usage":        {"--fail-on pings", calm, calm, exitUsage, "expected a comma-separated list"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "a.jsonl")
			require.NoError(t, os.WriteFile(file, []byte(tc.a), 0o600))
			var stderr strings.Builder
			args := append([]string{"diff", file, "-"}, strings.Fields(tc.args)...)
			require.Equal(t, tc.code, runProgram(stdStreams{strings.NewReader(tc.b), io.Discard, &stderr}, args, nil))
			require.Contains(t, stderr.String(), tc.wants)
			require.Equal(t, tc.wants == "", stderr.String() == "")
		})
	}
}
