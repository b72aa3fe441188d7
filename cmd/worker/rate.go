package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"confab/calibration/rate"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/cli/rates"
	"confab/internal/console"
	"confab/internal/worker/config"
	"confab/internal/worker/incidents"
)

// rateFlags are the flags of the rate command.
type rateFlags struct {
	by                    []string
	since, until, against string
	topics, asJSON        bool
}

// previous is the value of --against that names the window of the same length before.
const previous = "previous"

func newRate(c *cli) *cobra.Command {
	var f rateFlags
	cmd := c.newConfigured("rate", cobra.ArbitraryArgs, func(cmd *cobra.Command, cfg *config.Config, paths []string) error {
		by := cmd.Flags().Changed("by")
		if len(paths) > 0 && !f.topics && !cmd.Flags().Changed("since") {
			f.since = ""
		}
		res, err := c.estimateRates(cmd, cfg, paths, &f, by)
		switch {
		case err != nil:
			return err
		case res.Total.Verdicts == 0:
			return rates.ErrNoSample
		case f.asJSON:
			return rates.PrintJSON(c.out, res)
		}
		return rates.PrintTable(c.out, c.err, res)
	})
	flags := cmd.Flags()
	flags.StringSliceVar(&f.by, "by", []string{"model", "service"}, "`fields` to split by: "+strings.Join(rate.Dimensions(), ", ")+", attributes.NAME")
	flags.StringVar(&f.since, "since", "30d", "answers since a `time`, such as 36h or 7d ago; of files all")
	flags.StringVar(&f.until, "until", "", "answers before a `time`")
	flags.StringVar(&f.against, "against", "", "compare with the answers from a `time` up to --since, with the window of the same length before (previous), or with a file")
	flags.BoolVar(&f.topics, "topics", false, "read the topics besides the files")
	flags.BoolVar(&f.asJSON, "json", false, "write JSON for scripts")
	return cmd
}

// window returns the times of the answers, and the file to compare with, "" for none.
func (f *rateFlags) window(now time.Time) (o rate.Options, file string, err error) {
	o.By = f.by
	if o.Since, err = optionalTime("--since", f.since, now); err != nil {
		return o, "", err
	}
	if o.Until, err = optionalTime("--until", f.until, now); err != nil {
		return o, "", err
	}
	end := o.Until
	if end.IsZero() {
		end = now
	}
	if _, bad := os.Stat(f.against); f.against != "" && (bad == nil || rates.IsTable(f.against)) {
		return o, f.against, nil
	}
	switch {
	case f.against == "":
	case o.Since.IsZero():
		err = usageError{errors.New("--against needs --since, where the earlier window ends; or name a file")}
	case f.against == previous:
		o.From = o.Since.Add(o.Since.Sub(end))
	default:
		o.From, err = optionalTime("--against", f.against, now)
	}
	return o, "", err
}

func (c *cli) estimateRates(cmd *cobra.Command, cfg *config.Config, paths []string, f *rateFlags, chosen bool) (*rate.Result, error) {
	o, against, err := f.window(time.Now())
	if err != nil {
		return nil, err
	}
	o.Deep = detectors.Names(standard.Deep(standard.Dependencies{}))
	inputs := rates.Inputs{Paths: paths, Against: against, Windows: !o.From.IsZero(), Notes: c.err, Asked: chosen}
	if len(paths) == 0 || f.topics {
		flags, done, err := c.incidentFinder(cfg)
		if err != nil {
			return nil, err
		}
		defer done()
		count, end := console.NewStage(c.err, "records")
		defer end()
		flags.Progress = count
		inputs.Topics = &rates.Topics{Flags: flags, Labels: cfg.Kafka.Topics.Feedback, Votes: incidents.VotesOf(cfg), Start: o.Since}
		if !o.From.IsZero() {
			inputs.Topics.Start = o.From
		}
	}
	for _, name := range o.By {
		if err := rate.CheckDimension(name); err != nil {
			return nil, usageError{fmt.Errorf("--by: %w", err)}
		}
	}
	return inputs.Estimate(cmd.Context(), o)
}
