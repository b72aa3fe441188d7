package confab_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlantedBugsBuild: each bug of `make mutations` applies to this code and builds. Whether a test finds it is not checked here.
func TestPlantedBugsBuild(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	patches, err := filepath.Glob("integration/mutations/*.patch")
	require.NoError(t, err)
	require.NotEmpty(t, patches)
	for _, patch := range patches {
		t.Run(filepath.Base(patch), func(t *testing.T) {
			t.Parallel()
			overlay, dirs := patched(t, git, patch)
			out, err := exec.CommandContext(t.Context(), "go", append([]string{"build", "-overlay", overlay}, dirs...)...).CombinedOutput()
			require.NoError(t, err, "%s", out)
		})
	}
}

// patched applies a patch to copies of the files that it names. It returns an overlay of the copies for the go command, and the
// packages that they belong to.
func patched(t *testing.T, git, patch string) (overlay string, dirs []string) {
	t.Helper()
	diff, err := os.ReadFile(patch)
	require.NoError(t, err)
	copies, replace := t.TempDir(), make(map[string]string)
	for _, m := range regexp.MustCompile(`(?m)^--- a/(.+)$`).FindAllSubmatch(diff, -1) {
		name := string(m[1])
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		path, err := filepath.Abs(name)
		require.NoError(t, err)
		replace[path] = filepath.Join(copies, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(replace[path]), 0o700))
		require.NoError(t, os.WriteFile(replace[path], src, 0o600))
		dirs = append(dirs, "./"+filepath.Dir(name))
	}
	patch, err = filepath.Abs(patch)
	require.NoError(t, err)
	for _, args := range [][]string{{"init", "-q"}, {"apply", patch}} { // in a repository of its own, wherever temporary files are kept
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir = copies
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	require.NoError(t, err)
	overlay = filepath.Join(t.TempDir(), "overlay.json")
	require.NoError(t, os.WriteFile(overlay, list, 0o600))
	return overlay, dirs
}
