//go:build ignore

// A reproduction of franz-go-empty-commit.md: docs/upstream/franz-go-empty-commit.sh
package main

import (
	"context"
	"fmt"
	"log"
	"strconv"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	topic  = "t"
	rounds = 10
)

func main() {
	broker, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, topic))
	if err != nil {
		log.Fatal(err)
	}
	defer broker.Close()
	lost := 0
	for i := range rounds {
		if !commitOne(broker, i) {
			lost++
			fmt.Printf("round %d: EndTransaction(TryCommit) returned nil, and aborted\n", i)
		}
	}
	fmt.Printf("%d of %d commits were aborts\n", lost, rounds)
}

// commitOne commits one acknowledged record with a new client and reports whether the transaction was committed.
func commitOne(broker *kfake.Cluster, i int) bool {
	committed := false
	broker.ControlKey(kmsg.EndTxn.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
		committed = r.(*kmsg.EndTxnRequest).Commit
		return nil, nil, false
	})
	cl, err := kgo.NewClient(kgo.SeedBrokers(broker.ListenAddrs()...), kgo.DefaultProduceTopic(topic),
		kgo.TransactionalID("id"+strconv.Itoa(i)), kgo.ProducerLinger(0))
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()
	ctx := context.Background()
	if err := cl.BeginTransaction(); err != nil {
		log.Fatal(err)
	}
	if err := cl.ProduceSync(ctx, kgo.StringRecord("v")).FirstErr(); err != nil {
		log.Fatal(err)
	}
	if err := cl.EndTransaction(ctx, kgo.TryCommit); err != nil {
		log.Fatal(err)
	}
	return committed
}
