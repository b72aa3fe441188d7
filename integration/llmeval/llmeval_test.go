package llmeval

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestQuestions(t *testing.T) {
	t.Parallel()
	list := Questions()
	require.Len(t, list, 60)
	seen := map[string]bool{}
	for _, q := range list {
		require.NotEmpty(t, q.Gold, q.Text)
		require.False(t, seen[q.Text], q.Text)
		seen[q.Text] = true
		require.False(t, q.Right(q.Text), "%q gives its answer away", q.Text)
	}
}

func TestRight(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gold, answer string
		want         bool
	}{
		{"Paris", "It is Paris.", true},
		{"Paris", "paris", true},
		{"Port Vila", "The capital is Port Vila.", true},
		{"Port Vila", "Vila, the port", false},
		{"11", "The answer is 11.", true},
		{"11", "It is 111.", false},
		{"Ford", "Hereford", false},
		{"Au", "", false},
	} {
		require.Equal(t, c.want, Question{Gold: c.gold}.Right(c.answer), "%s in %q", c.gold, c.answer)
	}
}

func TestAUROC(t *testing.T) {
	t.Parallel()
	wrong := []bool{true, true, false, false, false}
	for _, c := range []struct {
		name   string
		scores []float64
		want   float64
	}{
		{"wrong above right", []float64{9, 8, 1, 2, 3}, 1},
		{"wrong below right", []float64{1, 2, 8, 9, 7}, 0},
		{"all alike", []float64{1, 1, 1, 1, 1}, 0.5},
		{"one of six pairs the other way round", []float64{9, 2, 1, 1, 3}, 5. / 6},
	} {
		got := computeAUROC(c.scores, wrong)
		require.InDelta(t, c.want, got.Value, 1e-9, c.name)
		require.LessOrEqual(t, got.Low, got.Value, c.name)
		require.GreaterOrEqual(t, got.High, got.Value, c.name)
	}
	require.True(t, math.IsNaN(computeAUROC([]float64{1, 2}, []bool{true, true}).Value), "no right answers")
}
