package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommandFailures runs commands with wrong flags, unreadable files and empty or damaged input. Every failure has its exit
// code and a message on standard error, and writes nothing to standard output.
func TestCommandFailures(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{
		"empty.jsonl":        "",
		"truncated.jsonl.gz": "\x1f\x8b\x08\x00\x00\x00",
		"flags.jsonl":        `{"incident_id":"1","pass":"fast","recommendation":"allow"}` + "\n",
		"empty.yaml":         "",
		"scalar.yaml":        "kafka",
		"binary.yaml":        "\x00\x01",
		"second.yaml":        "log: {level: info}\n---\nlog: {level: warn}\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	require.NoError(t, os.Mkdir("folder", 0o700))
	require.NoError(t, os.WriteFile("secret.yaml", []byte("sampling: {salt_file: folder}\n"), 0o600))
	require.NoError(t, os.WriteFile("model.json", []byte("{}"), 0o600))
	const dead = "--set kafka.seed_brokers=127.0.0.1:1"
	for _, tc := range []struct {
		args   string
		exit   int
		stderr string
	}{
		{"--config folder/confab.yaml", exitUsage, "confab run runs the worker"},
		{"nonsense", exitUsage, `unknown command "nonsense" for "confab"`},
		{"check folder", exitFailure, "folder is a folder: name a file in it"},
		{"check truncated.jsonl.gz", exitFailure, "unexpected EOF"},
		{"check --calibration folder empty.jsonl", exitUsage, "folder: a directory; name a file"},
		{"check --input llm.other empty.jsonl", exitUsage, "no input reads the topic"},
		{"check --now 2026-01-31 empty.jsonl", exitUsage, "--now 2026-01-31: write a time"},
		{"check --set limits.event_deadline=1 empty.jsonl", exitUsage, "expected a duration"},
		{"check --set model_file=model.json empty.jsonl", exitFailure, "model_file model.json"},
		{"check --log-level loud empty.jsonl", exitUsage, "--log-level: log.level"},
		{"evaluate --labels empty.jsonl", exitFailure, "no row"},
		{"evaluate --labels folder", exitUsage, "folder"},
		{"tune --labels empty.jsonl --out new.yaml", exitUsage, "no answer is labelled: label rows with 1"},
		{"tune --labels empty.jsonl --out folder", exitUsage, "folder"},
		{"tune empty.jsonl --draw 0", exitUsage, "--draw 0"},
		{"tune -", exitUsage, "the log is read twice"},
		{"tune", exitUsage, "name the log to draw answers from"},
		{"diff empty.jsonl flags.jsonl", exitFailure, "holds no flags"},
		{"diff folder flags.jsonl", exitFailure, "folder is a folder: name a file in it"},
		{"diff flags.jsonl", exitUsage, "wrong number of arguments (1): usage: confab diff A|- B|- "},
		{"index --ecosystem pypi empty.jsonl", exitFailure, "names"},
		{"index --ecosystem pypi folder", exitFailure, "folder is a folder: name a file in it"},
		{"produce", exitUsage, "wrong number of arguments (0): usage: confab produce FILE|- [flags]; "},
		{"produce nowhere.jsonl", exitFailure, "no such file"},
		{"produce --raw --format json empty.jsonl", exitUsage, "none of the others can be"},
		{"topics plan extra", exitUsage, "wrong number of arguments (1): usage: confab topics plan"},
		{"check a.jsonl b.jsonl", exitUsage, "(2): usage: confab check [FILE|-] [flags]; quote a name with spaces, run it once for each file, or on all in one: cat DIR/* > all.json"},
		{"check --preset claude empty.jsonl", exitUsage, "; did you mean anthropic?"},
		{"check --preset langfse empty.jsonl", exitUsage, "; did you mean langfuse?"},
		{"check --preset zzz empty.jsonl", exitUsage, "unknown preset \"zzz\": known are"},
		{"topics plan --principal confab", exitUsage, "User:confab"},
		{"topics plan --partitions many", exitUsage, "invalid argument"},
		{"schema --register --subject other " + dead + " --set schema_registry.url=http://127.0.0.1:1", exitUsage, "--subject other"},
		{"schema --subject llm.incidents-value", exitUsage, "set schema_registry.url"},
		{"silence --for 1h --expire 3f9a", exitUsage, "none of the others can be"},
		{"silence --for soon", exitUsage, "invalid argument"},
		{"label abcdef01", exitUsage, "--verdict is missing"},
		{"label --verdict wrong", exitUsage, "wrong number of arguments (0): usage: confab label "},
		{"tail --max many", exitUsage, "invalid argument"},
		{"run --roles detect,teach", exitUsage, "--roles: roles[1]"},
		{"run --emit some", exitUsage, "--emit: emit"},
		{"run --roles alert", exitUsage, "alert has no sink"},
		{"run --set calibration_file=nowhere.yaml", exitUsage, "nowhere.yaml: no such file"},
		{"config validate --config folder", exitFailure, "is a directory"},
		{"config validate --config scalar.yaml", exitUsage, "scalar.yaml:1:1: expected keys and values"},
		{"config validate --config binary.yaml", exitUsage, "not YAML"},
		{"config validate --config second.yaml", exitUsage, "a second document"},
		{"config validate --config secret.yaml", exitUsage, "cannot read folder"},
		{"config print --set log", exitUsage, "--set log: write key=value"},
		{"doctor --set nothing.here=1", exitUsage, "unknown key"},
		{"run --role detect", exitUsage, "unknown flag: --role; did you mean --roles; see confab run --help"},
		{"check --dep empty.jsonl", exitUsage, "unknown flag: --dep; did you mean --deep; see"},
		{"version --yaml", exitUsage, "unknown flag: --yaml; see confab version --help"},
	} {
		t.Run(tc.args, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := runProgram(stdStreams{in: strings.NewReader(""), out: &out, err: &errs}, strings.Fields(tc.args), nil)
			require.Equal(t, tc.exit, code, errs.String())
			require.Contains(t, errs.String(), tc.stderr)
			require.Empty(t, out.String())
		})
	}
}

// TestEmptyInput: an empty file of interactions is an error, so that a wrong path does not look like a clean result.
func TestEmptyInput(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("empty", nil, 0o600))
	for args, want := range map[string]struct {
		exit   int
		stderr string
	}{
		"check empty":                    {exitFailure, "no interactions in empty"},
		"check --fail empty":             {exitFailure, "no interactions in empty"},
		"check -":                        {exitFailure, "no interactions in standard input"},
		"config validate --config empty": {exitOK, ""},
	} {
		t.Run(args, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := runProgram(stdStreams{in: strings.NewReader(""), out: &out, err: &errs}, strings.Fields(args), nil)
			require.Equal(t, want.exit, code, errs.String())
			require.Contains(t, errs.String(), want.stderr)
		})
	}
}
