package cells

import (
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
}

func (x *Index) readSources(d *detectors.Document) {
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
}
