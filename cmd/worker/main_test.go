package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/golden"
	"confab/internal/strictyaml"
)

func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){"confab": main})
}

// leakChecked runs the tests and checks that no goroutine outlives them.
type leakChecked struct{ *testing.M }

func (m leakChecked) Run() int {
	if code := m.M.Run(); code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: golden.Update(), RequireUniqueNames: true})
}

// Every command has a description and an example that names it.
func TestHelpTeaches(t *testing.T) {
	c := &cli{stdStreams: stdStreams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		require.NotEmpty(t, cmd.Short, cmd.CommandPath())
		require.Contains(t, cmd.Example, cmd.CommandPath(), "an example of %s", cmd.CommandPath())
		require.False(t, strings.HasSuffix(cmd.Short, "."), cmd.CommandPath())
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	root := newRoot(c)
	visit(root)
}

func TestExitCode(t *testing.T) {
	problem := &strictyaml.Error{Problems: []strictyaml.Problem{{Path: "emit", Message: "expected one of flagged, all"}}}
	for _, tc := range []struct {
		name string
		err  error
		code int
		text string
	}{
		{"nothing", nil, exitOK, ""},
		{"world", errors.New("no broker answered"), exitFailure, "confab: no broker answered\n"},
		{"several", errors.Join(errors.New("one"), errors.New("two")), exitFailure, "confab:\n  one\n  two\n"},
		{"usage", fmt.Errorf("check: %w", usageError{errors.New("unknown flag")}), exitUsage, "confab: check: unknown flag\n"},
		{"configuration", fmt.Errorf("run: %w", problem), exitUsage, "confab: 1 problem in the configuration:\n  emit: expected one of flagged, all\n"},
		{"logged", loggedError{errors.New("no broker answered")}, exitFailure, ""},
		{"policy", fmt.Errorf("check: %w", errPolicy), exitPolicy, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out strings.Builder
			require.Equal(t, tc.code, exitCode(tc.err, &out))
			require.Equal(t, tc.text, out.String())
		})
	}
}

// leaves are the commands that do something, by their path.
func leaves(cmd *cobra.Command) (all []string) {
	for _, sub := range cmd.Commands() {
		if sub.HasSubCommands() {
			all = append(all, leaves(sub)...)
		} else if sub.Name() != "version" {
			all = append(all, sub.CommandPath())
		}
	}
	return all
}

// Without a command the help is printed: it has every command in one of three groups.
func TestHelpListsTheCommands(t *testing.T) {
	var out, errs strings.Builder
	require.Equal(t, exitOK, runProgram(stdStreams{in: strings.NewReader(""), out: &out, err: &errs}, nil, nil), errs.String())
	require.Regexp(t, `(?s)\nTry:\n.*\nRun:\n.*\nImprove:\n`, out.String())
	all := leaves(newRoot(&cli{}))
	require.LessOrEqual(t, len(all), 30, "join or drop commands: %v", all)
	for _, sub := range newRoot(&cli{}).Commands() {
		require.True(t, sub.GroupID != "" || sub.Name() == "version", sub.Name())
		require.Contains(t, out.String(), "\n  "+sub.Name()+" ")
	}
}
