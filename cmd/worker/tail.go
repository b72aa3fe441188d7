package main

import (
	"errors"

	"github.com/spf13/cobra"

	"confab/internal/console"
	"confab/internal/worker/cluster"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/incidents"
	"confab/internal/worker/records"
	"confab/schemas"
)

func newTail(c *cli) *cobra.Command {
	var o incidents.TailOptions
	var asJSON, evidence, letters, values bool
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Follows the flags as they are written",
		Long: `Prints the flags of llm.incidents as they arrive, one line each. It joins no consumer group and commits nothing.
Stop it with Ctrl-C.

--dead-letters prints the records of llm.interactions.dlq instead: why each one could not be processed, where it was read,
and what to do. Their values are printed only with --values: the first 4,096 characters, with secrets and personal data
masked like the excerpts of flags. Keys and errors are masked too.`,
		Example: `  confab tail
  confab tail --from-start --stop-at-end --json > flags.jsonl
  confab tail --detector citation --evidence
  confab tail --dead-letters --from-start`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if values && !letters {
				return usageError{errors.New("--values has no effect without --dead-letters")}
			}
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			o.Kafka, o.Topic = cfg.KafkaClient(c.logger(cfg)), cfg.Kafka.Topics.Incidents
			if letters {
				p := incidents.LetterPrinter{W: c.out, JSON: asJSON, Values: values, Redact: cfg.Redaction.Redactor().Redact, Remedy: records.NewRemedy(cfg)}
				o.Topic, o.ShowLetter = cfg.Kafka.Topics.DLQ, p.Print
			}
			if err := cluster.RequireTopic(cmd.Context(), o.Kafka, o.Topic); err != nil {
				return err
			}
			registry, err := cfg.OpenRegistry(nil)
			if err != nil {
				return err
			}
			if registry != nil {
				defer registry.Close()
			}
			o.Decode, o.Show = records.NewFlagReader(registry), c.showFlag(cfg, asJSON, evidence)
			o.Note = c.err
			return inputAsUsage(incidents.Tail(cmd.Context(), o))
		},
	}
	cmd.Flags().BoolVar(&o.FromStart, "from-start", false, "start at the oldest retained record")
	cmd.Flags().BoolVar(&o.StopAtEnd, "stop-at-end", false, "stop at the current end instead of waiting for more")
	cmd.Flags().StringVar(&o.Detector, "detector", "", "only flags in which this `detector` fired")
	cmd.Flags().IntVar(&o.Max, "max", 0, "stop after so many records")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON per record")
	cmd.Flags().BoolVar(&evidence, "evidence", false, "show what fired and why")
	cmd.Flags().BoolVar(&letters, "dead-letters", false, "follow the dead letters instead of the flags")
	cmd.Flags().BoolVar(&values, "values", false, "with --dead-letters: show the values, redacted")
	cmd.MarkFlagsMutuallyExclusive("dead-letters", "detector")
	cmd.MarkFlagsMutuallyExclusive("dead-letters", "evidence")
	return cmd
}

// showFlag returns how a flag is printed.
func (c *cli) showFlag(cfg *config.Config, asJSON, evidence bool) func(f *schemas.Flag, raw []byte) error {
	printer := console.FlagPrinter{W: c.out, Color: c.useColor(c.out), NoAlert: evaluation.NoAlert(cfg)}
	return func(f *schemas.Flag, raw []byte) error {
		switch {
		case asJSON:
			return incidents.WriteLine(c.out, f, raw)
		case evidence:
			return printer.Detail(f)
		default:
			return printer.Line(f)
		}
	}
}
