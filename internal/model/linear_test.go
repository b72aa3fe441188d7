package model

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLinearFindsTheWeights(t *testing.T) {
	// Four cells of 100: the log-odds of the shares are -2.197, -0.847, 0.405, 1.735, close to -2.2 + 1.4 a + 2.6 b.
	var rows []Example
	for _, c := range []struct {
		a, b float32
		bad  float64
	}{{0, 0, 10}, {1, 0, 30}, {0, 1, 60}, {1, 1, 85}} {
		rows = append(rows, Example{X: []float32{c.a, c.b}, Y: 1, Weight: c.bad}, Example{X: []float32{c.a, c.b}, Y: 0, Weight: 100 - c.bad})
	}
	l, err := TrainLinear([]string{"a", "b"}, rows, LinearOptions{L2: 1e-6})
	require.NoError(t, err)
	require.InDelta(t, -2.2, l.Bias, 0.05)
	require.InDelta(t, 1.36, l.Weights[0], 0.05)
	require.InDelta(t, 2.6, l.Weights[1], 0.05)
	require.NoError(t, l.Check([]string{"a", "b"}))
	require.Error(t, l.Check([]string{"b", "a"}))
	l.Weights[0] = math.NaN()
	require.Error(t, l.Check([]string{"a", "b"}))
}

func TestLinearWeightsMissingValues(t *testing.T) {
	nan := float32(math.NaN())
	rows := []Example{
		{X: []float32{nan}, Y: 1, Weight: 90},
		{X: []float32{nan}, Y: 0, Weight: 10},
		{X: []float32{0}, Y: 1, Weight: 20},
		{X: []float32{0}, Y: 0, Weight: 80},
		{X: []float32{1}, Y: 1, Weight: 50},
		{X: []float32{1}, Y: 0, Weight: 50},
	}
	l, err := TrainLinear([]string{"a"}, rows, LinearOptions{L2: 1e-6})
	require.NoError(t, err)
	require.InDelta(t, 0.9, Logistic(l.LogOdds([]float32{nan})), 1e-3)
	require.InDelta(t, 0.2, Logistic(l.LogOdds([]float32{0})), 1e-3)
	require.InDelta(t, 0.5, Logistic(l.LogOdds([]float32{1})), 1e-3)
}

func TestLinearNonNegative(t *testing.T) {
	rows := []Example{{X: []float32{1}, Y: 0}, {X: []float32{1}, Y: 0}, {X: []float32{0}, Y: 1}, {X: []float32{0}, Y: 1}}
	free, err := TrainLinear([]string{"a"}, rows, LinearOptions{})
	require.NoError(t, err)
	require.Negative(t, free.Weights[0])
	held, err := TrainLinear([]string{"a"}, rows, LinearOptions{NonNegative: true})
	require.NoError(t, err)
	require.Zero(t, held.Weights[0])
}

func TestLinearRejects(t *testing.T) {
	_, err := TrainLinear([]string{"a"}, nil, LinearOptions{})
	require.Error(t, err)
	_, err = TrainLinear([]string{"a"}, []Example{{X: []float32{1, 2}}}, LinearOptions{})
	require.Error(t, err)
}
