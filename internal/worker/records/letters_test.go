package records

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/worker/config"
)

// remedyOf is the remedy without a configuration.
func remedyOf(topic, stage, reason string, value []byte) string {
	return NewRemedy(nil)(topic, stage, reason, value)
}

// Every reason of a dead letter has a remedy of its own.
func TestEveryReasonHasARemedy(t *testing.T) {
	general := remedyOf("in", "decode", "something else", nil)
	for _, role := range []config.Role{config.RoleDetect, config.RoleSample, config.RoleAlert} {
		for stage, reasons := range LetterReasons(role) {
			for _, reason := range append(reasons, consumer.ReasonPanic, consumer.ReasonCrashSuspect) {
				require.NotEqual(t, general, remedyOf("in", stage, reason, nil), "%s %s", stage, reason)
			}
		}
	}
	require.Contains(t, remedyOf("in", "decode", "unmapped", nil), "`confab map FILE` proposes one")
	require.Contains(t, remedyOf("in", "decode", "out_of_range", nil), "kafka.inputs[].time_zone")
	require.Contains(t, remedyOf("in", "publish", "too_large", nil), "max.message.bytes")
}

// The reasons of the page are those that the codecs give.
func TestReasonsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "interaction.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| [^|]*\\|[^|]*\\|$").FindAllSubmatch(page, -1)
	known := LetterReasons(config.RoleDetect)[stageDecode]
	found := 0
	for _, row := range rows {
		if remedyOf("in", stageDecode, string(row[1]), nil) != remedyOf("in", stageDecode, "something else", nil) {
			require.Contains(t, known, string(row[1]))
			found++
		}
	}
	require.Greater(t, found, 10, "the table of reasons")
}
