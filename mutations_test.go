package confab_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPlantedBugsApply: each bug of `make mutations` applies to this code. Whether it builds and a test finds it is not checked here.
func TestPlantedBugsApply(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("needs git")
	}
	patches, err := filepath.Glob("integration/mutations/*.patch")
	require.NoError(t, err)
	require.NotEmpty(t, patches)
	for _, patch := range patches {
		out, err := exec.CommandContext(t.Context(), git, "apply", "--check", patch).CombinedOutput()
		require.NoError(t, err, "%s: %s", patch, out)
	}
}
