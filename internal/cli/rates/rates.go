package rates

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/calibration/rate"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/incidents"
)

// ErrNoSample means that there is nothing to estimate from.
var ErrNoSample = errors.New("no sampled answer has a verdict: set sampling.salt_file, run the role sample with a model under llm, and tag answers as sampling.tags says, " +
	"or label sampled incidents (confab label); flags carry sampled and sample_probability then")

// Read adds the flags since a time, and all labels, to the collector.
func Read(ctx context.Context, c *rate.Collector, flags *incidents.FindOptions, labels string, since time.Time) (unreadable int, err error) {
	for _, topic := range []string{flags.Topic, labels} {
		if err := cluster.RequireTopic(ctx, flags.Kafka, topic); err != nil {
			return 0, err
		}
	}
	unreadable, err = incidents.EachFlag(ctx, flags, kafka.Position{Kind: kafka.PositionTime, Time: since}, c.AddFlag)
	if err != nil {
		return unreadable, err
	}
	more, err := incidents.EachLabel(ctx, flags.Kafka, labels, c.AddLabel)
	return unreadable + more, err
}

// PrintTable prints the estimates to w, and what they leave out to notes.
func PrintTable(w, notes io.Writer, res *rate.Result, unreadable int) error {
	header := table.Row{}
	for _, name := range res.By {
		header = append(header, name)
	}
	t := console.NewTable(append(header, "hallucinated", "95 % interval", "judged", "labelled", "no verdict", "answers"))
	for i := range res.Rows {
		row := &res.Rows[i]
		cells := table.Row{}
		for _, v := range row.Values {
			cells = append(cells, console.Sanitize(v))
		}
		t.AppendRow(append(cells, figures(row)...))
	}
	if len(res.By) > 0 {
		total := table.Row{"all"}
		for range res.By[1:] {
			total = append(total, "")
		}
		t.AppendFooter(append(total, figures(&res.Total)...))
	}
	if err := console.PrintTable(w, t); err != nil {
		return err
	}
	if warning := missingWarning(res); warning != "" {
		fmt.Fprintf(notes, "warning: %s\n", warning)
	}
	if res.Unsampled > 0 {
		fmt.Fprintf(notes, "%d labels are of answers that were not sampled: people label what alerts, so they do not count\n", res.Unsampled)
	}
	if unreadable > 0 {
		fmt.Fprintf(notes, "%d records could not be read\n", unreadable)
	}
	return nil
}

// missingWarning says in which rows too many sampled answers have no verdict; "" if there are none. Whether those answers are
// worse than the judged ones is unknown.
func missingWarning(res *rate.Result) string {
	where, share := "", res.Total.Missing
	if !res.Total.Conditional() {
		rows := slices.DeleteFunc(slices.Clone(res.Rows), func(row rate.Row) bool { return !row.Conditional() })
		if len(rows) == 0 {
			return ""
		}
		where, share = " of "+console.Sanitize(strings.Join(rows[0].Values, " / ")), rows[0].Missing
		if more := len(rows) - 1; more > 0 {
			where += fmt.Sprintf(" (and too much of %d more)", more)
		}
	}
	return fmt.Sprintf("%.0f %% of the sampled traffic%s has no verdict, more than %.0f %%: the rate is that of judged answers only; "+
		"raise the budget of llm, look at confab_not_judged_total, or label sampled answers", 100*share, where, 100*rate.MaxMissing)
}

func figures(row *rate.Row) table.Row {
	share, interval := "-", fmt.Sprintf("%d more verdicts", rate.MinSample-row.Judged)
	if row.Enough() {
		share = fmt.Sprintf("%.1f %%", 100*row.Share)
		interval = fmt.Sprintf("%.1f to %.1f", 100*row.Low, 100*row.High)
	}
	return table.Row{share, interval, row.Judged, row.Labelled, row.Unjudged, fmt.Sprintf("%.0f", row.Traffic)}
}

// jsonRow is a row for scripts. Rate, Low and High are null where there are too few verdicts.
type jsonRow struct {
	Values   map[string]string `json:"values"`
	Rate     *float64          `json:"rate"`
	Low      *float64          `json:"low"`
	High     *float64          `json:"high"`
	Judged   int               `json:"judged"`
	Positive int               `json:"positive"`
	Labelled int               `json:"labelled"`
	Unjudged int               `json:"unjudged"`
	Answers  float64           `json:"answers"`

	// Missing is the share of the sampled traffic without a verdict. If it is high, the rate is that of judged answers only.
	Missing     float64 `json:"missing"`
	Conditional bool    `json:"conditional"`
}

// PrintJSON prints one object: rows and total.
func PrintJSON(w io.Writer, res *rate.Result) error {
	out := struct {
		Rows  []jsonRow `json:"rows"`
		Total jsonRow   `json:"total"`

		Warnings []string `json:"warnings"`
	}{Rows: []jsonRow{}, Total: rowForScripts(nil, &res.Total), Warnings: []string{}}
	if warning := missingWarning(res); warning != "" {
		out.Warnings = append(out.Warnings, warning)
	}
	for i := range res.Rows {
		out.Rows = append(out.Rows, rowForScripts(res.By, &res.Rows[i]))
	}
	return console.PrintJSON(w, out)
}

func rowForScripts(by []string, row *rate.Row) jsonRow {
	r := jsonRow{
		Values: map[string]string{}, Judged: row.Judged, Positive: row.Positive, Labelled: row.Labelled, Unjudged: row.Unjudged,
		Answers: math.Round(row.Traffic), Missing: row.Missing, Conditional: row.Conditional(),
	}
	for i, name := range by {
		r.Values[name] = row.Values[i]
	}
	if row.Enough() {
		r.Rate, r.Low, r.High = &row.Share, &row.Low, &row.High
	}
	return r
}
