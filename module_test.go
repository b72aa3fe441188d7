package confab_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Another module path builds, as does the module of the library example.
func TestModulePathCanChange(t *testing.T) {
	if os.Getenv("REQUIRE_EXAMPLES") != "1" {
		t.Skip("builds everything: make examples runs it")
	}
	const script = `set -eu
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$1"
cd "$1"
git init -q . && git add -A
make -s module MODULE=example.org/team/confab
test "$(go list -m)" = example.org/team/confab
go list -deps ./cmd/worker | grep -c '^example.org/team/confab' >/dev/null
! go list -deps ./cmd/worker | grep '^confab'
`
	dir := t.TempDir()
	out, err := exec.CommandContext(t.Context(), "bash", "-c", script, "bash", dir).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "the module is example.org/team/confab")
	library, err := os.ReadFile(filepath.Join(dir, "examples", "library", "main.go"))
	require.NoError(t, err)
	require.Contains(t, string(library), `"example.org/team/confab/schemas"`)
}
