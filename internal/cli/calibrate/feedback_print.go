package calibrate

import (
	"fmt"
	"io"
	"strings"
	"time"

	"confab/calibration/measure"
)

// print prints the labels and the limitations.
func (b *labelledFeedback) print(w io.Writer) error {
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
	p.printf("feedback: %d incidents since %s, labelled by %s: %s\n",
		len(b.Incidents), b.o.Since.UTC().Format(time.DateOnly), people, strings.Join(parts, ", "))
	for _, line := range b.limits() {
		p.printf("not known: %s\n", line)
	}
	p.printf("\n")
	return p.err
}
