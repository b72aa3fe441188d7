package fit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"confab/calibration/measure"
	"confab/detectors/fusion"
	"confab/detectors/standard"
	"confab/internal/model"
)

// minRows is the least number of rows for a fit.
const minRows = 50

// baggingRounds is the number of tree ensembles, each grown on other samples of rows and features; their mean ranks
// better than each of them (Breiman, "Bagging predictors", 1996).
const baggingRounds = 4

// fusionTrees are shallow and strongly regularized, on top of a logistic regression over the scores: with a few
// thousand rows of about ten data sets, deeper trees over more features learned which set a row is from and ranked
// worse within each set than the best detector alone.
func fusionTrees(seed uint64) model.TreeOptions {
	return model.TreeOptions{
		Rounds: 15, Depth: 2, LearningRate: 0.06, MinWeight: 20, L2: 20, Rows: 0.7, Columns: 0.7,
		Monotone: fusion.Signs(), Seed: seed,
	}
}

// Fusion learns the log-odds that an answer is bad from fusion.Features: a logistic regression over the scores'
// log-odds, and monotone trees over the features with a direction (fusion.Signs). A higher score never lowers the
// result. Every data set and task has the same total weight; within one, Row.Weight counts. Rows whose inputs hold
// learned scores must come from a model that was not trained on them. Rows without a measurable detector are left out;
// rows measured by another version are an error.
func Fusion(rows []measure.Row, o Options) (*model.Trees, error) {
	features := fusion.Features()
	used := make([]*measure.Row, 0, len(rows))
	for i := range rows {
		r := &rows[i]
		if len(r.Inputs) != len(features) {
			return nil, fmt.Errorf("fit fusion: a row of %s has %d inputs, this version reads %d: measure the rows again", r.Dataset, len(r.Inputs), len(features))
		}
		if r.Measurable != "" {
			used = append(used, r)
		}
	}
	if len(used) < minRows {
		return nil, fmt.Errorf("fit fusion: %d rows could be measured, at least %d are needed: label more", len(used), minRows)
	}
	if !slices.ContainsFunc(used, func(r *measure.Row) bool { return r.Positive != used[0].Positive }) {
		return nil, errors.New("fit fusion: all rows have one label: label some good and some bad answers")
	}
	slices.SortStableFunc(used, compareInputs)
	list := weightedExamples(used)
	terms, err := model.FitTerms(scoreColumns(), list)
	if err != nil {
		return nil, fmt.Errorf("fit fusion: %w", err)
	}
	grown := make([]*model.Trees, baggingRounds)
	for bag := range grown {
		shape := fusionTrees(o.Seed*baggingRounds + uint64(bag))
		shape.Terms = terms
		if grown[bag], err = model.TrainTrees(features, list, shape); err != nil {
			return nil, fmt.Errorf("fit fusion: %w", err)
		}
	}
	return averageTrees(grown), nil
}

// averageTrees is one model whose log-odds are the mean of those of the list.
func averageTrees(list []*model.Trees) *model.Trees {
	m := &model.Trees{Features: list[0].Features, Terms: list[0].Terms}
	share := 1 / float64(len(list))
	for _, trees := range list {
		m.Bias += trees.Bias * share
		first := int32(len(m.Nodes))
		for _, root := range trees.Roots {
			m.Roots = append(m.Roots, first+root)
		}
		for _, n := range trees.Nodes {
			if n.Feature < 0 {
				n.Limit *= float32(share)
			} else {
				n.Left += first
			}
			m.Nodes = append(m.Nodes, n)
		}
	}
	return m
}

// scoreColumns are the columns of the detectors' scores, which come first.
func scoreColumns() []int16 {
	list := make([]int16, len(standard.Fast(standard.Dependencies{})))
	for i := range list {
		list[i] = int16(i)
	}
	return list
}

// maskUndirected replaces the inputs without a direction by NaN.
func maskUndirected(inputs []float32, signs []int8) []float32 {
	x := slices.Clone(inputs)
	for i, sign := range signs {
		if sign == 0 {
			x[i] = float32(math.NaN())
		}
	}
	return x
}

// compareInputs orders rows by all that the fit reads, so that their order of arrival has no effect.
func compareInputs(a, b *measure.Row) int {
	return cmp.Or(slices.Compare(a.Inputs, b.Inputs), cmp.Compare(labelValue(a), labelValue(b)), cmp.Compare(a.Weight, b.Weight),
		cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Task, b.Task))
}

func labelValue(r *measure.Row) float64 {
	if r.Positive {
		return 1
	}
	return 0
}

// weightedExamples weights the rows so that all data sets and tasks have the same sum, and a row 1 on average.
func weightedExamples(rows []*measure.Row) []model.Example {
	type stratum struct{ dataset, task string }
	total := map[stratum]float64{}
	for _, r := range rows {
		total[stratum{r.Dataset, r.Task}] += cmp.Or(r.Weight, 1)
	}
	share := float64(len(rows)) / float64(len(total))
	list := make([]model.Example, len(rows))
	signs := fusion.Signs()
	for i, r := range rows {
		weight := cmp.Or(r.Weight, 1) * share / total[stratum{r.Dataset, r.Task}]
		list[i] = model.Example{X: maskUndirected(r.Inputs, signs), Y: labelValue(r), Weight: weight}
	}
	return list
}
