package diff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/schemas"
)

func TestPrintedReports(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(a, b []schemas.Flag) (editedA, editedB []schemas.Flag)
		rows int
	}{
		"equal": {func(a, b []schemas.Flag) ([]schemas.Flag, []schemas.Flag) { return a, b }, 20},
		"changed": {func(a, b []schemas.Flag) ([]schemas.Flag, []schemas.Flag) {
			b[0].Alert, b[0].Recommendation = true, schemas.Block
			b[0].Signals[1].Outcome, b[0].Signals[1].Score, b[0].Fired = schemas.Fired, 0.875, []string{"grounding", "facts"}
			b[1].Signals[0].Score += 1e-5
			b[1].Risk = nil
			b[1].Signals[0].Evidence[0].SourceEnd = 7
			b[2].Signals[1].Threshold = 0.6
			b[3].Signals = b[3].Signals[:1]
			b[3].InteractionID = "one\x1b[31m\u202e"
			a[3].InteractionID = b[3].InteractionID
			b[4].Signals[0].Reason = "never printed"
			gone := newFlag("gone")
			gone.Alert = true
			return append(a, gone, gone), append(b, newFlag("new"))
		}, 20},
		"few rows": {func(a, b []schemas.Flag) ([]schemas.Flag, []schemas.Flag) {
			for i := range b {
				*b[i].Risk += float64(i) / 100
			}
			return a, b
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var a, b []schemas.Flag
			for _, id := range []string{"1", "2", "3", "4", "5"} {
				a, b = append(a, newFlag(id)), append(b, newFlag(id))
			}
			a, b = c.edit(a, b)
			r := compareFlags(t, a, b, c.rows)
			var text strings.Builder
			require.NoError(t, r.WriteText(&text))
			require.NotContains(t, text.String(), "never printed")
			require.NotContains(t, text.String(), "\x1b")
			golden.Equal(t, "testdata/"+strings.ReplaceAll(name, " ", "_")+".txt", text.String())
		})
	}
}
