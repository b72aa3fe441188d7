package layout

import "strings"

// listEndings stand before the last item of a list that is written as one sentence.
const listEndings = "; and|, and|; or|, or|; und|; oder|, und|, oder|; y|; o|, y|, o|; et|; ou|, et|, ou|;|,"

// endLists gives a full stop to the last kept item of a list whose last item is cut, if it ends in "; and".
func (c *Cut) endLists() (splices []Splice) {
	a := c.answer
	for k := 1; k < len(a.blocks); k++ {
		last := &a.blocks[k]
		isLast := last.kind == itemLine && (k+1 == len(a.blocks) || a.blocks[k+1].kind != itemLine)
		if !isLast || !c.isGone(last) || !strings.HasSuffix(a.Text[:a.Units[last.end-1].End], ".") {
			continue
		}
		if i := c.lastKeptItem(k); i >= 0 {
			u := &a.Units[i]
			if ending := listEnding(a.Text[u.Start:u.End]); ending > 0 {
				splices = append(splices, Splice{u.End - ending, u.End, "."})
			}
		}
	}
	return splices
}

// lastKeptItem is the last unit of the last item before the k-th block that has kept ones, -1 for none.
func (c *Cut) lastKeptItem(k int) int {
	a := c.answer
	for k--; k >= 0 && a.blocks[k].kind == itemLine; k-- {
		if b := &a.blocks[k]; !c.isGone(b) {
			return c.lastKept(b)
		}
	}
	return -1
}

// listEnding is the length of the ending of an item that another one follows, 0 for none.
func listEnding(s string) int {
	for ending := range strings.SplitSeq(listEndings, "|") {
		if len(s) > len(ending) && strings.HasSuffix(s, ending) {
			return len(ending)
		}
	}
	return 0
}
