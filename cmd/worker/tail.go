package main

import (
	"bytes"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"confab/cmd/worker/internal/cluster"
	"confab/cmd/worker/internal/console"
	"confab/cmd/worker/internal/incidents"
	"confab/cmd/worker/internal/records"
	"confab/schemas"
	"confab/schemas/json"
)

func newTail(c *cli) *cobra.Command {
	var o incidents.TailOptions
	var asJSON, evidence bool
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Follows the flags as they are written",
		Long: `Prints the flags of llm.incidents as they arrive, one line each. It joins no consumer group and commits nothing.
Stop it with Ctrl-C.`,
		Example: `  confab tail
  confab tail --from-start --stop-at-end --json > flags.jsonl
  confab tail --detector citation --evidence`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			o.Kafka, o.Topic = cfg.KafkaClient(c.logger(cfg)), cfg.Kafka.Topics.Incidents
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
			o.Decode = records.NewFlagReader(registry)
			printer := console.FlagPrinter{W: c.out, Color: c.useColor(c.out)}
			o.Show = func(f *schemas.Flag, raw []byte) error {
				switch {
				case asJSON:
					return writeJSON(c.out, f, raw)
				case evidence:
					return printer.Detail(f)
				default:
					return printer.Line(f)
				}
			}
			return incidents.Tail(cmd.Context(), o)
		},
	}
	cmd.Flags().BoolVar(&o.FromStart, "from-start", false, "start at the oldest retained flag")
	cmd.Flags().BoolVar(&o.StopAtEnd, "stop-at-end", false, "stop at the current end instead of waiting for more")
	cmd.Flags().StringVar(&o.Detector, "detector", "", "only flags in which this `detector` fired")
	cmd.Flags().IntVar(&o.Max, "max", 0, "stop after so many flags")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the records as JSON")
	cmd.Flags().BoolVar(&evidence, "evidence", false, "show what fired and why")
	return cmd
}

// writeJSON writes a JSON record as it is, and an Avro record converted to JSON.
func writeJSON(w io.Writer, f *schemas.Flag, raw []byte) error {
	if !bytes.HasPrefix(raw, []byte("{")) {
		var err error
		if raw, err = json.AppendFlag(nil, f); err != nil {
			return err
		}
	}
	_, err := w.Write(append(slices.Clip(raw), '\n'))
	return err
}
