//go:build ignore

// A reproduction of franz-go-removed-member.md: go run ./docs/upstream/franz-go-removed-member.go
package main

import (
	"context"
	"fmt"
	"log"
	"strconv"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	topic = "t"
	group = "g"
)

func main() {
	ctx := context.Background()
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic))
	check(err)
	defer broker.Close()
	assigned, lost := make(chan struct{}, 10), 0
	member := client(broker, kgo.ConsumerGroup(group), kgo.ConsumeTopics(topic), kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.DisableAutoCommit(), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.OnPartitionsAssigned(func(context.Context, *kgo.Client, map[string][]int32) { assigned <- struct{}{} }),
		kgo.OnPartitionsLost(func(context.Context, *kgo.Client, map[string][]int32) { lost++ }))
	defer member.Close()
	other := client(broker)
	defer other.Close()

	produce(ctx, other, 0, 10)
	for read := 0; read < 10; {
		read += member.PollFetches(ctx).NumRecords()
	}
	<-assigned
	check(member.CommitUncommittedOffsets(ctx))
	id, generation := member.GroupMetadata()

	// The group removes the member, for example since it has not joined a rebalance in time. Another processes 10 records.
	leave := kmsg.NewPtrLeaveGroupRequest()
	removed := kmsg.NewLeaveGroupRequestMember()
	removed.MemberID = id
	leave.Group, leave.MemberID, leave.Members = group, id, append(leave.Members, removed)
	_, err = leave.RequestWith(ctx, other)
	check(err)
	produce(ctx, other, 10, 20)
	var ahead kadm.Offsets
	ahead.AddOffset(topic, 0, 20, -1)
	check(kadm.NewClient(other).CommitAllOffsets(ctx, group, ahead))

	member.ForceRebalance() // as a heartbeat that answers REBALANCE_IN_PROGRESS does
	<-assigned
	now, next := member.GroupMetadata()
	fmt.Printf("the member is another one: %t, generation %d after %d\n", now != id, next, generation)
	fetches := member.PollFetches(ctx)
	fmt.Printf("committed: 20, resumed at: %d, calls of OnPartitionsLost: %d\n", fetches.Records()[0].Offset, lost)
}

func client(broker *kfake.Cluster, opts ...kgo.Opt) *kgo.Client {
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(broker.ListenAddrs()...), kgo.DefaultProduceTopic(topic))...)
	check(err)
	return cl
}

func produce(ctx context.Context, cl *kgo.Client, first, n int) {
	for i := range n {
		check(cl.ProduceSync(ctx, kgo.StringRecord(strconv.Itoa(first+i))).FirstErr())
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
