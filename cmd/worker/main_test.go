package main

import (
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write what the scripts expect")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"confab": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update, RequireUniqueNames: true})
}

// Every command teaches: what it does, and an example that names it.
func TestHelpTeaches(t *testing.T) {
	c := &cli{streams: streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}}
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
