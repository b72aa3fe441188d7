package topics

import (
	"context"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
)

// Plan prints the differences and changes nothing.
func Plan(ctx context.Context, cfg kafka.Config, specs []kafka.TopicSpec, w io.Writer) error {
	return cluster.WithAdmin(ctx, cfg, func(ctx context.Context, admin *kafka.Admin) error {
		diffs, err := admin.PlanTopics(ctx, specs)
		if err != nil {
			return err
		}
		if len(diffs) == 0 {
			return allMatch(w, specs)
		}
		return printDiffs(w, diffs, "create")
	})
}

// Apply creates missing topics and prints the differences of existing ones. It never changes those: more partitions move
// keys, and the retention may be deliberate.
func Apply(ctx context.Context, cfg kafka.Config, specs []kafka.TopicSpec, w io.Writer) error {
	return cluster.WithAdmin(ctx, cfg, func(ctx context.Context, admin *kafka.Admin) error {
		created, left, err := admin.ApplyTopics(ctx, specs)
		for _, topic := range created {
			if err := console.Printf(w, "created %s\n", topic); err != nil {
				return err
			}
		}
		switch {
		case err != nil:
			return err
		case len(left)+len(created) == 0:
			return allMatch(w, specs)
		case len(left) == 0:
			return nil
		}
		if err := console.Printf(w, "these topics exist and differ; change them by hand if needed:\n"); err != nil {
			return err
		}
		return printDiffs(w, left, "")
	})
}

func allMatch(w io.Writer, specs []kafka.TopicSpec) error {
	return console.Printf(w, "all %d topics match the configuration\n", len(specs))
}

func printDiffs(w io.Writer, diffs []kafka.TopicDiff, create string) error {
	t := console.NewTable(table.Row{"topic", "what", "is", "should be"})
	for _, d := range diffs {
		if d.Missing {
			t.AppendRow(table.Row{d.Topic, create, "", strconv.Itoa(d.Want.Partitions) + " partitions"})
		}
		for _, c := range d.Changes {
			t.AppendRow(table.Row{d.Topic, c.Property, c.Have, c.Want})
		}
	}
	return console.PrintTable(w, t)
}
