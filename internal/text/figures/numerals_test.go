package figures_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text/figures"
)

func TestReadSeparated(t *testing.T) {
	for in, want := range map[string]figures.Number{
		"1234":         {Value: 1234},
		"1,234.5":      {Value: 1234.5, Decimals: 1},
		"1.234,5":      {Value: 1234.5, Decimals: 1},
		"1.234":        {Value: 1.234, Alternative: 1234, Decimals: 3},
		"1,234":        {Value: 1234, Alternative: 1.234},
		"0,875":        {Value: 0.875, Decimals: 3},
		"3,5":          {Value: 3.5, Decimals: 1},
		"12,34,567":    {Value: 1234567},
		"1.234.567":    {Value: 1234567},
		"1.234.567,89": {Value: 1234567.89, Decimals: 2},
	} {
		got, ok := figures.ReadSeparated(in)
		require.True(t, ok, in)
		require.Equal(t, want, got, in)
	}
	for _, in := range []string{"1,2,3", "1.2.3", "1.2,3.4", "12.34,5"} {
		_, ok := figures.ReadSeparated(in)
		require.False(t, ok, in)
	}
}
