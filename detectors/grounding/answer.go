package grounding

import (
	"math"

	"confab/detectors/figureindex"
)

// answerColumns names the features of the answer model, in order.
var answerColumns = []string{ //nolint:gochecknoglobals // a read-only table
	"first", "second", "third", "mean", "any", "expected", "weighted", "worst_words", "word_mass", "missing", "missing_rare", "run",
	"window_min", "window_mean", "facts_sum", "facts_most", "facts_figures", "facts_names", "facts_fields", "facts_missing", "figures_missing",
	"ungrounded", "claims", "words", "records", "sources", "prompt_words", "turns", "unclaimed",
}

const answerFeatures = 29

type answerVector [answerFeatures]float32

// answerSums adds up the claims of one answer.
type answerSums struct {
	claims                                int
	top                                   [3]float64 // highest probabilities
	sum, weighted, size, logNone          float64
	worst, mass, missing, rare            float32
	run, window, windows                  float32
	facts, figures, factsMost, ungrounded float32
	fact                                  [4]float32 // figures and dates, names, fields, missing fields
	records                               float32
	sources, promptWords, turns           float32
	asked                                 bool
}

// insertTop inserts v into the list, highest first.
func insertTop(top *[3]float64, v float64) {
	for i := range top {
		if v > top[i] {
			top[i], v = v, top[i]
		}
	}
}

func (s *answerSums) add(p float64, v *claimVector) {
	if s.claims == 0 {
		s.window = 1
	}
	s.claims++
	insertTop(&s.top, p)
	size := float64(v[colWords])
	s.sum += p
	s.weighted += p * size
	s.size += size
	s.logNone += math.Log1p(-min(p, 0.999))
	s.worst = max(s.worst, (v[colRisk]+v[colRisk+1]+v[colRisk+2])/3)
	s.mass += v[colRisk+3]
	s.missing += v[colMissing]
	s.rare += v[colMissingRare]
	s.run = max(s.run, v[colRun])
	s.window = min(s.window, v[colWindow])
	s.windows += v[colWindow]
	s.facts += v[colFacts+figureindex.Kinds]
	s.factsMost = max(s.factsMost, v[colFacts+figureindex.Kinds])
	s.fact[0] += v[colFacts+int(figureindex.Number)] + v[colFacts+int(figureindex.Date)]
	s.fact[1] += v[colFacts+int(figureindex.Name)]
	s.fact[2] += v[colFacts+int(figureindex.Contradicted)]
	s.fact[3] += v[colFacts+int(figureindex.Missing)]
	if p >= ungroundedProbability {
		s.ungrounded++
	}
	s.figures += v[colFiguresMissing]
	s.records, s.sources = v[colRecords], v[colSources]
	s.promptWords, s.turns = v[colPromptWords], v[colTurns]
}

// vector returns the features of the answer model. words counts the words of the answer, unclaimed is the share of its
// sentences without a claim.
func (s *answerSums) vector(words int, unclaimed float32) answerVector {
	n := float64(max(1, s.claims))
	odds := func(p float64) float32 { return float32(math.Log((p + 0.001) / (1.001 - p))) }
	return answerVector{
		odds(s.top[0]), odds(s.top[1]), odds(s.top[2]), odds(s.sum / n), float32(-s.logNone), float32(s.sum),
		odds(s.weighted / max(1, s.size)), s.worst, s.mass, s.missing, s.rare, s.run,
		s.window, s.windows / float32(n), s.facts, s.factsMost, s.fact[0], s.fact[1], s.fact[2], s.fact[3], s.figures,
		s.ungrounded, float32(s.claims), float32(words), s.records, s.sources, s.promptWords, s.turns, unclaimed,
	}
}
