package model

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var featureNames = []string{"a", "b", "noise"}

// ringExamples returns examples that are positive when a and b are both large or both small, which no sum of single features
// can express.
func ringExamples(n int) []Example {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]Example, n)
	for i := range rows {
		a, b := rng.Float32(), rng.Float32()
		rows[i].X = []float32{a, b, rng.Float32()}
		if (a > 0.5) == (b > 0.5) {
			rows[i].Y = 1
		}
	}
	return rows
}

func accuracy(t *Trees, rows []Example) float64 {
	right := 0.0
	for _, e := range rows {
		if (t.LogOdds(e.X) > 0) == (e.Y == 1) {
			right++
		}
	}
	return right / float64(len(rows))
}

func TestTreesLearnInteractions(t *testing.T) {
	rows := ringExamples(3000)
	trees, err := TrainTrees(featureNames, rows[:2000], TreeOptions{Depth: 3, Rows: 0.7, Columns: 0.7, Seed: 3})
	require.NoError(t, err)
	require.Greater(t, accuracy(trees, rows[2000:]), 0.9)
	stump, err := TrainTrees(featureNames, rows[:2000], TreeOptions{Depth: 1})
	require.NoError(t, err)
	require.Less(t, accuracy(stump, rows[2000:]), 0.7)
}

func TestTrainingIsDeterministic(t *testing.T) {
	o := TreeOptions{Rounds: 20, Rows: 0.5, Columns: 0.5, Seed: 9}
	one, err := TrainTrees(featureNames, ringExamples(500), o)
	require.NoError(t, err)
	two, err := TrainTrees(featureNames, ringExamples(500), o)
	require.NoError(t, err)
	require.Equal(t, one, two)
	o.Seed++
	other, err := TrainTrees(featureNames, ringExamples(500), o)
	require.NoError(t, err)
	require.NotEqual(t, one, other)
}

func TestMissingValuesTakeTheBetterBranch(t *testing.T) {
	nan := float32(math.NaN())
	var rows []Example
	for i := range 100 {
		rows = append(rows, Example{X: []float32{float32(i)}, Y: 0}, Example{X: []float32{nan}, Y: 1})
	}
	trees, err := TrainTrees(featureNames[:1], rows, TreeOptions{Depth: 1})
	require.NoError(t, err)
	require.Greater(t, trees.Probability([]float32{nan}), 0.9)
	require.Less(t, trees.Probability([]float32{50}), 0.1)
}

func TestMonotoneConstraints(t *testing.T) {
	rows := ringExamples(2000) // where output must fall and rise, a monotone model only rises
	trees, err := TrainTrees(featureNames, rows, TreeOptions{Depth: 3, Monotone: []int8{1, 0, -1}})
	require.NoError(t, err)
	for _, b := range []float32{0.1, 0.4, 0.6, 0.9} {
		before := math.Inf(-1)
		for a := float32(0); a <= 1; a += 0.01 {
			now := trees.LogOdds([]float32{a, b, 0.5})
			require.GreaterOrEqual(t, now, before-1e-9)
			before = now
		}
	}
}

func TestExampleWeights(t *testing.T) {
	rows := []Example{{X: []float32{0}, Y: 1, Weight: 3}, {X: []float32{0}, Y: 0}}
	trees, err := TrainTrees(featureNames[:1], rows, TreeOptions{Rounds: 1})
	require.NoError(t, err)
	require.InDelta(t, 0.75, trees.Probability([]float32{0}), 1e-6)
}

func TestTermsKeepOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	rows := make([]Example, 4000)
	for i := range rows {
		p := rng.Float32()
		rows[i].X = []float32{p, rng.Float32(), float32(math.NaN())}
		if rng.Float64() < Logistic(3*Logit(float64(p))) {
			rows[i].Y = 1
		}
	}
	terms, err := FitTerms([]int16{0, 1, 2}, rows)
	require.NoError(t, err)
	require.InDelta(t, 3, terms[0].Slope, 0.4)
	for _, other := range terms[1:] {
		require.EqualValues(t, 1, other.Feature, "the third is missing")
		require.Less(t, other.Slope, 0.1, "the second says nothing")
	}
	trees, err := TrainTrees(featureNames, rows, TreeOptions{Rounds: 5, Depth: 2, Terms: terms})
	require.NoError(t, err)
	require.NoError(t, trees.Check(featureNames))
	x := func(p float32) []float32 { return []float32{p, 0.5, 0.5} }
	require.Greater(t, trees.LogOdds(x(0.50001)), trees.LogOdds(x(0.5)))
	require.InDelta(t, trees.LogOdds(x(0.001)), trees.LogOdds(x(0)), 1e-9, "no score is surer than a hundredth")
	missing := float32(math.NaN())
	require.InDelta(t, trees.LogOdds(x(0.5)), trees.LogOdds(x(missing)), 3)
}

func TestCheckRejectsDamage(t *testing.T) {
	good, err := TrainTrees(featureNames, ringExamples(300), TreeOptions{Rounds: 5})
	require.NoError(t, err)
	require.NoError(t, good.Check(featureNames))
	text, err := json.Marshal(good)
	require.NoError(t, err)
	for name, spoil := range map[string]func(*Trees){
		"features":  func(x *Trees) { x.Features = x.Features[:2] },
		"renamed":   func(x *Trees) { x.Features[0] = "z" },
		"bias":      func(x *Trees) { x.Bias = math.NaN() },
		"root":      func(x *Trees) { x.Roots[0] = 10000 },
		"loop":      func(x *Trees) { x.Nodes[x.Roots[1]].Left = 0 },
		"beyond":    func(x *Trees) { x.Nodes[0].Left = int32(len(x.Nodes)) - 1 },
		"feature":   func(x *Trees) { x.Nodes[0].Feature = 3 },
		"direction": func(x *Trees) { x.Nodes[0].Missing = 2 },
		"term":      func(x *Trees) { x.Terms = []Term{{Feature: 3, Slope: 1}} },
		"slope":     func(x *Trees) { x.Terms = []Term{{Slope: math.NaN()}} },
		"leaf":      func(x *Trees) { x.Nodes[len(x.Nodes)-1].Limit = float32(math.Inf(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			var bad Trees
			require.NoError(t, json.Unmarshal(text, &bad))
			require.NoError(t, bad.Check(featureNames))
			spoil(&bad)
			require.Error(t, bad.Check(featureNames))
		})
	}
}

func TestTrainRejects(t *testing.T) {
	_, err := TrainTrees(featureNames, nil, TreeOptions{})
	require.Error(t, err)
	_, err = TrainTrees(featureNames, []Example{{X: []float32{1}}}, TreeOptions{})
	require.Error(t, err)
	_, err = TrainTrees(featureNames, ringExamples(10), TreeOptions{Monotone: []int8{1}})
	require.Error(t, err)
}

func TestApplyingAllocatesNothing(t *testing.T) {
	trees, err := TrainTrees(featureNames, ringExamples(300), TreeOptions{Rounds: 5})
	require.NoError(t, err)
	x := []float32{0.1, 0.2, 0.3}
	require.Zero(t, testing.AllocsPerRun(100, func() { trees.LogOdds(x) }))
}

// No vector has larger log-odds than MaxLogOdds, and it is reached where one vector takes every largest leaf.
func TestMaxLogOdds(t *testing.T) {
	stump := func(left, right float32) []Node {
		return []Node{{Feature: 0, Limit: 0.5, Left: 1}, {Feature: -1, Limit: left}, {Feature: -1, Limit: right}}
	}
	tree := &Trees{Features: featureNames, Bias: -1, Roots: []int32{0}, Nodes: stump(0.25, 2), Terms: []Term{{Feature: 1, Slope: 0.5}}}
	require.InDelta(t, -1+2+0.5*Logit(0.99), tree.MaxLogOdds(), 1e-9)
	require.InDelta(t, tree.MaxLogOdds(), tree.LogOdds([]float32{1, 1, 0}), 1e-6)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		require.LessOrEqual(t, tree.LogOdds([]float32{rng.Float32(), rng.Float32(), rng.Float32()}), tree.MaxLogOdds())
	}
}
