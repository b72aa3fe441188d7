// Command go reads flags and prints what to do about each answer, as a service does that withdraws or marks answers.
//
//	go run ./examples/consumers/go 127.0.0.1:9092
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// flag has the fields that this program reads. Later versions of Confab only add fields.
type flag struct {
	IncidentID     string   `json:"incident_id"`
	Pass           string   `json:"pass"` // fast or deep
	InteractionID  string   `json:"interaction_id"`
	Tenant         string   `json:"tenant"`
	Recommendation string   `json:"recommendation"` // allow, flag or block: what the detectors found
	Action         string   `json:"action"`         // LOG, FLAG or BLOCK: the most that the tenant's policy permits
	Risk           *float64 `json:"risk"`           // null: not calibrated
	Fired          []string `json:"fired"`
}

const (
	flagTopic = "llm.incidents"
	deepPass  = "deep"
)

// decision is what happens to an answer.
type decision string

const (
	logAnswer      decision = "log"
	markAnswer     decision = "mark"     // show a warning next to it, or queue it for a person
	withdrawAnswer decision = "withdraw" // replace it where it is still shown or stored
)

// decide never does more than the tenant's action permits.
func decide(f *flag) decision {
	switch {
	case f.Recommendation == "block" && f.Action == "BLOCK":
		return withdrawAnswer
	case f.Recommendation != "allow" && (f.Action == "FLAG" || f.Action == "BLOCK"):
		return markAnswer
	default:
		return logAnswer
	}
}

// verdicts remembers the pass that decided each incident. Kafka delivers at least once and the passes in any order: a
// repeat changes nothing, and a deep flag replaces the fast one. It holds the last maxIncidents; a service that must not
// forget writes an upsert by incident_id instead, which examples/connect/postgres.sql shows.
type verdicts struct {
	passes map[string]string
	order  []string
}

const maxIncidents = 100_000

// isNews reports whether the flag changes what is known of its incident.
func (v *verdicts) isNews(f *flag) bool {
	known, seen := v.passes[f.IncidentID]
	if seen && (known == f.Pass || known == deepPass) {
		return false
	}
	if !seen {
		if len(v.order) == maxIncidents {
			delete(v.passes, v.order[0])
			v.order = v.order[1:]
		}
		v.order = append(v.order, f.IncidentID)
	}
	v.passes[f.IncidentID] = f.Pass
	return true
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./examples/consumers/go BROKER:PORT")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := readFlags(ctx, os.Args[1]); err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// readFlags commits a batch after it has acted on all of it, so that a crash repeats flags and loses none.
func readFlags(ctx context.Context, broker string) error {
	client, err := kgo.NewClient(
		kgo.SeedBrokers(broker), kgo.ConsumerGroup("example-go"), kgo.ConsumeTopics(flagTopic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.DisableAutoCommit(), kgo.BlockRebalanceOnPoll(),
	)
	if err != nil {
		return fmt.Errorf("create client: %w", err)
	}
	defer client.CloseAllowingRebalance()
	if err := checkTopic(ctx, client); err != nil {
		return err
	}
	known := verdicts{passes: map[string]string{}}
	for {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return fmt.Errorf("read %s: %w", flagTopic, err)
		}
		fetches.EachError(func(topic string, partition int32, err error) {
			fmt.Fprintf(os.Stderr, "read %s/%d: %v\n", topic, partition, err)
		})
		fetches.EachRecord(func(r *kgo.Record) { handleRecord(&known, r) })
		if err := client.CommitUncommittedOffsets(ctx); err != nil {
			return fmt.Errorf("commit offsets: %w", err)
		}
		client.AllowRebalance()
	}
}

// checkTopic fails if no broker answers or the topic is missing: polling would wait for both without a word.
func checkTopic(ctx context.Context, client *kgo.Client) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	topics, err := kadm.NewClient(client).ListTopics(ctx, flagTopic)
	if err == nil {
		err = topics.Error()
	}
	if err != nil {
		return fmt.Errorf("describe %s: %w", flagTopic, err)
	}
	return nil
}

func handleRecord(known *verdicts, r *kgo.Record) {
	var f flag
	err := json.Unmarshal(r.Value, &f)
	if err == nil && f.IncidentID == "" {
		err = errors.New("it has no incident_id")
	}
	if err != nil { // one record must not stop the rest
		fmt.Fprintf(os.Stderr, "%s/%d/%d is not a flag: %v\n", r.Topic, r.Partition, r.Offset, err)
		return
	}
	if known.isNews(&f) {
		fmt.Println(decide(&f), f.Pass, f.Tenant, f.InteractionID)
	}
}
