package confab_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
)

// The modules that are linked into the binary are a golden list: a change of what we ship is a change of docs/modules.txt.
func TestLinkedModules(t *testing.T) {
	list := exec.CommandContext(t.Context(), "go", "list", "-mod=readonly", "-deps",
		"-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/worker")
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOFLAGS=", "GOPROXY=off")
	out, err := list.Output()
	require.NoError(t, err)
	lines := strings.Fields(strings.ReplaceAll(string(out), " ", "@"))
	slices.Sort(lines)
	got := strings.ReplaceAll(strings.Join(slices.Compact(lines), "\n"), "@", " ") + "\n"
	golden.Equal(t, "docs/modules.txt", got) // look at what is new
}
