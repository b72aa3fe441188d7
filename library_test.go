package confab_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLibraryModule builds and runs examples/library, a module of its own, as a user of the library would.
func TestLibraryModule(t *testing.T) {
	goCommand := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir = filepath.Join("examples", "library")
		cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOFLAGS=-trimpath")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		return string(out)
	}
	out := goCommand("run", ".")
	require.Contains(t, out, "recommendation block, alert true\n")
	require.Contains(t, out, `"1937": 1937; the source has "1935"`)
	require.NotContains(t, goCommand("list", "-deps", "."), "franz-go", "a library user links no Kafka client")
}
