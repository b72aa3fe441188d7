package evaluate

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"confab/calibration/quality"
	"confab/internal/console"
)

// Floor is a required figure.
type Floor struct {
	slice    string // a data set, or a data set and a slice of it: ragtruth, ragtruth/qa
	detector string
	metric   quality.Metric
	least    float64
}

// ParseFloor reads "ragtruth.risk.auroc=0.83" or, for one slice of a data set, "ragtruth/qa.risk.auroc=0.85".
func ParseFloor(text string) (Floor, error) {
	name, value, _ := strings.Cut(text, "=")
	parts := strings.Split(name, ".")
	least, err := strconv.ParseFloat(value, 64)
	if n := len(parts); n >= 3 && err == nil && least >= 0 && least <= 1 {
		metric, known := quality.MetricOf(parts[n-1])
		if known && metric.MoreIsBetter() {
			return Floor{strings.Join(parts[:n-2], "."), parts[n-2], metric, least}, nil
		}
	}
	var names []string
	for _, m := range quality.Metrics() {
		if m.MoreIsBetter() {
			names = append(names, m.String())
		}
	}
	return Floor{}, fmt.Errorf("floor %q: write DATASET[/TASK].DETECTOR.METRIC=SHARE as in ragtruth.risk.auroc=0.83; metrics where more is better are %s",
		text, strings.Join(names, ", "))
}

func (f Floor) holdsFor(l *quality.Line) bool {
	return l.Detector == f.detector && (f.slice == l.Dataset+"/"+l.Slice || f.slice == l.Dataset && l.Slice == quality.All)
}

// belowFloors reports every figure below its floor, or undefined.
func belowFloors(errw io.Writer, r *quality.Report, floors []Floor) (below bool, err error) {
	for _, f := range floors {
		found := false
		for i := range r.Lines {
			l := &r.Lines[i]
			if !f.holdsFor(l) {
				continue
			}
			found = true
			if value := l.Figures[f.metric].Value; !(value >= f.least) {
				below = true
				fmt.Fprintf(errw, "%s of %s on %s is %s, less than %s\n", f.metric, f.detector, console.Sanitize(f.slice),
					orNone(quality.Share(value)), quality.Share(f.least))
			}
		}
		if !found {
			return false, &console.InputError{Err: fmt.Errorf("--fail-below %s.%s.%s: the report has no such line: name a data set and a detector of the table", f.slice, f.detector, f.metric)}
		}
	}
	return below, nil
}

func orNone(text string) string {
	if text == "" {
		return "not defined"
	}
	return text
}
