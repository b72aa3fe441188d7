package calibrate

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/thresholds"
)

// print prints the labels, the precision of each detector and the limitations.
func (b *labelledFeedback) print(w io.Writer, r *thresholds.Report) error {
	if b == nil {
		return nil
	}
	p := &calibrationPrinter{w: w}
	var parts []string
	for h := range b.Strata {
		n := &b.Strata[h]
		parts = append(parts, fmt.Sprintf("%d of %d %s", n.Labelled, n.Recorded, measure.Stratum(h)))
	}
	people := fmt.Sprintf("%d people", b.People)
	if b.People == 1 {
		people = "one person"
	}
	p.printf("feedback: %d incidents since %s, labelled by %s: %s; %d measured again\n",
		len(b.Incidents), b.o.Since.UTC().Format(time.DateOnly), people, strings.Join(parts, ", "), len(b.measured))
	next, err := calibration.New(*r.File)
	if err != nil {
		return err
	}
	var rows []table.Row
	for _, f := range b.Precisions() {
		row := table.Row{"alerts", f.Labels, f.Confirmed, "–", "–", "–", formatPercent(f.UnlabelledShare), ""}
		if f.Labels > 0 {
			row[3], row[4], row[5] = formatShare(f.Unweighted), formatShare(f.Precision), formatShare(f.Low)+"–"+formatShare(f.High)
		}
		if f.Detector != "" {
			row[0] = f.Detector
			row[7] = thresholdOf(b.current, f.Detector) + " → " + thresholdOf(next, f.Detector)
		}
		rows = append(rows, row)
	}
	p.table(table.Row{"right where it fired", "labels", "confirmed", "as labelled", "in the traffic", "95 %", "not labelled", "threshold"}, rows)
	for _, line := range b.limits() {
		p.printf("not known: %s\n", line)
	}
	p.printf("\n")
	return p.err
}

// thresholdOf is the detector's threshold for all tenants and operations.
func thresholdOf(c *calibration.Calibration, detector string) string {
	at, armed := c.Threshold(detector, "", "", "")
	if !armed {
		return "not armed"
	}
	return strconv.FormatFloat(math.Round(at*1e6)/1e6, 'g', -1, 64)
}
