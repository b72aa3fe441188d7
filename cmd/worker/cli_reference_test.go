package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/stretchr/testify/require"

	"confab/internal/golden"
)

const cliReferenceTop = `# Command line

Every command with its flags, as ` + "`confab COMMAND --help`" + ` prints them. This page is generated: ` +
	"`go test ./cmd/worker -run TestCLIReference -update`" + `.

`

// TestCLIReference holds docs/cli.md against the commands.
func TestCLIReference(t *testing.T) {
	root := newRoot(&cli{stdStreams: stdStreams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}})
	root.DisableAutoGenTag = true
	root.InitDefaultCompletionCmd()
	page := bytes.NewBufferString(cliReferenceTop)
	var add func(cmd *cobra.Command)
	add = func(cmd *cobra.Command) {
		if f := cmd.Flags().Lookup("user"); f != nil {
			f.DefValue = "" // the user of this machine
		}
		var section bytes.Buffer
		require.NoError(t, doc.GenMarkdownCustom(cmd, &section, func(link string) string { return link }))
		text, _, _ := strings.Cut(section.String(), "### SEE ALSO")
		text, inherited, _ := strings.Cut(text, "### Options inherited from parent commands")
		if cmd == root {
			text += inherited
		}
		page.WriteString(strings.TrimSpace(text) + "\n\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "completion" {
				add(sub)
			}
		}
	}
	add(root)
	file := filepath.Join(repository, "docs", "cli.md")
	got := strings.TrimSpace(page.String()) + "\n"
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "docs/cli.md is old: run go test ./cmd/worker -run TestCLIReference -update")
}

// TestSummaries holds the list of commands short: three groups, seven words a command.
func TestSummaries(t *testing.T) {
	root := newRoot(&cli{stdStreams: stdStreams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	require.Len(t, root.Groups(), 3)
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		require.NotEmpty(t, cmd.Short, cmd.CommandPath())
		require.LessOrEqual(t, len(strings.Fields(cmd.Short)), 7, "%s: %s", cmd.CommandPath(), cmd.Short)
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				require.False(t, cmd == root && sub.GroupID == "", "%s is in no group", sub.Name())
				check(sub)
			}
		}
	}
	check(root)
}
