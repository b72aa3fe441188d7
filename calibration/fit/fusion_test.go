package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/measure"
	"confab/calibration/roc"
	"confab/detectors/fusion"
	"confab/detectors/standard"
	"confab/internal/model"
)

func columnIndex(t *testing.T, name string) int {
	t.Helper()
	at := slices.Index(fusion.Features(), name)
	require.GreaterOrEqual(t, at, 0, name)
	return at
}

// randomRows are rows whose label depends on two scores together, and on nothing else.
func randomRows(t *testing.T, n int, seed uint64) []measure.Row {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	grounding, citation, records := columnIndex(t, "grounding.score"), columnIndex(t, "citation.score"), columnIndex(t, "sources.records")
	rows := make([]measure.Row, n)
	for i := range rows {
		inputs := make([]float32, len(fusion.Features()))
		for k := range inputs {
			inputs[k] = float32(math.NaN())
		}
		g, c := random.Float64(), random.Float64()
		inputs[grounding], inputs[citation], inputs[records] = float32(g), float32(c), random.Float32()
		bad := (g + c) / 2
		rows[i] = measure.Row{
			Dataset: "made", Task: "qa", Measurable: "citation+grounding", Inputs: inputs,
			Positive: model.Logistic(20*(bad-0.5)) > random.Float64(),
		}
	}
	return rows
}

func aurocOfTrees(trees *model.Trees, rows []measure.Row) float64 {
	scored := make([]roc.Scored, len(rows))
	for i := range rows {
		scored[i] = roc.Scored{Score: trees.LogOdds(rows[i].Inputs), Positive: rows[i].Positive}
	}
	return roc.AUROC(scored)
}

func TestFusionSeparatesBetterThanAnyDetector(t *testing.T) {
	t.Parallel()
	trees, err := Fusion(randomRows(t, 2000, 1), Options{Seed: 1})
	require.NoError(t, err)
	require.NoError(t, trees.Check(fusion.Features()))
	rows := randomRows(t, 1000, 2)
	require.Greater(t, aurocOfTrees(trees, rows), 0.87)
	for _, name := range []string{"grounding.score", "citation.score"} {
		alone := make([]roc.Scored, len(rows))
		for i := range rows {
			alone[i] = roc.Scored{Score: float64(rows[i].Inputs[columnIndex(t, name)]), Positive: rows[i].Positive}
		}
		require.Less(t, roc.AUROC(alone), aurocOfTrees(trees, rows)-0.1, name)
	}
}

func TestFusionNeverFallsWithAScore(t *testing.T) {
	t.Parallel()
	rows := randomRows(t, 1500, 3)
	for i := range rows { // labels that contradict one detector's score
		rows[i].Positive = rows[i].Inputs[columnIndex(t, "grounding.score")] < 0.5
	}
	trees, err := Fusion(rows, Options{})
	require.NoError(t, err)
	for _, e := range standard.Fast(standard.Dependencies{}) {
		at := columnIndex(t, e.Name+".score")
		for _, r := range rows[:20] {
			x, before := slices.Clone(r.Inputs), math.Inf(-1)
			for s := float32(0); s <= 1; s += 0.05 {
				x[at] = s
				now := trees.LogOdds(x)
				require.GreaterOrEqual(t, now, before-1e-9, e.Name)
				before = now
			}
		}
	}
}

func TestFusionIgnoresOrderAndNames(t *testing.T) {
	t.Parallel()
	rows := randomRows(t, 600, 4)
	one, err := Fusion(rows, Options{Seed: 7, Workers: 1})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(5, 5))
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	for i := range rows {
		rows[i].Model, rows[i].Tenant, rows[i].Operation, rows[i].Dataset, rows[i].Task = "m", "t", "o", "renamed", "x"
	}
	two, err := Fusion(rows, Options{Seed: 7, Workers: 3})
	require.NoError(t, err)
	require.Equal(t, one, two)
	other, err := Fusion(rows, Options{Seed: 8})
	require.NoError(t, err)
	require.NotEqual(t, one, other)
}

// A large data set must not outweigh a small one with another pattern.
func TestFusionWeightsDataSetsEqually(t *testing.T) {
	t.Parallel()
	rows := func(dataset string, n, positives int) []measure.Row {
		list := make([]measure.Row, n)
		for i := range list {
			inputs := make([]float32, len(fusion.Features()))
			list[i] = measure.Row{Dataset: dataset, Measurable: "schema", Inputs: inputs, Positive: i < positives}
		}
		return list
	}
	trees, err := Fusion(append(rows("large", 900, 90), rows("small", 100, 90)...), Options{})
	require.NoError(t, err)
	require.InDelta(t, 0.5, trees.Probability(make([]float32, len(fusion.Features()))), 0.01)
}

// Inputs without a direction, such as the length of an answer, separate data sets rather than answers: labels that
// depend on them alone have no effect.
func TestFusionIgnoresInputsWithoutDirection(t *testing.T) {
	t.Parallel()
	labelled := func(seed uint64) []measure.Row {
		rows := randomRows(t, 600, seed)
		for i := range rows {
			rows[i].Positive = rows[i].Inputs[columnIndex(t, "sources.records")] < 0.5
		}
		return rows
	}
	trees, err := Fusion(labelled(8), Options{})
	require.NoError(t, err)
	signs := fusion.Signs()
	for _, n := range trees.Nodes {
		if n.Feature >= 0 {
			require.NotZero(t, signs[n.Feature], fusion.Features()[n.Feature])
		}
	}
	require.InDelta(t, 0.5, aurocOfTrees(trees, labelled(9)), 0.1)
}

func TestMeanOfTrees(t *testing.T) {
	t.Parallel()
	rows := weightedExamples(pointersTo(randomRows(t, 300, 6)))
	var list []*model.Trees
	for seed := range uint64(3) {
		shape := fusionTrees(seed)
		shape.Terms = []model.Term{{Feature: 1, Slope: 0.5}}
		trees, err := model.TrainTrees(fusion.Features(), rows, shape)
		require.NoError(t, err)
		list = append(list, trees)
	}
	m := averageTrees(list)
	require.NoError(t, m.Check(fusion.Features()))
	for _, e := range rows[:50] {
		want := (list[0].LogOdds(e.X) + list[1].LogOdds(e.X) + list[2].LogOdds(e.X)) / 3
		require.InDelta(t, want, m.LogOdds(e.X), 1e-5)
	}
}

func pointersTo(rows []measure.Row) []*measure.Row {
	list := make([]*measure.Row, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	return list
}

func TestFusionErrors(t *testing.T) {
	t.Parallel()
	rows := randomRows(t, 60, 1)
	short := slices.Clone(rows)
	short[3].Inputs = short[3].Inputs[1:]
	unmeasured := slices.Clone(rows)
	for i := range unmeasured[:20] {
		unmeasured[i].Measurable = ""
	}
	one := slices.Clone(rows)
	for i := range one {
		one[i].Positive = true
	}
	for want, given := range map[string][]measure.Row{
		"measure the rows again":        short,
		"40 rows could be measured":     unmeasured,
		"all rows have one label":       one,
		"0 rows could be measured, at ": nil,
	} {
		_, err := Fusion(given, Options{})
		require.ErrorContains(t, err, want)
	}
}
