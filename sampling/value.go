package sampling

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"confab/schemas"
)

const (
	// highStakesValue is how many wrong answers of others one with a high-stakes tag is worth.
	highStakesValue = 3
	// A request to the judge takes requestTokens with its reply, and one for every bytesPerToken of the answer and what supports it.
	requestTokens = 900
	bytesPerToken = 3
	// replySurcharge is what the tokens of a reply cost beyond those of a prompt, in those of a prompt. Without it, long answers,
	// which have more faults, would be asked about too rarely.
	replySurcharge = 2600
	// latestValues is how many answers a new one is compared with.
	latestValues = 1024
)

// valueOf is what asking a judge about the answer is worth: the expected wrong answers found, weighted by their stakes, for their cost.
// It is 0 where no detector could measure, and for tenants of whom nothing is sent.
func (s *Sampler) valueOf(in *schemas.Interaction, seen FastScores) float64 {
	worth, known := s.worth[in.Tenant]
	if !known {
		worth = 1
	}
	if s.highStakes(in.Tags) {
		worth *= highStakesValue
	}
	if value := seen.Risk * worth / (replySurcharge + JudgeTokens(in)); value > 0 {
		return value
	}
	return 0
}

// JudgeTokens estimates the tokens that asking a judge about the answer takes.
func JudgeTokens(in *schemas.Interaction) float64 {
	size := len(in.Answer)
	for i := range in.Messages {
		size += len(in.Messages[i].Content)
	}
	for i := range in.Sources {
		size += len(in.Sources[i].Text)
	}
	return requestTokens + float64(size)/bytesPerToken
}

// valueWindow are the values of the latest answers. It is safe for concurrent use.
type valueWindow struct {
	mu      sync.Mutex
	arrived []float64 // a ring
	oldest  int
	sorted  []float64
}

// picks reports whether a value is in the highest share of the latest ones. draw, from 0 to 1, decides between equal ones, and how
// often the one next to the limit is picked: the expected share is exact from the first answer on.
func (w *valueWindow) picks(value, share, draw float64) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	first, _ := slices.BinarySearch(w.sorted, value)
	after, _ := slices.BinarySearch(w.sorted, math.Nextafter(value, math.Inf(1)))
	above, equal := len(w.sorted)-after, after-first
	picked := float64(above)+draw*float64(equal+1) < share*float64(len(w.sorted)+1)
	w.add(value)
	return picked
}

// add replaces the oldest value if there are enough.
func (w *valueWindow) add(value float64) {
	if len(w.arrived) < latestValues {
		w.arrived = append(w.arrived, value)
	} else {
		gone, _ := slices.BinarySearch(w.sorted, w.arrived[w.oldest])
		w.sorted = slices.Delete(w.sorted, gone, gone+1)
		w.arrived[w.oldest] = value
		w.oldest = (w.oldest + 1) % latestValues
	}
	at, _ := slices.BinarySearch(w.sorted, value)
	w.sorted = slices.Insert(w.sorted, at, value)
}

// worthJudging reports whether the judge is asked about the answer for its value.
func (s *Sampler) worthJudging(d *sampleDraw, seen FastScores) bool {
	if worth, known := s.worth[d.in.Tenant]; s.judgeShare == 0 || known && worth == 0 {
		return false
	}
	hash := s.hash(d.eventID(), 6)
	return s.values.picks(s.valueOf(d.in, seen), s.judgeShare, float64(binary.BigEndian.Uint64(hash[:8]))/math.MaxUint64)
}
