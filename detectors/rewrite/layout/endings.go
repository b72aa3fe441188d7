package layout

import "strings"

// listEndings stand before the last item of a list that is written as one sentence.
const listEndings = "; and|, and|; or|, or|; und|; oder|, und|, oder|; y|; o|, y|, o|; et|; ou|, et|, ou|;|,"

// endLists gives a full stop to the last kept item of a list whose last item is cut, if it ends in "; and".
func (c *Cut) endLists() (splices []Splice) {
	a := c.answer
	for k := 1; k < len(a.blocks); k++ {
		last := &a.blocks[k]
		if last.kind != itemLine || !c.isGone(last) || k+1 < len(a.blocks) && a.blocks[k+1].kind == itemLine {
			continue
		}
		n := k - 1
		for n > 0 && a.blocks[n].kind == itemLine && c.isGone(&a.blocks[n]) {
			n--
		}
		b := &a.blocks[n]
		if b.kind != itemLine || b.units == b.end || c.Causes[b.end-1] != Kept || !endsInStop(a.Text[:a.Units[last.end-1].End]) {
			continue
		}
		u := &a.Units[b.end-1]
		for ending := range strings.SplitSeq(listEndings, "|") {
			if s := a.Text[u.Start:u.End]; len(s) > len(ending) && strings.HasSuffix(s, ending) {
				splices = append(splices, Splice{u.End - len(ending), u.End, "."})
				break
			}
		}
	}
	return splices
}

func endsInStop(s string) bool { return strings.HasSuffix(s, ".") }
