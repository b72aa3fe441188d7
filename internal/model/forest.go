package model

import "math"

// Forest applies trees faster than [Trees] and gives the same numbers: all trees are complete binary trees of the same depth,
// so that a vector descends without branches. It descends four trees at a time, since each step waits for the one before it.
type Forest struct {
	bias   float64
	depth  int // splits from a root to a leaf
	groups [][4]forestTree
	terms  []Term
}

const (
	maxForestDepth    = 6
	maxForestFeatures = 128
	treeWidth         = 1 << maxForestDepth
)

// forestTree has its root at 1 and the children of each split at twice its place and the place after. The row below the last
// splits are the leaves.
type forestTree struct {
	columns [treeWidth]uint8 // of the splits: twice the feature, plus one where missing values go right
	limits  [treeWidth]int32 // see orderedBits
	leaves  [treeWidth]float32
}

// forestVector holds each feature twice: a missing one is less than all limits, then greater.
type forestVector [2 * maxForestFeatures]int32

// orderedBits maps numbers to integers in the same order.
func orderedBits(v float32) int32 {
	bits := int32(math.Float32bits(v + 0)) // -0 becomes 0
	return bits ^ int32(uint32(bits>>31)>>1)
}

// NewForest compiles trees that passed [Trees.Check]; nil for trees of more than six levels or 128 features.
func NewForest(t *Trees) *Forest {
	depth := 0
	for _, root := range t.Roots {
		depth = max(depth, t.depth(root))
	}
	if len(t.Features) > maxForestFeatures || depth > maxForestDepth {
		return nil
	}
	f := &Forest{bias: t.Bias, depth: depth, terms: t.Terms}
	for i, root := range t.Roots {
		if i%4 == 0 {
			f.groups = append(f.groups, [4]forestTree{}) // an empty tree adds 0
		}
		f.groups[i/4][i%4].place(t, root, 1, 1<<depth)
	}
	return f
}

// depth is the most splits from the node to a leaf.
func (t *Trees) depth(node int32) int {
	n := &t.Nodes[node]
	if n.Feature < 0 {
		return 0
	}
	return 1 + max(t.depth(n.Left), t.depth(n.Left+1))
}

// place copies the node and those below it to the place at of a tree with as many leaves.
func (to *forestTree) place(t *Trees, node int32, at, leaves int) {
	n := &t.Nodes[node]
	if at >= leaves {
		to.leaves[at%treeWidth] = n.Limit
		return
	}
	left, right := node, node // of a leaf above the last row: both sides lead to it
	if n.Feature >= 0 {
		left, right = n.Left, n.Left+1
		to.columns[at], to.limits[at] = uint8(2*int(n.Feature)+int(n.Missing)), orderedBits(n.Limit)
	}
	to.place(t, left, 2*at, leaves)
	to.place(t, right, 2*at+1, leaves)
}

// next is the place below the split at the place at to which the vector descends. The sign of the difference decides: a
// comparison would make each tree wait for the one before it.
func (to *forestTree) next(at uint64, v *forestVector) uint64 {
	below := uint64(int64(v[to.columns[at%treeWidth]])-int64(to.limits[at%treeWidth])) >> 63
	return 2*at + 1 - below
}

// LogOdds returns the output for a vector of as many numbers as the trees have features. It does not allocate.
func (f *Forest) LogOdds(x []float32) float64 {
	var v forestVector
	for i, value := range x[:min(len(x), maxForestFeatures)] {
		if value != value {
			v[2*i], v[2*i+1] = math.MinInt32, math.MaxInt32
			continue
		}
		bits := orderedBits(value)
		v[2*i], v[2*i+1] = bits, bits
	}
	sum := f.bias
	for i := range f.groups {
		g := &f.groups[i]
		a, b, c, d := uint64(1), uint64(1), uint64(1), uint64(1)
		for range f.depth {
			a, b, c, d = g[0].next(a, &v), g[1].next(b, &v), g[2].next(c, &v), g[3].next(d, &v)
		}
		sum += float64(g[0].leaves[a%treeWidth])
		sum += float64(g[1].leaves[b%treeWidth])
		sum += float64(g[2].leaves[c%treeWidth])
		sum += float64(g[3].leaves[d%treeWidth])
	}
	for _, t := range f.terms {
		sum += t.logOdds(x)
	}
	return sum
}

// Probability returns LogOdds as a probability.
func (f *Forest) Probability(x []float32) float64 { return Logistic(f.LogOdds(x)) }
