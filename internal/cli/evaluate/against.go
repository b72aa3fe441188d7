package evaluate

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/calibration/quality"
	"confab/internal/console"
	"confab/internal/tablefile"
)

// scoreSuffix ends the names of the columns of scores.
const scoreSuffix = "_score"

// readEarlier reads a table that --rows of an earlier run wrote.
func readEarlier(path string) (map[quality.RowKey]quality.EarlierRow, error) {
	rows, bad, err := tablefile.ReadTable(path)
	if err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	if len(bad) > 0 {
		return nil, fmt.Errorf("--against: %w", bad[0])
	}
	earlier := make(map[quality.RowKey]quality.EarlierRow, len(rows))
	for _, row := range rows {
		key := quality.RowKey{Dataset: row.Values["dataset"], ID: row.Values["id"]}
		one, err := earlierRow(row.Values)
		if err != nil {
			return nil, fmt.Errorf("--against: %s: %w", row.Place, err)
		}
		if _, twice := earlier[key]; twice {
			return nil, fmt.Errorf("--against: %s: the id %q is that of another row of %s", row.Place, key.ID, key.Dataset)
		}
		earlier[key] = one
	}
	return earlier, nil
}

var errNoResult = errors.New("the row lacks id, dataset or label (0 or 1): give a file that confab evaluate --rows wrote")

func earlierRow(values map[string]string) (quality.EarlierRow, error) {
	label := values["label"]
	if values["id"] == "" || values["dataset"] == "" || label != "0" && label != "1" {
		return quality.EarlierRow{}, errNoResult
	}
	one := quality.EarlierRow{Positive: label == "1", Scores: map[string]float64{}}
	for name, value := range values {
		detector, isScore := strings.CutSuffix(name, scoreSuffix)
		if name == quality.Risk {
			detector, isScore = quality.Risk, true
		}
		if !isScore {
			continue
		}
		score, err := strconv.ParseFloat(value, 64)
		if err != nil || score-score != 0 {
			return one, fmt.Errorf("%s %q is not a number", name, value)
		}
		one.Scores[detector] = score
	}
	return one, nil
}

// printDifferences prints the comparison with the earlier run.
func printDifferences(w io.Writer, by quality.By, list []quality.Difference, f QualityFormat) error {
	t := newTable(table.Row{"data set", string(by), "detector", "rows", "AUROC before", "now", "difference"})
	for i := range list {
		d := &list[i]
		if d.OnlySlice {
			continue
		}
		t.AppendRow(table.Row{
			console.Sanitize(d.Dataset), console.Sanitize(d.Slice), d.Detector, d.Rows,
			fmt.Sprintf("%.3f", d.Before), fmt.Sprintf("%.3f", d.Now), signedFigure(d.Change),
		})
	}
	if f == QualityMarkdown {
		return console.Printf(w, "\n%s\n", t.RenderMarkdown())
	}
	return console.Printf(w, "\n%s\n", console.FitTable(t, console.Columns(w)))
}

// signedFigure has four digits, because differences are small.
func signedFigure(f quality.Figure) string {
	text := fmt.Sprintf("%+.4f", f.Value)
	if f.Low-f.Low == 0 {
		text += fmt.Sprintf(" [%+.4f, %+.4f]", f.Low, f.High)
	}
	return text
}
