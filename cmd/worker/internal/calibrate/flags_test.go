package calibrate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestParsePeriod(t *testing.T) {
	const day = 24 * time.Hour
	for text, want := range map[string]time.Duration{"30d": 30 * day, "1d": day, "400d": 400 * day, "36h": 36 * time.Hour, "90m": 90 * time.Minute} {
		got, err := ParsePeriod(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "d", "0d", "-3d", "401d", "99999999999999999999d", "1.5d", "30", "0h", "-1h", "9601h"} {
		_, err := ParsePeriod(text)
		require.ErrorContains(t, err, "such as 30d", text)
	}
}
