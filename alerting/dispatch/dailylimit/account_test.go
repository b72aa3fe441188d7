package dailylimit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestSharesAddUp(t *testing.T) {
	t.Parallel()
	for limit := 1; limit <= 50; limit++ {
		for partitions := 1; partitions <= 13; partitions++ {
			a, sum := NewAccount(limit, partitions), 0
			for p := range partitions {
				sum += a.share(int32(p))
			}
			require.Equal(t, limit, sum)
		}
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ago := func(hours ...int) *schemas.AlertState {
		rec := &schemas.AlertState{}
		for _, h := range hours {
			rec.Posted = append(rec.Posted, now.Add(-time.Duration(h)*time.Hour))
		}
		return rec
	}
	a := NewAccount(5, 2) // 3 and 2
	left, _, limited := a.Left(now)
	require.True(t, limited)
	require.Zero(t, left, "of no partition")
	a.Load(0, ago(30, 24, 23, 2), now)
	left, more, _ := a.Left(now)
	require.Equal(t, 1, left)
	require.Zero(t, more)
	a.Load(1, ago(5, 1), now)
	partition, rec, ok := a.Plan(now)
	require.True(t, ok)
	require.Zero(t, partition)
	require.Equal(t, []time.Time{now.Add(-23 * time.Hour), now.Add(-2 * time.Hour), now}, rec.Posted, "what no longer counts is gone")
	a.Apply(partition, &rec)
	left, more, _ = a.Left(now)
	require.Zero(t, left)
	require.Equal(t, now.Add(time.Hour), more)
	_, _, ok = a.Plan(now)
	require.False(t, ok)
	a.Revoke(0)
	_, more, _ = a.Left(now)
	require.Equal(t, now.Add(19*time.Hour), more)

	lowered := NewAccount(2, 2)
	lowered.Load(0, ago(20, 10, 3), now)
	left, more, _ = lowered.Left(now)
	require.Zero(t, left)
	require.Equal(t, now.Add(21*time.Hour), more, "one a day from now on, so the last of three must be over")

	ahead := NewAccount(1, 1)
	ahead.Load(0, ago(-1000), now) // of a clock that was ahead
	_, more, _ = ahead.Left(now)
	require.Equal(t, now.Add(24*time.Hour), more)

	var none *Account
	none.Load(0, ago(1), now)
	none.Revoke(0)
	none.CorrectTimes(now)
	_, _, limited = none.Left(now)
	require.False(t, limited)
	require.Nil(t, NewAccount(0, 12))
}
