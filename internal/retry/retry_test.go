package retry

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBackoff(t *testing.T) {
	b := Backoff{Initial: 100 * time.Millisecond, Max: 30 * time.Second}
	for earlier, want := range map[int]time.Duration{
		0: 100 * time.Millisecond, 1: 200 * time.Millisecond, 8: 25600 * time.Millisecond, 9: 30 * time.Second,
		30: 30 * time.Second, 40: 30 * time.Second, 62: 30 * time.Second, 63: 30 * time.Second, 1000: 30 * time.Second,
	} {
		require.Equal(t, want, b.Limit(earlier), "%d", earlier)
		require.Zero(t, b.Wait(earlier, 0))
		require.Equal(t, want/2, b.Wait(earlier, 0.5))
	}
	require.Equal(t, time.Second, Backoff{Initial: time.Minute, Max: time.Second}.Limit(0), "the cap holds for the first wait")
}

func TestParseAfter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) string { return now.Add(d).Format(http.TimeFormat) }
	for name, row := range map[string]struct {
		value, date string
		want        time.Duration
		unreadable  bool
	}{
		"none":                   {"", "", 0, true},
		"seconds":                {"7", "", 7 * time.Second, false},
		"a fraction":             {"0.5", "", 500 * time.Millisecond, false},
		"zero":                   {"0", "", 0, false},
		"below zero":             {"-5", "", 0, false},
		"an hour":                {"3600", "", time.Minute, false},
		"many digits":            {"99999999999999999999", "", time.Minute, false},
		"beyond all":             {"1e300", "", time.Minute, false},
		"out of range":           {"1e999", "", time.Minute, false},
		"infinite":               {"Inf", "", time.Minute, false},
		"no number":              {"NaN", "", 0, true},
		"words":                  {"in a moment", "", 0, true},
		"a date":                 {at(9 * time.Second), "", 9 * time.Second, false},
		"a date, our clock lags": {at(9 * time.Second), at(4 * time.Second), 5 * time.Second, false},
		"a date, its own broken": {at(9 * time.Second), "today", 9 * time.Second, false},
		"a date in the past":     {at(-time.Hour), "", 0, false},
		"a date next year":       {at(9000 * time.Hour), at(0), time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := ParseAfter(row.value, row.date, now, time.Minute)
			require.Equal(t, row.want, got)
			require.Equal(t, !row.unreadable, ok)
		})
	}
	t.Run("no clock", func(t *testing.T) {
		_, ok := ParseAfter(at(9*time.Second), "", time.Time{}, time.Minute)
		require.False(t, ok)
		wait, ok := ParseAfter(at(9*time.Second), at(0), time.Time{}, time.Minute)
		require.True(t, ok)
		require.Equal(t, 9*time.Second, wait)
	})
}

func FuzzParseAfter(f *testing.F) {
	const date = "Sat, 21 Nov 2026 10:00:00 GMT"
	for _, v := range []string{"30", "-5", "99999999999999999999", " 7", "soon", "Sat, 21 Nov 2026 10:01:30 GMT", "Mon, 01 Jan 0001 00:00:00 GMT"} {
		f.Add(v, date)
		f.Add(v, v)
	}
	f.Fuzz(func(t *testing.T, v, date string) {
		wait, ok := ParseAfter(v, date, time.Time{}, time.Hour)
		if wait < 0 || wait > time.Hour || !ok && wait != 0 {
			t.Fatalf("%q at %q is %s, %t", v, date, wait, ok)
		}
	})
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		require.NoError(t, Sleep(t.Context(), time.Minute))
		require.Equal(t, time.Minute, time.Since(begin))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, Sleep(ctx, time.Minute), context.DeadlineExceeded)
		require.Equal(t, time.Minute+time.Second, time.Since(begin))
	})
}
