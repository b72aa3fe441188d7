package consumer

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The group removes a member that joins too late, and gives its partitions to others, which process records. When it is a
// member again, under another id, it must read the committed offsets of all its partitions: it knows old ones only.
func TestRemovedMemberOpensAnotherSession(t *testing.T) {
	h := newTxnHarness(t, 2)
	h.produce(t, 0, numbered(0, 10)...)
	h.produce(t, 1, numbered(10, 10)...)
	var mu sync.Mutex
	fetched := make(map[string]bool)
	h.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Count: -1, Observe: true, When: func(q kmsg.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		for _, g := range q.(*kmsg.OffsetFetchRequest).Groups {
			for _, topic := range g.Topics {
				for _, p := range topic.Partitions {
					if g.MemberID != nil {
						fetched[fmt.Sprint(*g.MemberID, p)] = true
					}
				}
			}
		}
		return true
	}})
	stop := start(t, h.options("a", flagAndCopy))
	h.awaitCommitted(t, 20)
	var removed atomic.Bool
	h.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.JoinGroup}, TopLevel: true, Err: kerr.UnknownMemberID, When: func(q kmsg.Request) bool {
			r := q.(*kmsg.JoinGroupRequest)
			return *r.InstanceID == "a" && r.MemberID != "" && removed.CompareAndSwap(false, true)
		},
	})
	other := start(t, h.options("b", flagAndCopy))
	eventually(t, func() bool { return removed.Load() })
	h.produce(t, 0, numbered(20, 10)...)
	h.produce(t, 1, numbered(30, 10)...)
	h.awaitCommitted(t, 40)
	cl, err := h.cfg.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	eventually(t, func() bool {
		groups, err := kadm.NewClient(cl).DescribeGroups(t.Context(), testGroup)
		require.NoError(t, err)
		var owned []string
		for _, m := range groups[testGroup].Members {
			if c, ok := m.Assigned.AsConsumer(); ok {
				for _, topic := range c.Topics {
					for _, p := range topic.Partitions {
						owned = append(owned, fmt.Sprint(m.MemberID, p))
					}
				}
			}
		}
		mu.Lock()
		defer mu.Unlock()
		return len(owned) == 2 && !slices.ContainsFunc(owned, func(at string) bool { return !fetched[at] })
	})
	require.NoError(t, stop())
	require.NoError(t, other())
	h.requireOnce(t, numbered(0, 40))
}
