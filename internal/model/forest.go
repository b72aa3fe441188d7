package model

import (
	"math"
	"math/bits"
)

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

// forestTree has its root at 1. Below the split at i, vectors that are less than its limit descend to 2i + 1, others to 2i. The
// row below the last splits are the leaves.
type forestTree struct {
	splits [treeWidth]uint64 // see splitOf
	leaves [treeWidth]float32
}

// forestVector holds the ordered bits of each feature twice: a missing one is less than all splits in the first half, and
// greater in the second.
type forestVector [2 * maxForestFeatures]uint64

// orderedBits maps numbers to integers in the same order, in multiples of 1<<32. The integer of -0 is just below that of 0.
func orderedBits(v float32) uint64 {
	b := math.Float32bits(v)
	b ^= uint32(int32(b)>>31) | 1<<31
	return uint64(b) << 32
}

// splitOf is an integer that is greater than the ordered bits of all numbers below the limit and less than those of others. Its
// last byte is the column of the vector.
func splitOf(n *Node) uint64 {
	limit := n.Limit
	if limit == 0 {
		limit = float32(math.Copysign(0, -1)) // neither 0 nor -0 is below 0
	}
	return orderedBits(limit) - 1<<8 | uint64(int(n.Feature)+maxForestFeatures*int(n.Missing))
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
		to.splits[at] = splitOf(n)
	}
	to.place(t, left, 2*at+1, leaves)
	to.place(t, right, 2*at, leaves)
}

// LogOdds returns the output for a vector of as many numbers as the trees have features. It does not allocate.
func (f *Forest) LogOdds(x []float32) float64 {
	var v forestVector
	for i, value := range x[:min(len(x), maxForestFeatures)] {
		if value != value {
			v[i], v[maxForestFeatures+i] = 0, math.MaxUint64
			continue
		}
		b := orderedBits(value)
		v[i], v[maxForestFeatures+i] = b, b
	}
	sum := f.sumLeaves(&v)
	for _, t := range f.terms {
		sum += t.logOdds(x)
	}
	return sum
}

// sumLeaves adds the leaves to which the vector descends to the bias, tree by tree. A place moves by the borrow of a difference,
// since with a comparison each tree would wait for the one before it. The four descents are written out, since the compiler
// adds an instruction per inlined call.
func (f *Forest) sumLeaves(v *forestVector) float64 {
	sum, depth := f.bias, f.depth
	_ = *v // checks for nil here, not in the loop
	for groups := f.groups; len(groups) > 0; groups = groups[1:] {
		g := &groups[0]
		a, b, c, d := uint64(1), uint64(1), uint64(1), uint64(1)
		for range depth {
			a, b, c, d = a%treeWidth, b%treeWidth, c%treeWidth, d%treeWidth
			splitA, splitB, splitC, splitD := g[0].splits[a], g[1].splits[b], g[2].splits[c], g[3].splits[d]
			_, lessA := bits.Sub64(v[uint8(splitA)], splitA, 0)
			_, lessB := bits.Sub64(v[uint8(splitB)], splitB, 0)
			_, lessC := bits.Sub64(v[uint8(splitC)], splitC, 0)
			_, lessD := bits.Sub64(v[uint8(splitD)], splitD, 0)
			a, _ = bits.Add64(a, a, lessA)
			b, _ = bits.Add64(b, b, lessB)
			c, _ = bits.Add64(c, c, lessC)
			d, _ = bits.Add64(d, d, lessD)
		}
		sum += float64(g[0].leaves[a%treeWidth])
		sum += float64(g[1].leaves[b%treeWidth])
		sum += float64(g[2].leaves[c%treeWidth])
		sum += float64(g[3].leaves[d%treeWidth])
	}
	return sum
}

// Probability returns LogOdds as a probability.
func (f *Forest) Probability(x []float32) float64 { return Logistic(f.LogOdds(x)) }
