package fit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"confab/calibration"
	"confab/detectors"
	"confab/internal/model"
)

// minRows is the least that weights are learned from.
const minRows = 50

// bags is how many times the trees are grown, each time on other draws of rows and features: their mean ranks better than
// any of them (Breiman, "Bagging predictors", 1996).
const bags = 4

// fusionTrees are shallow, slow and cautious: a few thousand rows of some ten data sets must not teach which set a row
// is from.
func fusionTrees(seed uint64) model.TreeOptions {
	return model.TreeOptions{
		Rounds: 120, Depth: 3, LearningRate: 0.07, MinWeight: 8, L2: 10, Rows: 0.6, Columns: 0.5,
		Monotone: detectors.FusionSigns(), Seed: seed,
	}
}

// Fusion learns trees over detectors.FusionFeatures that say how likely an answer is bad. More of a detector's score never
// lowers what they say. Every data set and task has the same say, however many rows it has; within one, Row.Weight
// counts. Rows whose inputs hold learned scores must come from a model that was not trained on them. Rows that no
// detector could measure, or that were measured by another version, teach nothing: the former are left out, the latter
// are an error.
func Fusion(rows []calibration.Row, o Options) (*model.Trees, error) {
	features := detectors.FusionFeatures()
	used := make([]*calibration.Row, 0, len(rows))
	for i := range rows {
		r := &rows[i]
		if len(r.Inputs) != len(features) {
			return nil, fmt.Errorf("fit fusion: a row of %s has %d inputs, this version reads %d: measure the rows anew", r.Dataset, len(r.Inputs), len(features))
		}
		if r.Measurable != "" {
			used = append(used, r)
		}
	}
	if len(used) < minRows {
		return nil, fmt.Errorf("fit fusion: %d rows could be measured, at least %d are needed: label more", len(used), minRows)
	}
	if !slices.ContainsFunc(used, func(r *calibration.Row) bool { return r.Positive != used[0].Positive }) {
		return nil, errors.New("fit fusion: all rows have one label: label some good and some bad answers")
	}
	slices.SortStableFunc(used, compareInputs)
	list := examples(used)
	grown := make([]*model.Trees, bags)
	for bag := range grown {
		var err error
		if grown[bag], err = model.TrainTrees(features, list, fusionTrees(o.Seed*bags+uint64(bag))); err != nil {
			return nil, fmt.Errorf("fit fusion: %w", err)
		}
	}
	return mean(grown), nil
}

// mean is one model whose log-odds are the mean of those of the list.
func mean(list []*model.Trees) *model.Trees {
	m := &model.Trees{Features: list[0].Features}
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

// compareInputs orders rows by what they teach, so that the order in which they came teaches nothing.
func compareInputs(a, b *calibration.Row) int {
	return cmp.Or(slices.Compare(a.Inputs, b.Inputs), cmp.Compare(label(a), label(b)), cmp.Compare(a.Weight, b.Weight),
		cmp.Compare(a.Dataset, b.Dataset), cmp.Compare(a.Task, b.Task))
}

func label(r *calibration.Row) float64 {
	if r.Positive {
		return 1
	}
	return 0
}

// examples weigh the rows so that each data set and task sums to the same, and a row to 1 on average.
func examples(rows []*calibration.Row) []model.Example {
	type stratum struct{ dataset, task string }
	total := map[stratum]float64{}
	for _, r := range rows {
		total[stratum{r.Dataset, r.Task}] += cmp.Or(r.Weight, 1)
	}
	share := float64(len(rows)) / float64(len(total))
	list := make([]model.Example, len(rows))
	for i, r := range rows {
		weight := cmp.Or(r.Weight, 1) * share / total[stratum{r.Dataset, r.Task}]
		list[i] = model.Example{X: r.Inputs, Y: label(r), Weight: weight}
	}
	return list
}
