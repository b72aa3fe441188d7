package rewrite_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/rewrite"
)

func TestSettings(t *testing.T) {
	base := rewrite.DefaultSettings()
	_, ok := base.Default()
	require.False(t, ok)
	tenant := base.Overridden(rewrite.Settings{Mode: "hedge"})
	mode, ok := tenant.Default()
	require.True(t, ok)
	require.Equal(t, rewrite.ModeHedge, mode)
	require.Equal(t, rewrite.EmptyAnswer, tenant.EmptyAnswer)
	require.Equal(t, "Ask us.", tenant.Overridden(rewrite.Settings{EmptyAnswer: "Ask us."}).EmptyAnswer)
	_, err := rewrite.ParseMode("delete")
	require.ErrorContains(t, err, "expected remove, hedge or annotate")

	require.NoError(t, base.Check())
	require.NoError(t, rewrite.Settings{}.Check())
	for text, want := range map[string]string{" \n": "only white space", "a\x1b[2J": "control character", strings.Repeat("a", 1001): "longer than 1000"} {
		require.ErrorContains(t, rewrite.Settings{EmptyAnswer: text}.Check(), want)
	}
}
