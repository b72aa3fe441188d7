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
	general := Remedy("decode", "something else", nil)
	for _, role := range []config.Role{config.RoleDetect, config.RoleSample, config.RoleAlert} {
		for stage, reasons := range LetterReasons(role) {
			for _, reason := range append(reasons, consumer.ReasonPanic, consumer.ReasonCrashSuspect) {
				require.NotEqual(t, general, Remedy(stage, reason, nil), "%s %s", stage, reason)
			}
		}
	}
	require.Contains(t, Remedy("decode", "unmapped", nil), "confab check --input")
	require.Contains(t, Remedy("decode", "out_of_range", nil), "kafka.inputs[].time_zone")
	require.Contains(t, Remedy("publish", "too_large", nil), "max.message.bytes")
}

// A record of a known foreign shape is named; nothing else of its value is.
func TestRemedyNamesTheShape(t *testing.T) {
	completion := []byte(`{"id": "secret-1", "object": "chat.completion", "choices": [{"message": {"content": "It is five."}}]}`)
	const openai = "this looks like an OpenAI chat completion: set map: {preset: openai} of the input; see docs/existing-topics.md; else "
	for _, reason := range []string{"missing_answer", "unmapped"} {
		require.Equal(t, openai+Remedy("decode", reason, nil), Remedy("decode", reason, completion))
	}
	require.Equal(t, Remedy("decode", "duplicate_key", nil), Remedy("decode", "duplicate_key", completion), "the shape is not the fault")
	require.Contains(t, Remedy("decode", "unknown_format", []byte(`{'answer': 'x'}`)), "json.dumps")
	for _, value := range []string{"", "not json", `{"interaction_id": "a"}`} {
		require.Equal(t, Remedy("decode", "missing_answer", nil), Remedy("decode", "missing_answer", []byte(value)))
	}
}

// The reasons of the page are those that the codecs give.
func TestReasonsAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "docs", "interaction.md"))
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| `([a-z0-9_]+)` \\| [^|]*\\|[^|]*\\|$").FindAllSubmatch(page, -1)
	known := LetterReasons(config.RoleDetect)[stageDecode]
	found := 0
	for _, row := range rows {
		if Remedy(stageDecode, string(row[1]), nil) != Remedy(stageDecode, "something else", nil) {
			require.Contains(t, known, string(row[1]))
			found++
		}
	}
	require.Greater(t, found, 10, "the table of reasons")
}
