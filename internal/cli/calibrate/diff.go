package calibrate

import (
	"fmt"
	"math"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/calibration/roc"
	"confab/calibration/thresholds"
	"confab/internal/console"
)

// diff prints what changes, without statistical terms.
func (p *calibrationPrinter) diff(d *thresholds.Diff) {
	assumed := "as in the labels; state that of your traffic with --base-rate"
	switch {
	case d.BaseRateStated:
		assumed = "as you state"
	case d.Weighted:
		assumed = "as in the weighted labels"
	}
	p.printf("\nagainst %s, were %s of the answers bad (%s):\n", d.OldID, formatPercent(d.BadShare), assumed)
	var rows []table.Row
	for i := range d.Changes {
		c := &d.Changes[i]
		rows = append(rows, table.Row{
			c.Detector, console.Sanitize(thresholds.KeyName(c.ThresholdKey)), formatLimit(c.Old) + " → " + formatLimit(c.New),
			formatPercent(c.SharesFired[0]) + " → " + formatPercent(c.SharesFired[1]),
			formatPrecision(&c.Before) + " → " + formatPrecision(&c.After), per100(c.Before.Recall) + " → " + per100(c.After.Recall),
		})
	}
	if len(rows) > 0 {
		p.table(table.Row{"detector", "where", "threshold", "fires on, of all answers", "right, of 100 that fire", "found, of 100 bad ones"}, rows)
	}
	p.printf("%s of the answers alert instead of %s, and alerts are right in %s of the cases instead of %s\n",
		formatPercent(d.New.Share), formatPercent(d.Old.Share), formatPercent(d.New.Precision), formatPercent(d.Old.Precision))
	for _, note := range d.Notes {
		p.printf("note: %s\n", note)
	}
}

func formatLimit(l thresholds.Limit) string {
	if !l.Armed {
		return "not armed"
	}
	text := strconv.FormatFloat(l.At, 'g', -1, 64)
	if !l.Listed {
		text += " (coarser)"
	}
	return text
}

func formatPrecision(c *roc.Candidate) string {
	if c.Fired == 0 {
		return "–"
	}
	return per100(c.Precision)
}

func per100(x float64) string { return fmt.Sprintf("%.0f", math.Round(100*x)) }
