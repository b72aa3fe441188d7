// Package livetest runs the worker on an embedded cluster until its input is processed, for tests of commands that examine or
// repair what it has written; tests only.
package livetest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
)

// Interactions as JSON, with a %q for the id: citation and facts fire on the first, nothing on the second.
const (
	Ungrounded = `{"interaction_id":%q,"service":"bot","operation":"qa","tags":["medical"],
	"answer":"The lifetime warranty covers theft and accidental damage everywhere [9]. Express parcels cost 30 euros [1].",
	"sources":[{"id":"1","text":"Standard parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."}]}`
	Grounded = `{"interaction_id":%q,"service":"bot","operation":"qa","tags":["medical"],
	"answer":"Standard parcels leave the Rotterdam warehouse within two working days [1].",
	"sources":[{"id":"1","text":"Standard parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."}]}`
)

// Stage is an embedded cluster with the topics of a configuration.
type Stage struct {
	*embedded.Cluster

	Config   *config.Config
	Kafka    kafka.Config
	Registry *prometheus.Registry // of the last worker
}

// New starts a cluster with two partitions a topic. edit changes the configuration; it may be nil.
func New(t *testing.T, edit func(c *config.Config)) *Stage {
	t.Helper()
	c := config.Default()
	c.Admin.Listen, c.Kafka.StartOffset = "", config.OffsetEarliest
	c.Roles = []config.Role{config.RoleDetect}
	if edit != nil {
		edit(c)
	}
	topics := map[string]int32{}
	for _, s := range resources.TopicSpecs(c, resources.Sizing{Partitions: 2}) {
		topics[s.Name] = int32(s.Partitions)
	}
	cluster, err := embedded.Start(embedded.Options{Topics: topics})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	c.Kafka.SeedBrokers = cluster.Seeds()
	return &Stage{Cluster: cluster, Config: c, Kafka: kafka.Config{SeedBrokers: cluster.Seeds()}}
}

// Produce writes records to a partition of the first input.
func (s *Stage) Produce(t *testing.T, partition int32, values ...string) {
	t.Helper()
	var all []kafka.Message
	for _, v := range values {
		all = append(all, kafka.Message{Topic: s.Config.Kafka.Inputs[0].Topic, Partition: partition, Key: []byte("key"), Value: []byte(v)})
	}
	kafkatest.Write(t, s.Kafka, all...)
}

// Run runs a worker until it has committed what the inputs hold, and stops it.
func (s *Stage) Run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var result error
	done := make(chan struct{})
	s.Registry = prometheus.NewRegistry()
	go func() {
		defer close(done)
		result = worker.Run(ctx, worker.Options{Config: s.Config, Registry: s.Registry, Logger: slog.New(slog.DiscardHandler)})
	}()
	defer func() {
		cancel()
		<-done
		require.NoError(t, result)
	}()
	admin, err := kafka.NewAdmin(s.Kafka)
	require.NoError(t, err)
	defer admin.Close()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); !s.drained(t, admin); {
		require.True(t, time.Now().Before(end), "the worker has not processed its input")
		select {
		case <-tick.C:
		case <-done:
			require.FailNow(t, "the worker ended")
		}
	}
}

func (s *Stage) drained(t *testing.T, admin *kafka.Admin) bool {
	for _, in := range s.Config.Kafka.Inputs {
		ranges, err := admin.Ranges(t.Context(), in.Topic, kafka.Position{}, kafka.Position{Kind: kafka.PositionEnd})
		require.NoError(t, err)
		committed, err := admin.Committed(t.Context(), s.Config.Group(config.RoleDetect), in.Topic)
		require.NoError(t, err)
		for _, r := range ranges {
			if committed[r.Partition] < r.End {
				return false
			}
		}
	}
	return true
}

// Read reads the records that a topic holds.
func (s *Stage) Read(t *testing.T, topic string) []kafka.FetchedRecord {
	t.Helper()
	return kafkatest.ReadAll(t, s.Kafka, topic)
}

// Calibration writes the shipped calibration with the changes of edit to a file, and returns its name. It finds the
// shipped one from the directory of a package of the same depth as this one.
func Calibration(t *testing.T, edit func(text string) string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "calibration", "default.yaml"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "calibration.yaml")
	require.NoError(t, os.WriteFile(file, []byte(edit(string(text))), 0o600))
	return file
}
