package config

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/rewrite"
)

func TestRewriteSettings(t *testing.T) {
	cfg, err := loadText([]byte("rewrite:\n  mode: hedge\ntenants:\n  bank:\n    rewrite: {mode: remove, empty_answer: Please ask.}\n  shop:\n    action: LOG\n"), LoadOptions{})
	require.NoError(t, err)
	require.Equal(t, rewrite.Settings{Mode: "remove", EmptyAnswer: "Please ask."}, cfg.RewriteSettings("bank"))
	require.Equal(t, rewrite.Settings{Mode: "hedge", EmptyAnswer: rewrite.EmptyAnswer}, cfg.RewriteSettings("shop"))
	require.Equal(t, cfg.RewriteSettings("shop"), cfg.RewriteSettings("unknown"))
	for text, want := range map[string]string{
		"rewrite: {mode: delete}":                                  "rewrite.mode",
		"rewrite: {empty_answer: \"  \"}":                          "rewrite.empty_answer: is only white space",
		"tenants: {bank: {rewrite: {empty_answer: \"a\\u0007\"}}}": "tenants.bank.rewrite.empty_answer: has a control character",
		"tenants: {bank: {rewrite: {mode: all}}}":                  "tenants.bank.rewrite.mode",
	} {
		_, err := loadText([]byte(text), LoadOptions{})
		require.ErrorContains(t, err, want, text)
	}
}
