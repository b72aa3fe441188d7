package quality

import (
	"fmt"
	"maps"
	"slices"

	"confab/calibration/measure"
)

// By is the name by which a data set is sliced.
type By string

// The names. ByDataset does not slice.
const (
	ByTask      By = "task"
	ByOperation By = "operation"
	ByTenant    By = "tenant"
	ByDataset   By = "dataset"
)

// Ways lists every By.
func Ways() []By { return []By{ByTask, ByOperation, ByTenant, ByDataset} }

func (b By) of(r *measure.Row) string {
	switch b {
	case ByOperation:
		return r.Operation
	case ByTenant:
		return r.Tenant
	case ByDataset:
		return All
	default:
		return r.Task
	}
}

// All is the slice of a whole data set.
const All = "all"

// rowSlice is a slice of a data set: rows and group numbers.
type rowSlice struct {
	dataset, slice string
	rows           []*measure.Row
	group          []int32
	groups         int
	positives      int
	onlySlice      bool // apart from All, which has the same rows
}

// sliceRows slices every data set: the whole, then its parts.
func sliceRows(rows []measure.Row, by By) (all []*rowSlice) {
	sets := map[string][]*measure.Row{}
	for i := range rows {
		sets[rows[i].Dataset] = append(sets[rows[i].Dataset], &rows[i])
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		set := sets[name]
		all = append(all, newCut(name, All, set))
		parts := map[string][]*measure.Row{}
		for _, r := range set {
			parts[by.of(r)] = append(parts[by.of(r)], r)
		}
		if by == ByDataset {
			continue
		}
		for _, part := range slices.Sorted(maps.Keys(parts)) {
			c := newCut(name, part, parts[part])
			c.onlySlice = len(parts) == 1
			all = append(all, c)
		}
	}
	return all
}

func newCut(dataset, slice string, rows []*measure.Row) *rowSlice {
	c := &rowSlice{dataset: dataset, slice: slice, rows: rows, group: make([]int32, len(rows))}
	numbers := map[string]int32{}
	for i, r := range rows {
		n, known := numbers[r.Group]
		if !known {
			n = int32(len(numbers))
			numbers[r.Group] = n
		}
		c.group[i] = n
		if r.Positive {
			c.positives++
		}
	}
	c.groups = len(numbers)
	return c
}

// minReliableRows is the least number of rows of a reliable figure.
const minReliableRows = 50

// notes are reasons why the slice's figures are unreliable.
func (c *rowSlice) notes() []string {
	var notes []string
	name := c.dataset + ", " + c.slice
	switch c.positives {
	case 0:
		notes = append(notes, name+": every row is labelled fine, nothing can be ranked: label faulty answers too")
	case len(c.rows):
		notes = append(notes, name+": every row is labelled faulty, nothing can be ranked: label good answers too")
	}
	if len(c.rows) < minReliableRows {
		notes = append(notes, fmt.Sprintf("%s: %d rows are fewer than %d, the figures say little: label more", name, len(c.rows), minReliableRows))
	}
	if c.groups == 1 && len(c.rows) > 1 {
		notes = append(notes, name+": all rows are of one group, there are no intervals: give rows of one source, and only those, the same group")
	}
	return notes
}
