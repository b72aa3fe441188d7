package recordshape

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json"
)

// The files are read, and every row can be used.
func TestTable(t *testing.T) {
	_, err := table()
	require.NoError(t, err)
	for _, name := range append(PresetNames(), "") {
		_, err := NewDecoder(Options{Preset: name}, json.Options{})
		require.NoError(t, err)
	}
}
