package quality

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"confab/calibration/measure"
	"confab/calibration/rate"
)

// By is the name by which a data set is sliced: task, dataset (not at all) or one of [rate.CheckDimension].
type By string

// The names that are no dimensions of traffic.
const (
	ByTask    By = "task"
	ByDataset By = "dataset"
)

// Check refuses a name that nothing is sliced by.
func (b By) Check() error {
	if b == ByTask || b == ByDataset || rate.CheckDimension(string(b)) == nil {
		return nil
	}
	return fmt.Errorf("%s: expected %s, %s, %s or attributes.NAME", b, ByTask, ByDataset, strings.Join(rate.Dimensions(), ", "))
}

func (b By) of(r *measure.Row) string {
	switch b {
	case ByDataset:
		return All
	case ByTask:
		return r.Task
	}
	labels := rate.Labels{Model: r.Model, Service: r.Service, Operation: r.Operation, Tenant: r.Tenant, Provider: r.Provider, Attributes: r.Attributes}
	return labels.Value(string(b))
}

// All is the slice of a whole data set.
const All = "all"

// KindPrefix begins the slice of a kind of fault: its wrong answers and all fine ones of the data set.
const KindPrefix = "kind:"

// rowSlice is a slice of a data set: rows, group numbers and pair numbers. A pair is a good and a wrong answer of one group
// whose ids differ in the word behind their last hyphen alone ("17-good", "17-bad"), where no third one does.
type rowSlice struct {
	dataset, slice string
	rows           []*measure.Row
	group, pair    []int32 // pair: -1 for none
	groups         int
	positives      int
	onlySlice      bool // apart from All, which has the same rows
	kind           bool
}

// sliceRows slices every data set: the whole, its parts, and its kinds of faults.
func sliceRows(rows []measure.Row, by By) (all []*rowSlice) {
	sets := map[string][]*measure.Row{}
	for i := range rows {
		sets[rows[i].Dataset] = append(sets[rows[i].Dataset], &rows[i])
	}
	for _, name := range slices.Sorted(maps.Keys(sets)) {
		set := sets[name]
		all = append(all, newCut(name, All, set))
		all = append(all, cutKinds(name, set)...)
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

func cutKinds(name string, set []*measure.Row) (all []*rowSlice) {
	kinds := map[string]bool{}
	for _, r := range set {
		if r.Positive && r.Kind != "" {
			kinds[r.Kind] = true
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		c := newCut(name, KindPrefix+kind, slices.DeleteFunc(slices.Clone(set), func(r *measure.Row) bool { return r.Positive && r.Kind != kind }))
		c.kind = true
		all = append(all, c)
	}
	return all
}

// numberPairs returns the number of each row's pair.
func numberPairs(rows []*measure.Row) []int32 {
	type stem struct{ group, id string }
	byStem := map[stem][]int{}
	pair := make([]int32, len(rows))
	for i, r := range rows {
		pair[i] = -1
		if end := strings.LastIndexByte(r.ID, '-'); end > 0 && strings.ContainsFunc(r.ID[end:], unicode.IsLetter) {
			s := stem{r.Group, r.ID[:end]}
			byStem[s] = append(byStem[s], i)
		}
	}
	for _, both := range byStem {
		if len(both) == 2 && rows[both[0]].Positive != rows[both[1]].Positive {
			pair[both[0]], pair[both[1]] = int32(both[0]), int32(both[0])
		}
	}
	return pair
}

func newCut(dataset, slice string, rows []*measure.Row) *rowSlice {
	c := &rowSlice{dataset: dataset, slice: slice, rows: rows, group: make([]int32, len(rows)), pair: numberPairs(rows)}
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
		notes = append(notes, name+": every row is labelled fine, nothing can be ranked: label wrong answers too")
	case len(c.rows):
		notes = append(notes, name+": every row is labelled wrong, nothing can be ranked: label fine answers too")
	}
	if len(c.rows) < minReliableRows {
		notes = append(notes, fmt.Sprintf("%s: %d rows are fewer than %d, the figures say little: label more", name, len(c.rows), minReliableRows))
	}
	if c.groups == 1 && len(c.rows) > 1 {
		notes = append(notes, name+": all rows are of one group, there are no intervals: give rows of one source, and only those, the same group")
	}
	return notes
}
