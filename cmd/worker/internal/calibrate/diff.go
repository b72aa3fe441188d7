package calibrate

import (
	"fmt"
	"math"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/calibration/roc"
	"confab/calibration/thresholds"
	"confab/cmd/worker/internal/console"
)

// diff tells what would change, in words that need no statistics.
func (p *calibrationPrinter) diff(d *thresholds.Diff) {
	assumed := "as in the labels; state that of your traffic with --base-rate"
	switch {
	case d.Stated:
		assumed = "as you state"
	case d.Weighed:
		assumed = "as the weighed labels tell"
	}
	p.say("\nagainst %s, were %s of the answers bad (%s):\n", d.OldID, percent(d.BadShare), assumed)
	var rows []table.Row
	for i := range d.Changes {
		c := &d.Changes[i]
		rows = append(rows, table.Row{
			c.Detector, console.Sanitize(thresholds.KeyName(c.Tenant, c.Operation)), limit(c.Old) + " → " + limit(c.New),
			percent(c.SharesFired[0]) + " → " + percent(c.SharesFired[1]),
			right(&c.Before) + " → " + right(&c.After), right100(c.Before.Recall) + " → " + right100(c.After.Recall),
		})
	}
	if len(rows) > 0 {
		p.table(table.Row{"detector", "where", "threshold", "fires on, of all answers", "right, of 100 that fire", "found, of 100 bad ones"}, rows)
	}
	if d.Traffic > 0 {
		before, wrongBefore := d.PingsPerDay(d.Old)
		after, wrongAfter := d.PingsPerDay(d.New)
		p.say("at %.0f answers a day, on-call would hear of %.0f instead of %.0f, of which %.0f instead of %.0f are fine; ",
			d.Traffic, after, before, wrongAfter, wrongBefore)
		bad := d.Traffic * d.BadShare
		p.say("of %.0f bad answers they would hear of %.0f instead of %.0f\n", bad, after-wrongAfter, before-wrongBefore)
	} else {
		p.say("two or more fire on %s of the answers instead of %s, and are right in %s of the cases instead of %s\n",
			percent(d.New.Share), percent(d.Old.Share), percent(d.New.Precision), percent(d.Old.Precision))
	}
	for _, note := range d.Notes {
		p.say("note: %s\n", note)
	}
}

func limit(l thresholds.Limit) string {
	if !l.Armed {
		return "not armed"
	}
	text := strconv.FormatFloat(l.At, 'g', -1, 64)
	if !l.Listed {
		text += " (coarser)"
	}
	return text
}

func right(c *roc.Candidate) string {
	if c.Fired == 0 {
		return "–"
	}
	return right100(c.Precision)
}

func right100(x float64) string { return fmt.Sprintf("%.0f", math.Round(100*x)) }
