package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
)

// A tenant switches a detector off, or on where it is off for others.
func TestDetectorsByTenant(t *testing.T) {
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
detectors: {technical: {enabled: false}, confidence: {enabled: false}}
tenants:
  acme: {detectors: {grounding: {enabled: false}}}
  shop: {detectors: {technical: {enabled: true}}}
  bank: {action: BLOCK}
`), 0o600))
	c, err := Load(LoadOptions{File: file})
	require.NoError(t, err)
	require.True(t, c.Runs("technical"))
	require.True(t, c.Runs("grounding"))
	require.False(t, c.Runs("confidence"))
	off := c.DetectorsOff()
	require.ElementsMatch(t, []string{"technical", "grounding"}, off["acme"])
	delete(off, "acme")
	require.Equal(t, detectors.OffByTenant{"": {"technical"}, "shop": nil}, off)
}
