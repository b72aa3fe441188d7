package model

import (
	"math"
	"math/bits"
)

// Forest applies complete binary trees of one depth, so that a vector descends without branches, and four of them at a time, since
// each step waits for the one before it.
type Forest struct {
	bias   float64
	depth  int // splits from a root to a leaf
	groups [][4]forestTree
}

const (
	maxForestDepth    = 6
	maxForestFeatures = 128
	treeWidth         = 1 << maxForestDepth
	forestSteps       = 3 // that sumLeaves does without a look at the depth, which is a multiple of it
)

// forestTree has its root at 1. Below the split at i, vectors that are less than its limit descend to 2i + 1, others to 2i. The
// row below the last splits are the leaves. Limits are ordered bits. Both sides of a split that was not set lead to the same leaf.
type forestTree struct {
	limits  [treeWidth]uint32
	columns [treeWidth]uint8
	leaves  [treeWidth]float32
}

// forestVector holds the ordered bits of each feature twice: a missing one is less than all splits in the first half, and
// greater in the second.
type forestVector [2 * maxForestFeatures]uint32

// orderedBits maps numbers to integers in the same order. The integer of -0 is just below that of 0.
func orderedBits(v float32) uint32 {
	b := math.Float32bits(v)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

// setSplit sets the limit and the column of the vector.
func (to *forestTree) setSplit(at int, n *Node) {
	limit := n.Limit
	if limit == 0 {
		limit = float32(math.Copysign(0, -1)) // neither 0 nor -0 is below 0
	}
	to.limits[at], to.columns[at] = orderedBits(limit), uint8(int(n.Feature)+maxForestFeatures*int(n.Missing))
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
	depth = (depth + forestSteps - 1) / forestSteps * forestSteps
	f := &Forest{bias: t.Bias, depth: depth}
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
		to.setSplit(at, n)
	}
	to.place(t, left, 2*at+1, leaves)
	to.place(t, right, 2*at, leaves)
}

// LogOdds returns the output for a vector of as many numbers as the trees have features. It does not allocate.
func (f *Forest) LogOdds(x []float32) float64 {
	var v forestVector
	for i, value := range x[:min(len(x), maxForestFeatures)] {
		if value != value {
			v[i], v[maxForestFeatures+i] = 0, math.MaxUint32
			continue
		}
		b := orderedBits(value)
		v[i], v[maxForestFeatures+i] = b, b
	}
	return f.sumLeaves(&v)
}

// sumLeaves adds the leaves to which the vector descends to the bias, tree by tree.
func (f *Forest) sumLeaves(v *forestVector) float64 {
	sum, depth := f.bias, f.depth
	_ = *v // checks for nil here, not in the loop
	for groups := f.groups; len(groups) > 0; groups = groups[1:] {
		g := &groups[0]
		a, b, c, d := uint64(1), uint64(1), uint64(1), uint64(1)
		for level := 0; level < depth; level += forestSteps {
			a, b = descend(v, &g[0], &g[1], a, b)
			c, d = descend(v, &g[2], &g[3], c, d)
			a, b = descend(v, &g[0], &g[1], a, b)
			c, d = descend(v, &g[2], &g[3], c, d)
			a, b = descend(v, &g[0], &g[1], a, b)
			c, d = descend(v, &g[2], &g[3], c, d)
		}
		sum += float64(g[0].leaves[a%treeWidth])
		sum += float64(g[1].leaves[b%treeWidth])
		sum += float64(g[2].leaves[c%treeWidth])
		sum += float64(g[3].leaves[d%treeWidth])
	}
	return sum
}

// descend does one step in two trees. A place moves by the borrow of a difference, since with a comparison each tree would wait
// for the one before it.
func descend(v *forestVector, s, t *forestTree, a, b uint64) (nextA, nextB uint64) {
	a, b = a%treeWidth, b%treeWidth
	_, lessA := bits.Sub64(uint64(v[s.columns[a]]), uint64(s.limits[a]), 0)
	_, lessB := bits.Sub64(uint64(v[t.columns[b]]), uint64(t.limits[b]), 0)
	nextA, _ = bits.Add64(a, a, lessA)
	nextB, _ = bits.Add64(b, b, lessB)
	return nextA, nextB
}
