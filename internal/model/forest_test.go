package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// forestTrees are trees over ten features, and vectors with missing ones to apply them to.
func forestTrees() (trees *Trees, vectors [][]float32) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		x := make([]float32, 10)
		for k := range x {
			if x[k] = float32(rng.NormFloat64()); rng.IntN(4) == 0 {
				x[k] = float32(math.NaN())
			}
		}
		vectors = append(vectors, x)
	}
	vectors = append(vectors, []float32{inf, -inf, inf, -inf, inf, -inf, 0, 0, 0, 0})
	return randomTrees([]string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}, 120, 4), vectors
}

var inf = float32(math.Inf(1))

func TestForestEqualsTrees(t *testing.T) {
	trees, vectors := forestTrees()
	f := NewForest(trees)
	require.NotNil(t, f)
	for _, x := range vectors {
		require.InDelta(t, trees.LogOdds(x), f.LogOdds(x), 1e-12)
	}
	require.Zero(t, testing.AllocsPerRun(10, func() { f.LogOdds(vectors[0]) }))
}

func TestForestBounds(t *testing.T) {
	require.InDelta(t, 0.5, NewForest(&Trees{Bias: 0.5}).LogOdds(nil), 1e-12, "without trees")
	require.Nil(t, NewForest(&Trees{Features: make([]string, maxForestFeatures+1)}))
	for splits := range maxForestDepth + 2 {
		f, x := NewForest(chainOf(splits)), []float32{float32(splits)}
		if splits > maxForestDepth {
			require.Nil(t, f, splits)
			continue
		}
		require.InDelta(t, chainOf(splits).LogOdds(x), f.LogOdds(x), 1e-12, splits)
	}
}

// chainOf is a tree with that many splits, one below the other.
func chainOf(splits int) *Trees {
	t := &Trees{Features: []string{"a"}, Roots: []int32{0}, Nodes: make(Nodes, 1, 2*splits+1)}
	for i := range splits {
		t.Nodes[len(t.Nodes)-1] = Node{Left: int32(len(t.Nodes)), Limit: float32(i + 1)}
		t.Nodes = append(t.Nodes, Node{Feature: -1, Limit: float32(-i)}, Node{})
	}
	t.Nodes[len(t.Nodes)-1] = Node{Feature: -1, Limit: 100}
	return t
}

func TestForestSplitsLikeFloats(t *testing.T) {
	negative, tiny := float32(math.Copysign(0, -1)), float32(math.SmallestNonzeroFloat32)
	numbers := []float32{-inf, -math.MaxFloat32, -1, -tiny, negative, 0, tiny, 1, math.MaxFloat32}
	values := append([]float32{inf, float32(math.NaN()), -float32(math.NaN())}, numbers...)
	for _, limit := range numbers[1:] {
		for missing := range int8(2) {
			trees := &Trees{Features: []string{"a"}, Roots: []int32{0}, Nodes: Nodes{
				{Left: 1, Limit: limit, Missing: missing}, {Feature: -1, Limit: 1}, {Feature: -1, Limit: 2},
			}}
			require.NoError(t, trees.Check(trees.Features))
			for _, v := range values {
				require.InDelta(t, trees.LogOdds([]float32{v}), NewForest(trees).LogOdds([]float32{v}), 0, "%v at %v, missing %v", v, limit, missing)
			}
		}
	}
}

func BenchmarkForest(b *testing.B) {
	trees, vectors := forestTrees()
	f := NewForest(trees)
	for name, run := range map[string]func([]float32) float64{"trees": trees.LogOdds, "forest": f.LogOdds} {
		b.Run(name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				run(vectors[i%len(vectors)])
				i++
			}
		})
	}
}
