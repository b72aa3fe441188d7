package detectors

import (
	"fmt"
	"strings"

	"confab/internal/text/units"
)

// Units are the units of the answer, of every kind.
func (d *Document) Units() *units.List {
	if d.beginPart(madeUnits) {
		d.makeTokens()
		d.Work().Spend(len(d.raw) / claimBytes)
		d.units.Reset()
		d.units.Answer(d.Text(), d.sentences, d.ranges, d.tokens)
	}
	return &d.units
}

// skippedKinds names the kinds that are not judged.
//
//nolint:gochecknoglobals // a read-only table
var skippedKinds = [...]string{
	units.Heading: "heading", units.Courtesy: "courtesy", units.Question: "question", units.About: "about_the_answer",
	units.LeadIn: "lead_in", units.Abstention: "abstention", units.Short: "short", units.Code: "code", units.Citations: "citations",
}

// unitsSkipped counts the units that are no statements by kind, such as "heading 2, question 1"; "" for none.
func (d *Document) unitsSkipped() string {
	if d.made&madeUnits == 0 {
		return "" // nothing was read as text
	}
	var counts [len(skippedKinds)]int
	for i := range d.units.Units {
		counts[d.units.Units[i].Kind]++
	}
	var list []string
	for kind, n := range counts {
		if n > 0 && kind != int(units.Statement) {
			list = append(list, fmt.Sprintf("%s %d", skippedKinds[kind], n))
		}
	}
	return strings.Join(list, ", ")
}
