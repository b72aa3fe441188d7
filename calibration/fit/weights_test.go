package fit

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/grounding"
	"confab/schemas"
)

// weighed returns the weights of rows of groups with so many good and bad rows each.
func weighed(groups ...[2]int) (rows []schemas.Labelled, weights []float64) {
	for g, counts := range groups {
		for label, n := range counts {
			for range n {
				rows = append(rows, schemas.Labelled{Dataset: "set", Task: "qa", Group: fmt.Sprint("g", g), Label: label})
			}
		}
	}
	b := &groundingFit{trainingSet: &trainingSet{rows: rows, labelledRows: len(rows), samples: make([]grounding.Sample, len(rows))}}
	for i := range rows {
		b.rows = append(b.rows, i)
	}
	b.weighRows()
	return rows, b.weights
}

// badShares returns the share of bad rows in the weight of each group.
func badShares(rows []schemas.Labelled, weights []float64) map[string]float64 {
	bad, all := map[string]float64{}, map[string]float64{}
	for i, r := range rows {
		all[r.Group] += weights[i]
		bad[r.Group] += weights[i] * float64(r.Label)
	}
	for g := range bad {
		bad[g] /= all[g]
	}
	return bad
}

func TestGroupsAreBalanced(t *testing.T) {
	shares := badShares(weighed([2]int{40, 10}, [2]int{10, 40}, [2]int{2, 1}, [2]int{3, 0}, [2]int{0, 5}))
	require.InDelta(t, 0.5, shares["g0"], 0.06, "without balance a fifth is bad")
	require.InDelta(t, 0.5, shares["g1"], 0.06)
	require.Greater(t, shares["g1"], shares["g0"], "the prior leaves a rest")
	require.Zero(t, shares["g3"])
	require.InDelta(t, 1, shares["g4"], 1e-9)
}

func TestRowsWithoutAGroupKeepTheirWeight(t *testing.T) {
	_, weights := weighed([2]int{4, 2})
	require.InDelta(t, 250, weights[0], 1e-9, "one group has the labels of its task")
	require.InDelta(t, 500, weights[5], 1e-9)
}
