// Command go writes one interaction to llm.interactions, as an application does after it has answered its user.
//
//	go run ./examples/producers/go 127.0.0.1:9092
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

type sourceText struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}

type interaction struct {
	ID         string       `json:"interaction_id"`
	Service    string       `json:"service"`
	Operation  string       `json:"operation"`
	Model      string       `json:"model"`
	OccurredAt time.Time    `json:"occurred_at"`
	Prompt     string       `json:"prompt"`
	Answer     string       `json:"answer"`
	Sources    []sourceText `json:"sources"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./examples/producers/go BROKER:PORT")
		os.Exit(2)
	}
	if err := writeInteraction(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeInteraction keeps the defaults that matter: the producer is idempotent and waits for all in-sync replicas.
func writeInteraction(ctx context.Context, broker string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.DefaultProduceTopic("llm.interactions"))
	if err != nil {
		return fmt.Errorf("create client: %w", err)
	}
	defer client.Close()
	in := interaction{
		ID: "example-go-1", Service: "support-bot", Operation: "answer_with_citations", Model: "gpt-4o-mini",
		OccurredAt: time.Now().UTC(),
		Prompt:     "How long do I have to return a jacket?",
		Answer:     "You may return unused goods within 30 days of delivery [1].",
		Sources:    []sourceText{{ID: "1", Text: "Customers may return unused goods within 30 days of delivery for a full refund."}},
	}
	value, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("encode interaction: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	record := &kgo.Record{Key: []byte(in.ID), Value: value}
	if err := client.ProduceSync(ctx, record).FirstErr(); err != nil {
		return fmt.Errorf("write to llm.interactions: %w", err)
	}
	fmt.Printf("written to %s partition %d offset %d\n", record.Topic, record.Partition, record.Offset)
	return nil
}
