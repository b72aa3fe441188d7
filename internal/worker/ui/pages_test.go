package ui

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A text cannot turn the direction of the page.
func TestOverridesAreVisible(t *testing.T) {
	r, err := parsePages()
	require.NoError(t, err)
	page, err := render(r, &messagePage{Text: "pay \u202e05\u202c \x1b[31m"})
	require.NoError(t, err)
	require.Contains(t, string(page), "pay [U+202E]05[U+202C] [U+001B][31m")
}
