package thresholds

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"confab/calibration/measure"
	"confab/calibration/roc"
)

// calibrationRun holds the labelled rows, sorted so that no result depends on their order of arrival.
type calibrationRun struct {
	o         Options
	rows      []measure.Row
	weights   []float64 // relative to all rows
	positives int
	detectors []string
	scores    [][]float64 // of each detector on each row; NaN where it could not measure
	fold      []int       // of each row
	folds     int
	groups    int
}

func newRun(rows []measure.Row, o Options) (*calibrationRun, error) {
	c := &calibrationRun{o: o, rows: slices.Clone(rows)}
	c.clearSingleGroups()
	slices.SortStableFunc(c.rows, compareRows)
	for i := range c.rows {
		r := &c.rows[i]
		if r.Positive {
			c.positives++
		}
	}
	c.detectors = detectorsOf(c.rows)
	c.readScores()
	switch {
	case len(c.rows) < o.MinRows:
		return nil, fmt.Errorf("%w: %d rows are too few to calibrate on: label at least %d, better 200 to 500", ErrLabels, len(c.rows), o.MinRows)
	case c.positives == 0:
		return nil, fmt.Errorf("%w: all %d rows are labelled 0 (fine): without bad answers no threshold can be chosen; label some of both kinds", ErrLabels, len(c.rows))
	case c.positives == len(c.rows):
		return nil, fmt.Errorf("%w: all %d rows are labelled 1 (bad): without good answers no false alarm is seen; label some of both kinds", ErrLabels, len(c.rows))
	}
	c.assignFolds()
	c.weights = make([]float64, len(c.rows))
	for i := range c.rows {
		c.weights[i] = roc.Scored{Weight: c.rows[i].Weight}.EffectiveWeight()
	}
	return c, nil
}

// detectorsOf lists the detectors of the rows, in the order of the row with the most signals.
func detectorsOf(rows []measure.Row) []string {
	var order []measure.Signal
	for i := range rows {
		if len(rows[i].Signals) > len(order) {
			order = rows[i].Signals
		}
	}
	var names []string
	for _, signals := range append([][]measure.Signal{order}, signalsOf(rows)...) {
		for _, s := range signals {
			if !slices.Contains(names, s.Detector) {
				names = append(names, s.Detector)
			}
		}
	}
	return names
}

func signalsOf(rows []measure.Row) [][]measure.Signal {
	all := make([][]measure.Signal, len(rows))
	for i := range rows {
		all[i] = rows[i].Signals
	}
	return all
}

// readScores collects the scores by detector.
func (c *calibrationRun) readScores() {
	c.scores = make([][]float64, len(c.detectors))
	for d := range c.scores {
		c.scores[d] = make([]float64, len(c.rows))
		for i := range c.scores[d] {
			c.scores[d][i] = math.NaN()
		}
	}
	for i := range c.rows {
		for _, s := range c.rows[i].Signals {
			if s.HasScore {
				c.scores[c.position(s.Detector)][i] = s.Score
			}
		}
	}
}

// measured reports whether the detector with that index could measure the row.
func (c *calibrationRun) measured(d, i int) bool { return !math.IsNaN(c.scores[d][i]) }

// clearSingleGroups clears the names of groups of one row, which may contain the position in a file.
func (c *calibrationRun) clearSingleGroups() {
	sizes := map[string]int{}
	for i := range c.rows {
		sizes[c.rows[i].Group]++
	}
	for i := range c.rows {
		if sizes[c.rows[i].Group] == 1 {
			c.rows[i].Group = ""
		}
	}
}

// compareRows orders rows by all that Calibrate reads.
func compareRows(a, b measure.Row) int {
	return cmp.Or(
		cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Group, b.Group),
		cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Model, b.Model),
		cmp.Compare(a.Temperature, b.Temperature), cmp.Compare(boolInt(a.Positive), boolInt(b.Positive)), cmp.Compare(a.Weight, b.Weight),
		slices.CompareFunc(a.Signals, b.Signals, func(x, y measure.Signal) int {
			return cmp.Or(cmp.Compare(x.Detector, y.Detector), cmp.Compare(boolInt(x.HasScore), boolInt(y.HasScore)), cmp.Compare(x.Score, y.Score))
		}),
		cmp.Compare(a.Fused, b.Fused), cmp.Compare(a.Uncertainty.Peak, b.Uncertainty.Peak), cmp.Compare(a.Uncertainty.Mean, b.Uncertainty.Mean),
	)
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *calibrationRun) allRows() []int {
	all := make([]int, len(c.rows))
	for i := range all {
		all[i] = i
	}
	return all
}

// weightedRows returns scored rows with their weights.
func (c *calibrationRun) weightedRows(index []int, score func(i int) float64) []roc.Scored {
	out := make([]roc.Scored, len(index))
	for k, i := range index {
		out[k] = roc.Scored{Score: score(i), Positive: c.rows[i].Positive, Weight: c.rows[i].Weight}
	}
	return out
}

// assignFolds assigns the groups to folds of about equal numbers of groups, in an order that depends on the seed. A row
// without a group is a group of its own.
func (c *calibrationRun) assignFolds() {
	type dealt struct {
		name string
		hash uint64
	}
	names := map[string]bool{}
	for i := range c.rows {
		r := &c.rows[i]
		r.Group = cmp.Or(r.Group, fmt.Sprintf("\x00%d", i))
		names[r.Group] = true
	}
	groups := make([]dealt, 0, len(names))
	for name := range names {
		groups = append(groups, dealt{name, seededHash(c.o.Seed, name)})
	}
	slices.SortFunc(groups, func(a, b dealt) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.name, b.name)) })
	c.groups = len(groups)
	c.folds = min(c.o.Folds, c.groups)
	fold := make(map[string]int, len(groups))
	for n, g := range groups {
		fold[g.name] = n % c.folds
	}
	c.fold = make([]int, len(c.rows))
	for i := range c.rows {
		c.fold[i] = fold[c.rows[i].Group]
	}
}

func seededHash(seed uint64, s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, seed)) // never fails
	_, _ = h.Write([]byte(s))
	x := h.Sum64() // the low bits of this hash are weak: mix them
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}

// isWeighted reports whether rows stand for more than one answer.
func (c *calibrationRun) isWeighted() bool {
	return slices.ContainsFunc(c.rows, func(r measure.Row) bool { return r.Weight != 0 })
}

// badShare is the weighted share of bad answers: the base rate, if stated.
func (c *calibrationRun) badShare() float64 { return c.positiveWeight() / c.totalWeight() }

func (c *calibrationRun) totalWeight() (total float64) {
	for _, w := range c.weights {
		total += w
	}
	return total
}

func (c *calibrationRun) positiveWeight() (total float64) {
	for i, w := range c.weights {
		if c.rows[i].Positive {
			total += w
		}
	}
	return total
}

// roundFigure rounds to three digits.
func roundFigure(x float64) float64 { return math.Round(x*1000) / 1000 }
