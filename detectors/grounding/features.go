package grounding

import "confab/detectors"

// ColumnNames returns the names of the columns, in order.
func ColumnNames() []string {
	names := make([]string, columnsN)
	for c := range columnTable {
		names[c] = columnTable[c].name
	}
	return names
}

// Columns calls add with each claim of the document: its bytes of the answer and its columns, which are valid during the call.
func Columns(doc *detectors.Document, add func(start, end int, x []float32)) {
	p, _ := detectors.Scratch[pass](doc)
	p.measure(doc)
	for i := range p.rows {
		r := &p.rows[i]
		add(r.start, r.end, r.values[:])
	}
}
