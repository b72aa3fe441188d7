package rate

import (
	"math"

	"confab/calibration/roc"
)

// MinSample is the least number of judged answers of an estimate.
const MinSample = 20

// Observation is a judged answer of the sample.
type Observation struct {
	Positive    bool
	Probability float64 // of being in the sample, above 0 and at most 1
}

// Estimate is the share of hallucinated answers in the traffic that the sample was drawn from.
type Estimate struct {
	Share, Low, High float64 // Low and High bound a 95 % interval
	Judged           int     // answers of the sample
	Positive         int     // of them
	Traffic          float64 // estimated number of answers: the sum of 1/probability
}

// Enough reports whether the sample is large enough for an estimate.
func (e *Estimate) Enough() bool { return e.Judged >= MinSample }

// stratum is the part of a sample with about the same probability.
type stratum struct {
	judged          int
	weight, bad     float64 // sums of 1/probability
	weight2, unsure float64 // sums of 1/probability² and of (1-probability)/probability²
}

// Of estimates the share by the ratio of Horvitz–Thompson estimators (Horvitz and Thompson, 1952; Hájek, 1971): each answer
// counts as 1/probability answers. The interval joins those of strata of like probability by the method of variance estimates
// recovery (Zou and Donner, 2008; Newcombe, 2011): Jeffreys' lower limit and Wilson's upper one. A normal interval would have no
// width where a stratum has no positive answer, and triggers that pick faulty answers leave few of them in the stratum that
// stands for most answers.
func Of(sample []Observation) Estimate {
	e := Estimate{Judged: len(sample)}
	strata := map[int]*stratum{}
	for _, o := range sample {
		w := 1 / o.Probability
		level := int(math.Floor(math.Log2(w) + 1e-9))
		h := strata[level]
		if h == nil {
			h = &stratum{}
			strata[level] = h
		}
		h.judged++
		h.weight += w
		h.weight2 += w * w
		h.unsure += (1 - o.Probability) * w * w
		if e.Traffic += w; o.Positive {
			e.Positive++
			h.bad += w
		}
	}
	if e.Judged == 0 {
		e.High = 1
		return e
	}
	var below, above float64
	for _, h := range strata {
		share, part := h.bad/h.weight, h.weight/e.Traffic
		e.Share += part * share
		size := h.weight * h.weight / h.weight2
		low := roc.JeffreysLow(share, size)
		_, high := roc.Wilson(share, size)
		drawn := h.unsure / h.weight2 // 0 where every answer is in the sample: then nothing is unsure
		below += part * part * (share - low) * (share - low) * drawn
		above += part * part * (high - share) * (high - share) * drawn
	}
	e.Low, e.High = max(0, e.Share-math.Sqrt(below)), min(1, e.Share+math.Sqrt(above))
	return e
}
