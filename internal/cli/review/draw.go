package review

import (
	"math"
	"math/rand/v2"

	"confab/schemas"
)

// Bounds of the grey zone.
const (
	greyRisk  = 0.2  // distance of the risk from one half
	greyScore = 0.05 // distance of a score from its threshold, where it decides about the alert
)

// inGreyZone reports whether the detectors are undecided about the answer: its risk is near one half, or one detector
// whose score is near its threshold decides whether two fire.
func inGreyZone(f *schemas.Flag) bool {
	if f.Risk != nil && math.Abs(*f.Risk-0.5) <= greyRisk {
		return true
	}
	for i := range f.Signals {
		s := &f.Signals[i]
		switch {
		case len(f.Fired) == 1 && s.Outcome == schemas.Clear && s.Threshold-s.Score <= greyScore,
			len(f.Fired) == 2 && s.Outcome == schemas.Fired && s.Score-s.Threshold <= greyScore:
			return true
		}
	}
	return false
}

// drawn is what a draw took, by index of the answer.
type drawn map[int]draw

// draw says how an answer was drawn.
type draw struct {
	random, grey bool
	probability  float64 // of being drawn by either
}

// drawAnswers draws random of all answers and grey of those in the grey zone, each without replacement and independent
// of the other. An answer outside the zone is drawn with probability R = random/all, one inside with
// 1-(1-R)(1-G), where G = grey/size of the zone.
func drawAnswers(zone []bool, random, grey int, seed uint64) drawn {
	var inside []int
	for i, in := range zone {
		if in {
			inside = append(inside, i)
		}
	}
	random, grey = min(random, len(zone)), min(grey, len(inside))
	rng := rand.New(rand.NewPCG(seed, 0x6772657920))
	d := drawn{}
	for _, i := range rng.Perm(len(zone))[:random] {
		d[i] = draw{random: true}
	}
	for _, k := range rng.Perm(len(inside))[:grey] {
		one := d[inside[k]]
		one.grey = true
		d[inside[k]] = one
	}
	ofAll, ofZone := share(random, len(zone)), share(grey, len(inside))
	for i, one := range d {
		if one.probability = ofAll; zone[i] {
			one.probability = 1 - (1-ofAll)*(1-ofZone)
		}
		d[i] = one
	}
	return d
}

func share(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}
