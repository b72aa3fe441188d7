package records

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/cmd/worker/internal/config"
	"confab/consumer"
)

// Every reason of a dead letter has a remedy of its own.
func TestEveryReasonHasARemedy(t *testing.T) {
	general := Remedy("decode", "something else")
	for _, role := range []config.Role{config.RoleDetect, config.RoleSample, config.RoleAlert} {
		for stage, reasons := range LetterReasons(role) {
			for _, reason := range append(reasons, consumer.ReasonPanic, consumer.ReasonCrashSuspect) {
				require.NotEqual(t, general, Remedy(stage, reason), "%s %s", stage, reason)
			}
		}
	}
	require.Contains(t, Remedy("decode", "unmapped"), "confab check --input")
	require.Contains(t, Remedy("decode", "out_of_range"), "kafka.inputs[].time_zone")
	require.Contains(t, Remedy("publish", "too_large"), "max.message.bytes")
}

// The reasons of the page are those that the codecs give.
func TestReasonsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "interaction.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| [^|]*\\|[^|]*\\|$").FindAllSubmatch(page, -1)
	known := LetterReasons(config.RoleDetect)[stageDecode]
	found := 0
	for _, row := range rows {
		if Remedy(stageDecode, string(row[1])) != Remedy(stageDecode, "something else") {
			require.Contains(t, known, string(row[1]))
			found++
		}
	}
	require.Greater(t, found, 10, "the table of reasons")
}
