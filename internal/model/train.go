package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Example is one labelled vector. Missing features are NaN.
type Example struct {
	X      []float32
	Y      float64 // 0 to 1
	Weight float64 // 0 counts as 1
}

// TreeOptions configure TrainTrees. The zero value of a field stands for the default in its comment.
type TreeOptions struct {
	Rounds       int     // number of trees, 100
	Depth        int     // splits from the root to a leaf, 3
	LearningRate float64 // of each tree, 0.1
	MinWeight    float64 // least sum of second derivatives in a leaf, 1
	L2           float64 // penalty on leaves, 1
	Rows         float64 // share of the examples that each tree sees, 1
	Columns      float64 // share of the features that each tree may use, 1
	Monotone     []int8  // by feature: 1 when more never lowers the output, -1 when it never raises it, 0 for both; nil is all 0
	Terms        []Term  // the trees are trained on top of them; they become part of the model
	Seed         uint64
}

func (o *TreeOptions) fill() {
	o.Rounds, o.Depth = cmp.Or(o.Rounds, 100), cmp.Or(o.Depth, 3)
	o.LearningRate, o.MinWeight, o.L2 = cmp.Or(o.LearningRate, 0.1), cmp.Or(o.MinWeight, 1), cmp.Or(o.L2, 1)
	o.Rows, o.Columns = cmp.Or(o.Rows, 1), cmp.Or(o.Columns, 1)
}

// TrainTrees fits boosted trees to the examples. Equal examples, options and seed give equal trees, bit for bit.
func TrainTrees(features []string, examples []Example, o TreeOptions) (*Trees, error) {
	o.fill()
	if len(examples) == 0 {
		return nil, errors.New("train trees: no examples")
	}
	if o.Monotone != nil && len(o.Monotone) != len(features) {
		return nil, fmt.Errorf("train trees: %d monotone signs for %d features", len(o.Monotone), len(features))
	}
	for i := range examples {
		if len(examples[i].X) != len(features) {
			return nil, fmt.Errorf("train trees: example %d has %d features, want %d", i, len(examples[i].X), len(features))
		}
	}
	t := newTrainer(features, examples, o)
	for range o.Rounds {
		t.grow()
	}
	return t.trees, nil
}

const maxBins = 64 // bins per feature; the last one holds missing values

type treeTrainer struct {
	TreeOptions
	rng      *rand.Rand
	trees    *Trees
	examples []Example
	limits   [][]float32     // by feature, ascending: bin b holds values below limits[b]
	bins     [][]uint8       // by feature, by example
	odds     []float64       // by example: log-odds so far
	loss     []derivativeSum // by example: derivatives of the loss
	spare    [][]histogram   // histograms to use again
}

func newTrainer(features []string, examples []Example, o TreeOptions) *treeTrainer {
	t := &treeTrainer{
		TreeOptions: o, rng: rand.New(rand.NewPCG(o.Seed, 0x5eed)), examples: examples,
		trees: &Trees{Features: slices.Clone(features), Terms: o.Terms},
		odds:  make([]float64, len(examples)), loss: make([]derivativeSum, len(examples)),
	}
	var positive, total float64
	for _, e := range examples {
		positive += e.Y * exampleWeight(e)
		total += exampleWeight(e)
	}
	t.trees.Bias = Logit(positive / total)
	for i := range t.odds {
		t.odds[i] = t.trees.LogOdds(examples[i].X)
	}
	for f := range features {
		limits := t.limitsOf(f)
		bins := make([]uint8, len(examples))
		for i, e := range examples {
			bins[i] = binOf(limits, e.X[f])
		}
		t.limits, t.bins = append(t.limits, limits), append(t.bins, bins)
	}
	return t
}

func exampleWeight(e Example) float64 { return cmp.Or(e.Weight, 1) }

// limitsOf returns at most maxBins-2 limits at quantiles of the feature's values.
func (t *treeTrainer) limitsOf(f int) []float32 {
	var values []float32
	for _, e := range t.examples {
		if v := e.X[f]; v == v {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	var limits []float32
	const most = maxBins - 2
	distinct := slices.Compact(slices.Clone(values))
	if len(distinct) <= most {
		values = distinct
	}
	for k := 1; k <= most && len(values) > 0; k++ {
		i := k * len(values) / (most + 1)
		if len(values) <= most {
			if i = k; i >= len(values) {
				break
			}
		}
		limits = append(limits, values[i])
	}
	return slices.Compact(limits)
}

const missingBin = maxBins - 1

func binOf(limits []float32, v float32) uint8 {
	if v != v {
		return missingBin
	}
	i, found := slices.BinarySearch(limits, v)
	if found {
		i++ // a value at the limit belongs to the bin above
	}
	return uint8(i)
}

// grow adds one tree.
func (t *treeTrainer) grow() {
	for i, e := range t.examples {
		p := Logistic(t.odds[i])
		t.loss[i] = derivativeSum{gradient: (p - e.Y) * exampleWeight(e), hessian: max(p*(1-p), 1e-12) * exampleWeight(e)}
	}
	rows := t.sample(len(t.examples), t.Rows)
	columns := t.sample(len(t.limits), t.Columns)
	root := int32(len(t.trees.Nodes))
	t.trees.Roots = append(t.trees.Roots, root)
	t.trees.Nodes = append(t.trees.Nodes, Node{})
	whole := splitBranch{node: root, rows: rows, depth: t.Depth, low: math.Inf(-1), high: math.Inf(1)}
	if whole.depth > 0 {
		whole.histograms = t.count(rows, columns)
	}
	t.split(whole, columns)
	one := &Trees{Roots: []int32{root}, Nodes: t.trees.Nodes}
	for i, e := range t.examples {
		t.odds[i] += one.LogOdds(e.X)
	}
}

// sample returns a random share of 0..n-1 in ascending order.
func (t *treeTrainer) sample(n int, share float64) []int {
	if share >= 1 {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all
	}
	count := max(1, int(share*float64(n)+0.5))
	drawn := make([]int, 0, count)
	for i := range n { // selection sampling (Knuth, volume 2, algorithm S)
		if t.rng.IntN(n-i) < count-len(drawn) {
			drawn = append(drawn, i)
		}
	}
	return drawn
}

// splitBranch is a node to split: the examples that reach it and the bounds set by monotone ancestors.
type splitBranch struct {
	node      int32
	rows      []int
	depth     int
	low, high float64

	histograms []histogram // by drawn column; nil at depth 0
	whole      derivativeSum
}
