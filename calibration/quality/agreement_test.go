package quality_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/quality"
)

func TestAgreement(t *testing.T) {
	var a quality.Agreement
	require.True(t, math.IsNaN(a.Share()), "nothing is known of no answers")
	add := func(n int, kind string, wrong, judged bool) {
		for range n {
			a.Add(kind, wrong, judged)
		}
	}
	add(6, "figure", true, true)
	add(2, "figure", true, false)
	add(1, "date", true, true)
	add(1, "date", true, false)
	require.True(t, math.IsNaN(a.Alarms()))
	add(9, "", false, false)
	add(1, "", false, true)
	require.Equal(t, 20, a.N())
	require.InDelta(t, .8, a.Share(), 1e-9)
	require.InDelta(t, .7, a.Recall(), 1e-9)
	require.InDelta(t, .1, a.Alarms(), 1e-9)
	require.InDelta(t, .8, a.Balanced(), 1e-9)
	require.InDelta(t, .6, a.Kappa(), 1e-9)
	require.Equal(t, []string{"date", "figure"}, a.Kinds())
	figure, n := a.OfKind("figure")
	require.InDelta(t, .825, figure, 1e-9)
	require.Equal(t, 8, n)

	var one quality.Agreement
	one.Add("", true, true)
	require.True(t, math.IsNaN(one.Kappa()), "chance alone agrees as well")
}
