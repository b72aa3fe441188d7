package ops

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/kafka"
)

// reachTimeout is how long a broker may take to give a first answer.
const reachTimeout = 15 * time.Second

// Reach makes sure that a broker answers and that the topic exists, so that a command fails at once and says why.
func Reach(ctx context.Context, cfg kafka.Config, topic string) error {
	return withAdmin(ctx, cfg, func(ctx context.Context, admin *kafka.Admin) error {
		counts, err := admin.PartitionCounts(ctx, topic)
		if err != nil {
			return fmt.Errorf("look up topic %s: %w", topic, err)
		}
		if counts[topic] == 0 {
			return fmt.Errorf("topic %s does not exist, or may not be described: create it with `confab topics apply`", topic)
		}
		return nil
	})
}

// TopicsFunc compares the topics of a cluster with the wishes, says so on w, and may create what is missing.
type TopicsFunc func(ctx context.Context, cfg kafka.Config, specs []kafka.TopicSpec, w io.Writer) error

// PlanTopics says what ApplyTopics would do.
func PlanTopics(ctx context.Context, cfg kafka.Config, specs []kafka.TopicSpec, w io.Writer) error {
	return withAdmin(ctx, cfg, func(ctx context.Context, admin *kafka.Admin) error {
		diffs, err := admin.PlanTopics(ctx, specs)
		if err != nil {
			return err
		}
		if len(diffs) == 0 {
			return say(w, "all %d topics are as they should be\n", len(specs))
		}
		t := newTable(w, table.Row{"topic", "what", "is", "should be"})
		for i := range diffs {
			rows(t, &diffs[i], "create")
		}
		t.Render()
		return nil
	})
}

// ApplyTopics creates the topics that are missing. What exists is never changed: more partitions move keys, and a
// retention is somebody's decision.
func ApplyTopics(ctx context.Context, cfg kafka.Config, specs []kafka.TopicSpec, w io.Writer) error {
	return withAdmin(ctx, cfg, func(ctx context.Context, admin *kafka.Admin) error {
		created, left, err := admin.ApplyTopics(ctx, specs)
		for _, topic := range created {
			if err := say(w, "created %s\n", topic); err != nil {
				return err
			}
		}
		if err != nil || len(left) == 0 {
			return err
		}
		if err := say(w, "these exist and differ; change them by hand where it matters:\n"); err != nil {
			return err
		}
		t := newTable(w, table.Row{"topic", "what", "is", "should be"})
		for i := range left {
			rows(t, &left[i], "")
		}
		t.Render()
		return nil
	})
}

func rows(t table.Writer, d *kafka.TopicDiff, create string) {
	if d.Missing {
		t.AppendRow(table.Row{d.Topic, create, "", strconv.Itoa(d.Want.Partitions) + " partitions"})
	}
	for _, c := range d.Changes {
		t.AppendRow(table.Row{d.Topic, c.Property, c.Have, c.Want})
	}
}

// newTable is a table that prints on w when it is rendered.
func newTable(w io.Writer, header table.Row) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.AppendHeader(header)
	t.SetStyle(table.StyleLight)
	return t
}

// withAdmin calls f with an administrative client once a broker answers, and bounds both by reachTimeout.
func withAdmin(ctx context.Context, cfg kafka.Config, f func(context.Context, *kafka.Admin) error) error {
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		return err
	}
	defer admin.Close()
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	if err := admin.Ping(ctx); err != nil {
		return fmt.Errorf("no broker of %v answered within %s: check kafka.seed_brokers, kafka.tls and kafka.sasl: %w",
			cfg.SeedBrokers, reachTimeout, err)
	}
	return f(ctx, admin)
}

// say prints on w.
func say(w io.Writer, format string, args ...any) error {
	if _, err := fmt.Fprintf(w, format, args...); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
