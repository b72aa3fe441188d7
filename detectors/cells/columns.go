package cells

import (
	"strings"

	"confab/detectors"
	"confab/internal/text/figures"
)

// describeColumns finds the columns whose values name the records.
func (x *Index) describeColumns(d *detectors.Document) {
	x.shareWords()
	for i := range x.Columns {
		c := &x.Columns[i]
		if x.Groups[c.Group].Records < 2 {
			continue
		}
		switch {
		case c.Kinds == 1<<TextValue:
			c.Naming = x.namesRecords(d, int32(i), !x.hasBefore(int32(i), func(c *Column) bool { return c.Kinds == 1<<TextValue || c.Numbering }))
		case c.Kinds == 1<<NumberValue && c.Unit.Dimension == figures.None && !c.Percent:
			c.Numbering = !x.hasBefore(int32(i), func(*Column) bool { return true }) && x.isDistinct(int32(i))
		}
	}
	for i := range x.Columns {
		c := &x.Columns[i]
		c.Lead = (c.Naming || c.Numbering) && !x.hasBefore(int32(i), func(c *Column) bool { return c.Lead })
	}
}

// hasBefore reports whether a column of the group before this one is such a column.
func (x *Index) hasBefore(column int32, isSuch func(c *Column) bool) bool {
	x.Work.Spend(1 + int(column)/detectors.ScanRows)
	for i := range column {
		if c := &x.Columns[i]; c.Group == x.Columns[column].Group && isSuch(c) {
			return true
		}
	}
	return false
}

// isDistinct reports whether no two records have the same number in the column.
func (x *Index) isDistinct(column int32) bool {
	n := 0
	for i := range x.Cells {
		a := &x.Cells[i]
		if a.Column != column || a.EndFigure == a.FirstFigure {
			continue
		}
		n++
		if !x.Work.Spend(1 + (len(x.Cells)-i)/detectors.ScanRows) {
			return false
		}
		for k := i + 1; k < len(x.Cells); k++ {
			b := &x.Cells[k]
			if b.Column == column && b.EndFigure > b.FirstFigure && x.Figures[a.FirstFigure].Value == x.Figures[b.FirstFigure].Value {
				return false
			}
		}
	}
	return n > 1
}

// namesRecords reports a column of distinct names: texts with capitals or digits, such as "Hannah Voss" and "node-7". In
// the first column of texts any distinct texts are names.
func (x *Index) namesRecords(d *detectors.Document, column int32, first bool) bool {
	n := 0
	for i := range x.Cells {
		a := &x.Cells[i]
		if a.Column != column {
			continue
		}
		value := d.Source(int(a.Source))[a.Start:a.End]
		if a.Element || a.EndWord == a.FirstWord || !first && !isNameLike(value) {
			return false
		}
		n++
		if !x.Work.Spend(1 + (len(x.Cells)-i)/detectors.ScanRows) {
			return false
		}
		for k := i + 1; k < len(x.Cells); k++ {
			b := &x.Cells[k]
			if b.Column == column && d.Source(int(b.Source))[b.Start:b.End] == value {
				return false
			}
		}
	}
	return n > 1
}

func isNameLike(value string) bool {
	return strings.ContainsAny(value, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") && strings.IndexByte(value, '_') < 0
}

// shareWords marks the words that several columns of a group have. A mention needs the others only.
func (x *Index) shareWords() {
	for i := range x.Columns {
		for k := i + 1; k < len(x.Columns); k++ {
			if x.Columns[i].Group == x.Columns[k].Group {
				x.shareBetween(&x.Columns[i], &x.Columns[k])
			}
		}
		x.Work.Spend(len(x.Columns) - i)
	}
	for i := range x.Columns {
		c := &x.Columns[i]
		own := x.countOwn(c)
		if own == 0 {
			x.needVague(c)
			own = x.countOwn(c)
		}
		if own > 0 {
			c.Needed, c.Distinct = own, true
		}
	}
}

// countOwn counts the content words of the key that no other column of the group has.
func (x *Index) countOwn(c *Column) (n int32) {
	for w := c.FirstWord; w < c.EndWord; w++ {
		if v := &x.Words[w]; !v.Generic && !v.Shared && !v.Optional {
			n++
		}
	}
	return n
}

// needVague makes the generic words of a key count that alone distinguish it: "copies_available", "copies_total".
func (x *Index) needVague(c *Column) {
	for w := c.FirstWord; w < c.EndWord; w++ {
		if v := &x.Words[w]; v.vague && !v.Shared {
			v.Generic = false
		}
	}
}

func (x *Index) shareBetween(a, b *Column) {
	for i := a.FirstWord; i < a.EndWord; i++ {
		for k := b.FirstWord; k < b.EndWord; k++ {
			if x.Words[i].Root == x.Words[k].Root {
				x.Words[i].Shared, x.Words[k].Shared = true, true
			}
		}
	}
	x.Work.Spend(1 + int((a.EndWord-a.FirstWord)*(b.EndWord-b.FirstWord))/2)
}
