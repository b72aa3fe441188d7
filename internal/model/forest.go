package model

import "math"

// Forest applies trees faster than [Trees] and gives the same numbers up to rounding: each tree is a complete binary tree
// in an array, so that a vector descends without branches.
type Forest struct {
	bias   float64
	depth  int
	splits []forestSplit // by tree, by level: 2^depth - 1 each
	leaves []float32     // by tree: 2^depth each
	terms  []Term
}

// forestSplit sends a vector right when the value is at least the limit. column is twice the feature, plus one where
// missing values go right.
type forestSplit struct {
	column uint32
	limit  int32 // see orderedBits
}

// orderedBits maps numbers to integers in the same order.
func orderedBits(v float32) int32 {
	bits := int32(math.Float32bits(v + 0)) // -0 becomes 0
	return bits ^ int32(uint32(bits>>31)>>1)
}

// maxForestFeatures bounds the vectors of a forest.
const maxForestFeatures = 128

// NewForest compiles trees of at most 128 features that passed [Trees.Check]; nil for other trees and for trees deeper than
// eight splits.
func NewForest(t *Trees) *Forest {
	if len(t.Features) > maxForestFeatures {
		return nil
	}
	f := &Forest{bias: t.Bias, terms: t.Terms}
	const deepest = 8
	for _, root := range t.Roots {
		f.depth = max(f.depth, t.depthOf(root, deepest+1))
	}
	if f.depth > deepest {
		return nil
	}
	inner := 1<<f.depth - 1
	f.splits, f.leaves = make([]forestSplit, inner*len(t.Roots)), make([]float32, (inner+1)*len(t.Roots))
	for k, root := range t.Roots {
		f.place(t, root, placedTree{splits: f.splits[k*inner : (k+1)*inner], leaves: f.leaves[k*(inner+1) : (k+1)*(inner+1)]}, 0)
	}
	return f
}

// depthOf is the number of splits on the longest way from the node to a leaf, at most limit.
func (t *Trees) depthOf(node int32, limit int) int {
	n := &t.Nodes[node]
	if n.Feature < 0 || limit == 0 {
		return 0
	}
	return 1 + max(t.depthOf(n.Left, limit-1), t.depthOf(n.Left+1, limit-1))
}

// placedTree is the part of a forest that holds one tree.
type placedTree struct {
	splits []forestSplit
	leaves []float32
}

// place copies the node and those below it to the position at of the complete tree.
func (f *Forest) place(t *Trees, node int32, to placedTree, at int) {
	n := &t.Nodes[node]
	if at >= len(to.splits) {
		to.leaves[at-len(to.splits)] = n.Limit
		return
	}
	if n.Feature < 0 { // both sides lead to the leaf
		f.place(t, node, to, 2*at+1)
		f.place(t, node, to, 2*at+2)
		return
	}
	to.splits[at] = forestSplit{column: uint32(2*int(n.Feature) + int(n.Missing)), limit: orderedBits(n.Limit)}
	f.place(t, n.Left, to, 2*at+1)
	f.place(t, n.Left+1, to, 2*at+2)
}

// LogOdds returns the output for a vector of as many numbers as the trees have features. It does not allocate.
func (f *Forest) LogOdds(x []float32) float64 {
	var columns [2 * maxForestFeatures]int32
	for i, v := range x {
		if v != v {
			columns[2*i], columns[2*i+1] = math.MinInt32, math.MaxInt32
		} else {
			bits := orderedBits(v)
			columns[2*i], columns[2*i+1] = bits, bits
		}
	}
	sum, inner := f.bias, 1<<f.depth-1
	splits, leaves := f.splits, f.leaves
	for len(leaves) > 0 {
		at := 0
		for range f.depth {
			s := splits[at]
			below := uint64(int64(columns[s.column%(2*maxForestFeatures)])-int64(s.limit)) >> 63
			at = 2*at + 2 - int(below)
		}
		sum += float64(leaves[at-inner])
		splits, leaves = splits[inner:], leaves[inner+1:]
	}
	for _, t := range f.terms {
		sum += t.logOdds(x)
	}
	return sum
}

// Probability returns LogOdds as a probability.
func (f *Forest) Probability(x []float32) float64 { return Logistic(f.LogOdds(x)) }
