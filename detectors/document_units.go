package detectors

import (
	"fmt"
	"slices"
	"strings"

	"confab/internal/text/units"
)

// Claim is a unit of the answer that states something a source could support.
type Claim struct {
	Start, End  int32 // bytes of the answer
	First, Last int32 // its tokens, half open
}

// Claims are the claims of the answer. In an answer without a statement, units that name something ("Lyon") count.
func (d *Document) Claims() []Claim {
	if d.beginPart(madeClaims) {
		d.claims = d.appendClaims(d.claims[:0])
	}
	return d.claims
}

// JudgedKinds is the set of the kinds of units that are compared with the sources: statements; in an answer without any, what
// may name or presuppose something. Of these, questions are no claims.
func (d *Document) JudgedKinds() uint {
	if d.Units().Has(units.Statement) {
		return 1 << units.Statement
	}
	return 1<<units.Short | 1<<units.Heading | 1<<units.LeadIn | 1<<units.Question
}

// hasJudged reports a unit that is compared with the sources.
func (d *Document) hasJudged() bool {
	kinds := d.JudgedKinds()
	return slices.ContainsFunc(d.units.Units, func(u units.Unit) bool { return kinds>>u.Kind&1 != 0 })
}

func (d *Document) appendClaims(dst []Claim) []Claim {
	list, kinds := d.Units(), d.JudgedKinds()&^(1<<units.Question)
	for i := range list.Units {
		u := &list.Units[i]
		if kinds>>u.Kind&1 == 0 {
			continue
		}
		c := Claim{Start: u.Start, End: u.End}
		for _, r := range list.RunsOf(i) {
			if r.Head {
				continue // it may stand elsewhere
			}
			if c.Last == 0 {
				c.First = r.First
			}
			c.Last = r.Last
		}
		if c.Last > c.First {
			dst = append(dst, c)
		}
	}
	return dst
}

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

// unitsSkipped counts the units that are not judged by kind, such as "heading 2, question 1"; "" for none.
func (d *Document) unitsSkipped() string {
	if d.made&madeUnits == 0 {
		return "" // nothing was read as text
	}
	var counts [len(skippedKinds)]int
	kinds := d.JudgedKinds()
	for i := range d.units.Units {
		if k := d.units.Units[i].Kind; kinds>>k&1 == 0 {
			counts[k]++
		}
	}
	var list []string
	for kind, n := range counts {
		if n > 0 {
			list = append(list, fmt.Sprintf("%s %d", skippedKinds[kind], n))
		}
	}
	return strings.Join(list, ", ")
}
