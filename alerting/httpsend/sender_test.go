package httpsend

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A canceled wait does not use the rate limit.
func TestCanceledWaitReleasesLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := New(Options{}, Advice{})
		require.NoError(t, s.waitForLimit(t.Context(), Limit{Key: "C1"}))
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		require.ErrorIs(t, s.waitForLimit(ctx, Limit{Key: "C1"}), context.DeadlineExceeded)
		require.NoError(t, s.waitForLimit(t.Context(), Limit{Key: "C1"}))
		require.Equal(t, time.Second, time.Since(start))
	})
}
