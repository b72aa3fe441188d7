package grounding

import "confab/detectors"

// ColumnNames are the names of the columns that Columns adds.
func ColumnNames() []string { return []string{"bytes"} }

// Columns calls add for each claim of the document's answer: its place, in bytes of the answer, and the numbers that the claim model
// reads. The slice is valid until the next call.
func Columns(doc *detectors.Document, add func(start, end int, x []float32)) {
	for _, c := range doc.Statements() {
		add(int(c.Start), int(c.End), []float32{float32(c.End - c.Start)})
	}
}
