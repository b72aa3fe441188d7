package cells

import (
	"slices"
	"unsafe"

	"confab/detectors"
	"confab/detectors/synonyms"
	"confab/internal/text/figures"
)

// Content is what the sources alone determine.
type Content struct {
	Cells    []Cell
	Columns  []Column
	Records  []cellRecord
	Groups   []recordGroup
	Words    []keyWord
	Figures  []figures.Figure
	entries  []Entry
	sorted   bool // the entries are sorted
	plain    bool // every source is a record or table without prose
	Synonyms *synonyms.Table
	cost     int // units of work
}

func (x *Index) readSources(d *detectors.Document) {
	before := x.Work.Spent()
	x.Cells, x.Columns, x.Records, x.Groups = x.Cells[:0], x.Columns[:0], x.Records[:0], x.Groups[:0]
	x.Words, x.Figures, x.entries = x.Words[:0], x.Figures[:0], x.entries[:0]
	x.plain = d.Sources() > 0
	for i := range d.Sources() {
		if !x.readSource(d.Source(i), int32(i), d.TokensRead(i)) {
			x.plain = false
		}
	}
	if len(x.Cells) == 0 {
		x.plain = false
	} else if x.Work.Spend(cellCost * (len(x.Cells) + len(x.Columns))) {
		x.describeColumns(d)
		x.buildEntries()
	}
	x.cost = int(x.Work.Spent() - before)
}

func (c *Content) clone() *Content {
	copied := *c
	copied.Cells, copied.Columns, copied.Records = slices.Clone(c.Cells), slices.Clone(c.Columns), slices.Clone(c.Records)
	copied.Groups, copied.Words = slices.Clone(c.Groups), slices.Clone(c.Words)
	copied.Figures, copied.entries = slices.Clone(c.Figures), slices.Clone(c.entries)
	return &copied
}

// size is the memory of the content, in bytes.
func (c *Content) size() int {
	return int(unsafe.Sizeof(*c)) + bytesOf(c.Cells) + bytesOf(c.Columns) + bytesOf(c.Records) + bytesOf(c.Groups) + bytesOf(c.Words) +
		bytesOf(c.Figures) + bytesOf(c.entries)
}

func bytesOf[T any](list []T) int {
	var one T
	return len(list) * int(unsafe.Sizeof(one))
}
