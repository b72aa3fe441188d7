package model

import "math"

// derivativeSum is the sum of the loss derivatives of some examples.
type derivativeSum struct{ gradient, hessian float64 }

func (m derivativeSum) plus(o derivativeSum) derivativeSum {
	return derivativeSum{m.gradient + o.gradient, m.hessian + o.hessian}
}

func (m derivativeSum) minus(o derivativeSum) derivativeSum {
	return derivativeSum{m.gradient - o.gradient, m.hessian - o.hessian}
}

// candidateSplit is a possible split of a node.
type candidateSplit struct {
	gain        float64
	feature     int
	limit       float32
	bin         int // examples up to this bin go left
	missing     int8
	left, right float64 // outputs of the sides before the learning rate
}

// split turns the branch's node into a split with two branches or into a leaf.
func (t *treeTrainer) split(b splitBranch, columns []int) {
	whole := t.sum(b.rows)
	b.whole = whole
	best := candidateSplit{feature: -1, gain: 1e-9}
	if b.depth > 0 {
		for k, f := range columns {
			t.scan(f, &b, &b.histograms[k], &best)
		}
	}
	if best.feature < 0 {
		t.release(b.histograms)
		t.trees.Nodes[b.node] = Node{Feature: -1, Limit: float32(t.LearningRate * t.leaf(whole, &b))}
		return
	}
	left, right := t.divide(b.rows, best)
	first := int32(len(t.trees.Nodes))
	t.trees.Nodes = append(t.trees.Nodes, Node{}, Node{})
	t.trees.Nodes[b.node] = Node{Feature: int16(best.feature), Missing: best.missing, Left: first, Limit: best.limit}
	lower := splitBranch{node: first, rows: left, depth: b.depth - 1, low: b.low, high: b.high}
	upper := splitBranch{node: first + 1, rows: right, depth: b.depth - 1, low: b.low, high: b.high}
	middle := (best.left + best.right) / 2
	switch t.sign(best.feature) {
	case 1:
		lower.high, upper.low = middle, middle
	case -1:
		lower.low, upper.high = middle, middle
	}
	t.fillHistograms(&b, &lower, &upper, columns)
	t.split(lower, columns)
	t.split(upper, columns)
}

// histogram holds the loss derivatives of a branch by bin of one feature.
type histogram [maxBins]derivativeSum

// fillHistograms counts the smaller side; the larger one gets the rest of the branch's histograms.
func (t *treeTrainer) fillHistograms(b, lower, upper *splitBranch, columns []int) {
	if lower.depth == 0 {
		t.release(b.histograms)
		return
	}
	small, large := lower, upper
	if len(lower.rows) > len(upper.rows) {
		small, large = upper, lower
	}
	small.histograms, large.histograms = t.count(small.rows, columns), b.histograms
	for k := range columns {
		for bin := range maxBins {
			large.histograms[k][bin] = large.histograms[k][bin].minus(small.histograms[k][bin])
		}
	}
}

// count returns the histograms of the examples, by drawn column.
func (t *treeTrainer) count(rows, columns []int) []histogram {
	var list []histogram
	if n := len(t.spare); n > 0 {
		list, t.spare = t.spare[n-1], t.spare[:n-1]
		clear(list)
	} else {
		list = make([]histogram, len(columns))
	}
	for k, f := range columns {
		bins, h := t.bins[f], &list[k]
		for _, i := range rows {
			sum := &h[bins[i]&(maxBins-1)]
			sum.gradient += t.loss[i].gradient
			sum.hessian += t.loss[i].hessian
		}
	}
	return list
}

// release keeps histograms for another branch.
func (t *treeTrainer) release(list []histogram) {
	if list != nil {
		t.spare = append(t.spare, list)
	}
}

func (t *treeTrainer) sum(rows []int) (m derivativeSum) {
	for _, i := range rows {
		m = m.plus(t.loss[i])
	}
	return m
}

func (t *treeTrainer) sign(feature int) int8 {
	if t.Monotone == nil {
		return 0
	}
	return t.Monotone[feature]
}

// leaf returns the output with the lowest loss within the branch's bounds.
func (t *treeTrainer) leaf(m derivativeSum, b *splitBranch) float64 {
	return min(max(-m.gradient/(m.hessian+t.L2), b.low), b.high)
}

// change returns twice the second-order approximation of the loss change by the output.
func (t *treeTrainer) change(m derivativeSum, output float64) float64 {
	return 2*m.gradient*output + (m.hessian+t.L2)*output*output
}

// rounding bounds the derivatives that differences of sums leave in an empty bin.
const rounding = 1e-9

// scan tries every limit of the feature with missing values on either side, and updates best.
func (t *treeTrainer) scan(f int, b *splitBranch, histogram *histogram, best *candidateSplit) {
	whole := b.whole
	before := t.change(whole, t.leaf(whole, b))
	missing := histogram[missingBin]
	below := derivativeSum{}
	for k, limit := range t.limits[f] {
		below = below.plus(histogram[k])
		for side := range int8(2) {
			left := below
			if side == 0 {
				left = left.plus(missing)
			} else if missing.hessian < rounding {
				break // no missing values: both sides are equal
			}
			right := whole.minus(left)
			if left.hessian < t.MinWeight || right.hessian < t.MinWeight {
				continue
			}
			c := candidateSplit{feature: f, limit: limit, bin: k, missing: side, left: t.leaf(left, b), right: t.leaf(right, b)}
			if float64(t.sign(f))*(c.right-c.left) < 0 {
				continue
			}
			c.gain = before - t.change(left, c.left) - t.change(right, c.right)
			if c.gain > best.gain && !math.IsInf(c.gain, 0) {
				*best = c
			}
		}
	}
}

// divide assigns the examples to the sides of the split.
func (t *treeTrainer) divide(rows []int, c candidateSplit) (left, right []int) {
	for _, i := range rows {
		bin := t.bins[c.feature][i]
		goesRight := int(bin) > c.bin
		if bin == missingBin {
			goesRight = c.missing == 1
		}
		if goesRight {
			right = append(right, i)
		} else {
			left = append(left, i)
		}
	}
	return left, right
}
