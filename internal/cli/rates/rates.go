package rates

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/calibration/rate"
	"confab/internal/console"
)

// ErrNoSample means that there is nothing to estimate from.
var ErrNoSample = errors.New("no answer of a sample has a verdict: give a table that confab tune drew and people filled in; " +
	"or let a judge read a sample (sampling.salt_file, sampling.tags, the role sample with a model under llm)")

// PrintTable prints the estimates to w, and what they leave out to notes.
func PrintTable(w, notes io.Writer, res *rate.Result) error {
	header := table.Row{}
	for _, name := range res.By {
		header = append(header, name)
	}
	header = append(header, "wrong", "95 % interval")
	if res.Compared {
		header = append(header, "before", "95 % interval", "change", "95 % interval", "in words")
	}
	header = append(header, "by", "verdicts", "no verdict", "answers")
	voted := res.Total.Down.Verdicts > 0
	if voted {
		header = append(header, "thumbs down", "95 % interval", "votes")
	}
	t := console.NewTable(header)
	for i := range res.Rows {
		row := &res.Rows[i]
		cells := table.Row{}
		for _, v := range row.Values {
			cells = append(cells, console.Sanitize(v))
		}
		t.AppendRow(append(cells, figures(row, voted)...))
	}
	if len(res.By) > 0 {
		total := table.Row{"all"}
		for range res.By[1:] {
			total = append(total, "")
		}
		t.AppendSeparator()
		t.AppendRow(append(total, figures(&res.Total, voted)...)) // a footer would be in capitals
	}
	if err := console.PrintTable(w, t); err != nil {
		return err
	}
	if res.Unjoined > 0 {
		fmt.Fprintf(notes, "%d votes of end users are on answers that are not in the sample, and do not count\n", res.Unjoined)
	}
	for _, warning := range warnings(res) {
		fmt.Fprintf(notes, "warning: %s\n", warning)
	}
	return nil
}

// maxMissing is the share of answers without a verdict from which on there is a warning.
const maxMissing = 0.1

func warnings(res *rate.Result) []string {
	list := []string{}
	if res.Total.JudgesWord {
		list = append(list, fmt.Sprintf("the rate is the judge's word, with its errors: from %d labels of answers that did not alert, too, it is corrected (confab tune draws them)", rate.MinSample))
	}
	for _, row := range append([]rate.Row{res.Total}, res.Rows...) {
		if row.Missing > maxMissing { // whether those answers are worse than the others is unknown
			return append(list, fmt.Sprintf("%.0f %% of the sampled traffic of %s has no verdict: the rate is that of judged answers only; "+
				"raise the budget of llm, look at confab_not_judged_total, or label sampled answers", 100*row.Missing, cmp.Or(console.Sanitize(strings.Join(row.Values, " / ")), "all")))
		}
	}
	return list
}

func figures(row *rate.Row, voted bool) table.Row {
	const verdicts, votes = "verdicts", "votes"
	cells := append(table.Row{}, estimate(&row.Interval, verdicts)...)
	if b := row.Before; b != nil {
		cells = append(cells, estimate(&b.Interval, verdicts)...)
		change := table.Row{"-", "-"}
		if b.Known {
			change = table.Row{fmt.Sprintf("%+.1f", 100*b.Change), fmt.Sprintf("%+.1f to %+.1f", 100*b.Low, 100*b.High)}
		}
		cells = append(append(cells, change...), b.Word())
	}
	cells = append(cells, row.By(), row.Verdicts, row.Unjudged, fmt.Sprintf("%.0f", row.Answers))
	if voted {
		cells = append(append(cells, estimate(&row.Down, votes)...), row.Down.Verdicts)
	}
	return cells
}

func estimate(e *rate.Interval, of string) table.Row {
	if !e.Enough() {
		return table.Row{"-", fmt.Sprintf("%d more %s", rate.MinSample-e.Verdicts, of)}
	}
	return table.Row{fmt.Sprintf("%.1f %%", 100*e.Value), fmt.Sprintf("%.1f to %.1f", 100*e.Low, 100*e.High)}
}

// PrintJSON prints one object: rows and total. What is not known is null.
func PrintJSON(w io.Writer, res *rate.Result) error {
	rows := []map[string]any{}
	for i := range res.Rows {
		rows = append(rows, rowForScripts(res.By, &res.Rows[i]))
	}
	return console.PrintJSON(w, map[string]any{"rows": rows, "total": rowForScripts(nil, &res.Total), "unjoined_votes": res.Unjoined, "warnings": warnings(res)})
}

func rowForScripts(by []string, row *rate.Row) map[string]any {
	values := map[string]string{}
	for i, name := range by {
		values[name] = row.Values[i]
	}
	m := estimateForScripts(&row.Interval)
	m["values"], m["unjudged"], m["missing"] = values, row.Unjudged, row.Missing
	if row.Down.Verdicts > 0 {
		down := estimateForScripts(&row.Down)
		m["thumbs_down"] = map[string]any{"votes": row.Down.Verdicts, "down": row.Down.Wrong, "rate": down["rate"], "low": down["low"], "high": down["high"]}
	}
	if b := row.Before; b != nil {
		change := map[string]any{"word": b.Word(), "value": nil, "low": nil, "high": nil}
		if b.Known {
			change["value"], change["low"], change["high"] = b.Change, b.Low, b.High
		}
		m["before"], m["change"] = estimateForScripts(&b.Interval), change
	}
	return m
}

func estimateForScripts(e *rate.Interval) map[string]any {
	m := map[string]any{"by": e.By(), "verdicts": e.Verdicts, "wrong": e.Wrong, "labelled": e.Labelled, "answers": math.Round(e.Answers), "rate": nil, "low": nil, "high": nil}
	if e.Enough() {
		m["rate"], m["low"], m["high"] = e.Value, e.Low, e.High
	}
	return m
}
