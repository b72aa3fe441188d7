package consumer

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka"
)

// policyTimeout bounds the look-up of a topic's settings for a log line.
const policyTimeout = 2 * time.Second

// startKind is why a partition starts where it does.
type startKind int

// The kinds of a start.
const (
	fromEnd    startKind = iota // no committed offset, records before the end are not read
	fromOldest                  // no committed offset, all records are read
	fromCommit                  // a committed offset
)

// startSums sums up by topic where the partitions of one assignment start.
type startSums struct {
	topics map[string]*[fromCommit + 1]startSum
}

type startSum struct {
	partitions int
	records    int64 // between the oldest record and the start; fromOldest: in the log
}

// Add counts a partition.
func (s *startSums) Add(topic string, kind startKind, records int64) {
	if s.topics == nil {
		s.topics = make(map[string]*[fromCommit + 1]startSum)
	}
	if s.topics[topic] == nil {
		s.topics[topic] = &[fromCommit + 1]startSum{}
	}
	sum := &s.topics[topic][kind]
	sum.partitions++
	sum.records += max(records, 0)
}

// startLog says how starts are logged.
type startLog struct {
	Logger    *slog.Logger
	Client    *kgo.Client
	Group     string
	FromStart bool // someone asked for the oldest record: say where a committed offset wins
	DryRun    bool // nothing is committed
}

// Remedies of records that are not read.
const (
	readAll  = "kafka.start_offset: earliest, or confab run --from-start"
	resetWay = "stop the workers, then reset the offsets (kafka-consumer-groups --bootstrap-server BROKER --group %s --topic %s " +
		"--reset-offsets --to-earliest --execute), or set another kafka.consumer_group and use --from-start"
)

// Log writes a line per topic and kind of start. Committed offsets are the usual case, which is logged only for FromStart.
func (s *startSums) Log(ctx context.Context, o startLog) {
	for _, topic := range slices.Sorted(maps.Keys(s.topics)) {
		attrs := func(sum startSum, name, records string, more ...any) []any {
			return append([]any{
				slog.String("topic", topic), slog.Int("partitions", sum.partitions), slog.String(name, records),
			}, more...)
		}
		sums := s.topics[topic]
		if end := sums[fromEnd]; end.partitions > 0 && end.records == 0 {
			o.Logger.Info("no committed offsets, starting at the end", attrs(end, "not_read", "0 records")...)
		} else if end.partitions > 0 {
			remedy := readAll
			if !o.DryRun {
				remedy = "the offsets are committed now, and --from-start comes too late; to read these records, " + fmt.Sprintf(resetWay, o.Group, topic)
			}
			o.Logger.Warn("no committed offsets, starting at the end: records before it are not read",
				attrs(end, "not_read", kafka.CountRecords(end.records, s.compacts(ctx, o.Client, topic)), slog.String("remedy", remedy))...)
		}
		if all := sums[fromOldest]; all.partitions > 0 {
			o.Logger.Info("no committed offsets, starting at the oldest record",
				attrs(all, "to_read", kafka.CountRecords(all.records, s.compacts(ctx, o.Client, topic)))...)
		}
		if committed := sums[fromCommit]; o.FromStart && committed.partitions > 0 {
			o.Logger.Info("committed offsets win over --from-start", attrs(committed, "not_read_again",
				kafka.CountRecords(committed.records, s.compacts(ctx, o.Client, topic)), slog.String("group", o.Group),
				slog.String("remedy", "to read all records again, "+fmt.Sprintf(resetWay, o.Group, topic)))...)
		}
	}
}

// compacts reports whether the topic may hold fewer records than offsets: it is compacted, or its settings are unknown.
func (s *startSums) compacts(ctx context.Context, cl *kgo.Client, topic string) bool {
	ctx, cancel := context.WithTimeout(ctx, policyTimeout)
	defer cancel()
	described, err := kadm.NewClient(cl).DescribeTopicConfigs(ctx, topic)
	if err != nil {
		return true
	}
	found, err := described.On(topic, nil)
	if err != nil || found.Err != nil {
		return true
	}
	for _, c := range found.Configs {
		if c.Key == "cleanup.policy" {
			return c.Value == nil || strings.Contains(*c.Value, "compact")
		}
	}
	return true
}
