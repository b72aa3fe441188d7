package confab_test

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUpstreamReport runs the program of docs/upstream/franz-go-empty-commit.md. If it fails after an upgrade of franz-go, the
// fault may be mended: then the report and awaitTopicKnown in internal/kafka/compacted can go.
func TestUpstreamReport(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "bash", "docs/upstream/franz-go-empty-commit.sh").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Regexp(t, `(?s)with the pause:.*\n[1-9]\d* of 10 commits were aborts\n`, string(out)) // 10, unless the machine is very busy
}

// TestUpstreamRemovedMember runs the program of docs/upstream/franz-go-removed-member.md. If it fails after an upgrade of
// franz-go, the fault may be mended: then the report and startAgain in consumer can go.
func TestUpstreamRemovedMember(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "run", "./docs/upstream/franz-go-removed-member.go").CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "committed: 20, resumed at: 10, calls of OnPartitionsLost: 0\n")
}
