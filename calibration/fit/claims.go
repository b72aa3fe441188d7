package fit

import (
	"slices"

	"confab/detectors/grounding"
	"confab/internal/model"
	"confab/schemas"
)

func overlapsAny(spans []schemas.Span, start, end int) bool {
	return slices.ContainsFunc(spans, func(s schemas.Span) bool { return s.Start < end && start < s.End })
}

// labelClaims labels the claims. Claims of a good answer are good. Of a bad answer those that touch a labelled span are
// bad, or, without spans, all of them.
func (b *groundingFit) labelClaims() {
	b.labels = make([][]claimLabel, len(b.samples))
	b.vectors = make([][][]float32, len(b.samples))
	b.predicted = make([][]float64, len(b.samples))
	for _, i := range b.rows {
		row, claims := &b.trainingSet.rows[i], b.samples[i].Claims
		b.labels[i] = make([]claimLabel, len(claims))
		b.predicted[i] = make([]float64, len(claims))
		for k := range claims {
			l := claimLabel{y: float64(row.Label), weight: b.weights[i] / float64(len(claims))}
			if row.Label == 1 && len(row.Spans) > 0 && !overlapsAny(row.Spans, claims[k].Start, claims[k].End) {
				l.y = 0
			}
			b.labels[i][k] = l
			b.vectors[i] = append(b.vectors[i], slices.Clone(claims[k].X))
		}
	}
}

func (b *groundingFit) innerFolds() (list []int) {
	for f := range b.Folds {
		if f != b.heldOutFold {
			list = append(list, f)
		}
	}
	return list
}

// fitWords trains the word model and fills the columns that read it out of fold.
func (b *groundingFit) fitWords() *wordModel {
	var risks []float32
	for _, f := range b.innerFolds() {
		m := trainWords(b.wordExamples(f), b.Seed)
		for _, i := range b.rows {
			if b.folds[i] != f {
				continue
			}
			for k := range b.samples[i].Claims {
				c := b.samples[i].Claims[k]
				c.X = b.vectors[i][k]
				risks = m.risks(&c, risks)
				c.Pool(risks)
			}
		}
	}
	return trainWords(b.wordExamples(-1), b.Seed)
}

func (b *groundingFit) wordExamples(without int) (list []wordExample) {
	for _, i := range b.rows {
		if b.folds[i] == without {
			continue
		}
		row := &b.trainingSet.rows[i]
		for k := range b.samples[i].Claims {
			list = appendWords(list, &b.samples[i].Claims[k], row, b.weights[i])
		}
	}
	return list
}

// appendWords appends the labelled words of a claim.
func appendWords(list []wordExample, c *grounding.SampleClaim, row *schemas.Labelled, weight float64) []wordExample {
	unheld := 0
	for i := range c.Words {
		if !c.Words[i].Held {
			unheld++
		}
	}
	for i := range c.Words {
		w := &c.Words[i]
		e := wordExample{cues: w.Features, weight: weight}
		if row.Label == 1 {
			switch {
			case len(row.Spans) > 0:
				if overlapsAny(row.Spans, w.Start, w.End) {
					e.y = 1
				}
			case unheld > 0 && w.Held:
				continue
			default:
				n := max(unheld, 1)
				if unheld == 0 {
					n = len(c.Words)
				}
				e.y, e.weight = 1, weight*wordShare(n)
			}
		}
		list = append(list, e)
	}
	return list
}

// wordShare is the weight of each of n words of which at least one is unsupported.
func wordShare(n int) float64 { return min(1, 2/float64(n)) }

// fitClaims trains the claim model and predicts its own rows out of fold.
func (b *groundingFit) fitClaims() (*model.Trees, error) {
	for _, f := range b.innerFolds() {
		trees, err := b.claimTrees(f)
		if err != nil {
			return nil, err
		}
		for _, i := range b.rows {
			if b.folds[i] != f {
				continue
			}
			for k, x := range b.vectors[i] {
				b.predicted[i][k] = trees.Probability(x)
			}
		}
	}
	b.reweightClaims()
	return b.claimTrees(-1)
}

// reweightClaims moves the weight of a bad answer without spans to its most likely bad claims.
func (b *groundingFit) reweightClaims() {
	for _, i := range b.rows {
		row := &b.trainingSet.rows[i]
		if row.Label != 1 || len(row.Spans) > 0 || len(b.labels[i]) < 2 {
			continue
		}
		sum := 0.0
		for _, p := range b.predicted[i] {
			sum += p * p
		}
		for k, p := range b.predicted[i] {
			b.labels[i][k].weight = b.weights[i] * p * p / max(sum, 1e-9)
		}
	}
}

func (b *groundingFit) claimTrees(without int) (*model.Trees, error) {
	var examples []model.Example
	total := 0.0
	for _, i := range b.rows {
		if b.folds[i] == without {
			continue
		}
		for k, x := range b.vectors[i] {
			examples = append(examples, model.Example{X: x, Y: b.labels[i][k].y, Weight: b.labels[i][k].weight})
			total += b.labels[i][k].weight
		}
	}
	for i := range examples {
		examples[i].Weight *= float64(len(examples)) / total
	}
	return model.TrainTrees(grounding.ClaimColumns(), examples, model.TreeOptions{
		Rounds: 160, Depth: 6, LearningRate: 0.05, MinWeight: 30, L2: 10, Rows: 0.7, Columns: 0.3, Seed: b.Seed,
	})
}

// fitAnswers trains the answer model on the out-of-fold probabilities of the claims.
func (b *groundingFit) fitAnswers() (*model.Trees, error) {
	var examples []model.Example
	total := 0.0
	for _, i := range b.rows {
		weight := b.weights[i]
		if i >= b.labelledRows {
			weight *= generatedAnswerFactor
		}
		s := b.samples[i]
		s.Claims = slices.Clone(s.Claims)
		for k := range s.Claims {
			s.Claims[k].X = b.vectors[i][k]
		}
		examples = append(examples, model.Example{X: s.Answer(b.predicted[i]), Y: float64(b.trainingSet.rows[i].Label), Weight: weight})
		total += weight
	}
	for i := range examples {
		examples[i].Weight *= float64(len(examples)) / total
	}
	return model.TrainTrees(grounding.AnswerColumns(), examples, model.TreeOptions{
		Rounds: 200, Depth: 3, LearningRate: 0.04, MinWeight: 15, L2: 10, Rows: 0.7, Columns: 0.5, Seed: b.Seed, Monotone: answerSigns(),
	})
}

// answerSigns keep the answer model monotone in each column that measures missing support.
func answerSigns() []int8 {
	return []int8{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0}
}
