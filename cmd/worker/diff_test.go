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
	const quiet = `{"incident_id":"1","pass":"fast","recommendation":"allow"}`
	const alert = `{"incident_id":"1","pass":"fast","recommendation":"allow","alert":true}`
	for name, tc := range map[string]struct {
		args  string
		a, b  string
		code  int
		wants string // on standard error
	}{
		"equal":        {"--fail-on any", quiet, quiet, exitOK, ""},
		"not refused":  {"", quiet, alert, exitOK, ""},
		"other change": {"--fail-on outcome,score,risk,span,row", quiet, alert, exitOK, ""},
		"refused":      {"--fail-on alert", quiet, alert, exitPolicy, "--fail-on: found changes: alert\n"},
		"unreadable":   {"--fail-on any", quiet, quiet + "\n{", exitFailure, "standard input: line 2 is not a flag"},
		"empty":        {"--fail-on any", quiet, "", exitFailure, "standard input holds no flags"},
		"usage":        {"--fail-on pings", quiet, quiet, exitUsage, "expected a comma-separated list"},
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
