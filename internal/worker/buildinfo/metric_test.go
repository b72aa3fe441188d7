package buildinfo

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRegistry(t *testing.T) {
	reg := NewRegistry()
	RegisterMetric(reg)
	families, err := reg.Gather()
	require.NoError(t, err)
	names := map[string]bool{}
	for _, f := range families {
		names[f.GetName()] = true
	}
	for _, want := range []string{"confab_build_info", "go_goroutines", "process_start_time_seconds"} {
		require.Contains(t, names, want)
	}
}
