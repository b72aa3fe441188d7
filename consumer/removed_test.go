package consumer

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
)

// The group removes a member that joins too late, and others read its partition. When it has joined again, it goes on from the
// offset that they have committed.
func TestRemovedMemberStartsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, numberedValues(0, 10)...)
		var s handledValues
		opts := r.options(s.handle)
		var assigned, revoked atomic.Int32
		opts.OnAssigned = func(_ string, ps []int32) { assigned.Add(int32(len(ps))) }
		opts.OnRevoked = func(_ string, ps []int32) { revoked.Add(int32(len(ps))) }
		run := r.start(t, opts)
		r.awaitCommitted(t, map[int32]int64{0: 10})

		p := run.loop.owned.All()[0]
		other, err := r.cfg.NewClient()
		require.NoError(t, err)
		defer other.Close()
		admin := kadm.NewClient(other)
		require.NoError(t, groupMember{Group: testGroup, Member: p.Member}.Leave(t.Context(), r.cfg))
		var moved kadm.Offsets
		moved.AddOffset(inTopic, 0, 6, -1)
		require.NoError(t, admin.CommitAllOffsets(t.Context(), testGroup, moved))
		p.Client.ForceRebalance() // it has not heard of the removal by a heartbeat

		eventually(t, func() bool { return revoked.Load() == 1 && assigned.Load() == 2 })
		r.produce(t, 0, numberedValues(10, 10)...)
		r.awaitCommitted(t, map[int32]int64{0: 20})
		require.NotEqual(t, p.Member, run.loop.owned.All()[0].Member)
		require.NoError(t, run.stop())
		require.Equal(t, append(numberedValues(0, 10), numberedValues(6, 14)...), s.of(0))
	})
}
