package records

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/internal/worker/config"
)

// A reason is fixable exactly if its remedy names something other than the producer alone.
func TestClassOfReasons(t *testing.T) {
	seen := map[RedriveClass]int{}
	for _, role := range []config.Role{config.RoleDetect, config.RoleSample, config.RoleAlert} {
		for stage, reasons := range LetterReasons(role) {
			for _, reason := range append(reasons, consumer.ReasonPanic, consumer.ReasonCrashSuspect) {
				require.Contains(t, Reasons(), reason)
				require.Contains(t, Stages(), stage)
				class, remedy := ClassOf(stage, reason), remedyOf("in", stage, reason, nil)
				seen[class]++
				if class == RedriveNever {
					require.NotContains(t, remedy, "raise kafka.", "%s %s", stage, reason)
					require.NotContains(t, remedy, "set kafka.", "%s %s", stage, reason)
					require.NotContains(t, remedy, "confab check", "%s %s", stage, reason)
				} else {
					require.False(t, strings.HasPrefix(remedy, onlyConfab), "%s %s", stage, reason)
				}
			}
		}
	}
	require.Len(t, seen, 3)
	for want, reasons := range map[RedriveClass][]string{
		RedriveTransient: {"unknown_schema"},
		RedriveAfterFix:  {"too_large", "unmapped", "missing_answer", "unknown_format", "tenant_unverified", "panic", "crash_suspect"},
		RedriveNever:     {"syntax", "bad_utf8", "duplicate_key", "missing_origin", "missing_incident_id", "", "of another program"},
	} {
		for _, reason := range reasons {
			require.Equal(t, want, ClassOf("decode", reason), reason)
		}
	}
	require.Equal(t, RedriveAfterFix, ClassOf("publish", "too_large"))
}
