package consumer

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// The brokers assign partitions (KIP-848): a member that joins takes some over, and one that leaves gives them back at once.
func TestServerSideAssignment(t *testing.T) {
	synctest.Test(t, serverSideAssignment)
}

func serverSideAssignment(t *testing.T) {
	r := newVirtualHarness(t, 4)
	var first, second handledValues
	opts := r.options(first.handle)
	opts.ServerSide, opts.InstanceID, opts.LeaveOnExit = true, "a", true
	one := r.start(t, opts)
	r.produce(t, 0, numberedValues(0, 10)...)
	eventually(t, func() bool { return first.len() == 10 })

	opts = r.options(second.handle)
	opts.ServerSide, opts.InstanceID, opts.LeaveOnExit = true, "b", true
	two := r.start(t, opts)
	owned := func(run *runningLoop) int { return len(run.loop.owned.All()) }
	eventually(t, func() bool { return owned(one) == 2 && owned(two) == 2 })
	require.NoError(t, one.stop())
	eventually(t, func() bool { return owned(two) == 4 })
	for p := range 4 {
		r.produce(t, int32(p), numberedValues(100, 10)...)
	}
	eventually(t, func() bool { return second.len() == 40 })
	require.NoError(t, two.stop())
}
