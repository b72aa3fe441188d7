package figurematch_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text/figurematch"
)

func TestSameNumber(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b float64
		want bool
	}{{4, 4, true}, {-40, -40, true}, {0, 0, true}, {0.3, 0.1 + 0.2, true}, {-40, 40, false}, {-40, -40.1, false}, {1e12, 1e12 + 1, true}} {
		require.Equal(t, tt.want, figurematch.SameNumber(tt.a, tt.b), "%v %v", tt.a, tt.b)
	}
}
