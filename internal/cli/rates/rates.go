package rates

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/calibration/rate"
	"confab/internal/console"
)

// ErrNoSample means that there is nothing to estimate from.
var ErrNoSample = errors.New("no sampled answer has a verdict: set sampling.salt_file, run the role sample with a model under llm, and tag answers as sampling.tags says, " +
	"or label sampled incidents (confab label); flags carry sampled and sample_probability then")

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
	t := console.NewTable(append(header, "by", "verdicts", "no verdict", "answers"))
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
	for _, warning := range warnings(res) {
		fmt.Fprintf(notes, "warning: %s\n", warning)
	}
	if res.Unsampled > 0 {
		fmt.Fprintf(notes, "%d labels are of answers that were not sampled: people label what alerts, so they do not count\n", res.Unsampled)
	}
	return nil
}

func warnings(res *rate.Result) []string {
	list := []string{}
	if res.Total.JudgesWord {
		list = append(list, fmt.Sprintf("the rate is the judge's word, with its errors: from %d labels of answers that did not alert, too, it is corrected (confab tune draws them)", rate.MinSample))
	}
	if missing := missingWarning(res); missing != "" {
		list = append(list, missing)
	}
	return list
}

// maxMissing is the share of answers without a verdict from which on there is a warning.
const maxMissing = 0.1

// missingWarning says in which rows too many sampled answers have no verdict; "" if there are none. Whether those answers are
// worse than the judged ones is unknown.
func missingWarning(res *rate.Result) string {
	where, share := "", res.Total.Missing
	if share <= maxMissing {
		rows := slices.DeleteFunc(slices.Clone(res.Rows), func(row rate.Row) bool { return row.Missing <= maxMissing })
		if len(rows) == 0 {
			return ""
		}
		where, share = " of "+console.Sanitize(strings.Join(rows[0].Values, " / ")), rows[0].Missing
		if more := len(rows) - 1; more > 0 {
			where += fmt.Sprintf(" (and too much of %d more)", more)
		}
	}
	return fmt.Sprintf("%.0f %% of the sampled traffic%s has no verdict, more than %.0f %%: the rate is that of judged answers only; "+
		"raise the budget of llm, look at confab_not_judged_total, or label sampled answers", 100*share, where, 100*maxMissing)
}

func figures(row *rate.Row) table.Row {
	cells := append(table.Row{}, estimate(&row.Interval)...)
	if b := row.Before; b != nil {
		cells = append(cells, estimate(&b.Interval)...)
		change := table.Row{"-", "-"}
		if b.Known {
			change = table.Row{fmt.Sprintf("%+.1f", 100*b.Change), fmt.Sprintf("%+.1f to %+.1f", 100*b.Low, 100*b.High)}
		}
		cells = append(append(cells, change...), b.Word())
	}
	return append(cells, row.By(), row.Verdicts, row.Unjudged, fmt.Sprintf("%.0f", row.Answers))
}

func estimate(e *rate.Interval) table.Row {
	if !e.Enough() {
		return table.Row{"-", fmt.Sprintf("%d more verdicts", rate.MinSample-e.Verdicts)}
	}
	return table.Row{fmt.Sprintf("%.1f %%", 100*e.Value), fmt.Sprintf("%.1f to %.1f", 100*e.Low, 100*e.High)}
}

// jsonEstimate is an estimate for scripts. Rate, Low and High are null where there are too few verdicts.
type jsonEstimate struct {
	Rate     *float64 `json:"rate"`
	Low      *float64 `json:"low"`
	High     *float64 `json:"high"`
	By       string   `json:"by"`
	Verdicts int      `json:"verdicts"`
	Wrong    int      `json:"wrong"`
	Labelled int      `json:"labelled"`
	Answers  float64  `json:"answers"`
}

type jsonRow struct {
	jsonEstimate

	Values   map[string]string `json:"values"`
	Unjudged int               `json:"unjudged"`
	Missing  float64           `json:"missing"` // share of the sampled traffic without a verdict
	Before   *jsonEstimate     `json:"before,omitempty"`
	Change   *jsonChange       `json:"change,omitempty"`
}

// jsonChange is the difference of two windows; null where it is not known.
type jsonChange struct {
	Value *float64 `json:"value"`
	Low   *float64 `json:"low"`
	High  *float64 `json:"high"`
	Word  string   `json:"word"`
}

// PrintJSON prints one object: rows and total.
func PrintJSON(w io.Writer, res *rate.Result) error {
	out := struct {
		Rows     []jsonRow `json:"rows"`
		Total    jsonRow   `json:"total"`
		Warnings []string  `json:"warnings"`
	}{Rows: []jsonRow{}, Total: rowForScripts(nil, &res.Total), Warnings: warnings(res)}
	for i := range res.Rows {
		out.Rows = append(out.Rows, rowForScripts(res.By, &res.Rows[i]))
	}
	return console.PrintJSON(w, out)
}

func rowForScripts(by []string, row *rate.Row) jsonRow {
	r := jsonRow{jsonEstimate: estimateForScripts(&row.Interval), Values: map[string]string{}, Unjudged: row.Unjudged, Missing: row.Missing}
	for i, name := range by {
		r.Values[name] = row.Values[i]
	}
	if b := row.Before; b != nil {
		before := estimateForScripts(&b.Interval)
		r.Before, r.Change = &before, &jsonChange{Word: b.Word()}
		if b.Known {
			r.Change.Value, r.Change.Low, r.Change.High = &b.Change, &b.Low, &b.High
		}
	}
	return r
}

func estimateForScripts(e *rate.Interval) jsonEstimate {
	j := jsonEstimate{By: e.By(), Verdicts: e.Verdicts, Wrong: e.Wrong, Labelled: e.Labelled, Answers: math.Round(e.Answers)}
	if e.Enough() {
		j.Rate, j.Low, j.High = &e.Value, &e.Low, &e.High
	}
	return j
}
