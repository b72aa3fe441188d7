package detectors

import (
	"maps"
	"math/bits"
	"slices"
	"strings"

	"confab/schemas"
)

// Measured returns the score if the detector produced one: the rule fired, stayed clear, or has no usable threshold.
func (r *Reading) Measured() (score float64, ok bool) {
	switch {
	case r.Outcome == schemas.Fired, r.Outcome == schemas.Clear:
	case r.Outcome == schemas.Skipped && r.Reason == ReasonNotArmed:
	default:
		return 0, false
	}
	return r.Score, true
}

func isMeasured(r Reading) bool {
	_, ok := r.Measured()
	return ok
}

// Independent reports whether the detector is outside of fusion; see [Entry.Independent].
func (r *Reading) Independent() bool { return r.entry.independent() }

// thresholdName is the detector's name in a calibration, with the basis of its score.
func thresholdName(detector, basis string) string {
	if basis == "" {
		return detector
	}
	return detector + "." + basis
}

// Measurable names the detectors that gave a score to fusion, in the suite's order, joined by "+"; "" if none did. It leaves
// out independent detectors ([Entry.Independent]).
func (e *Evaluation) Measurable() string {
	measured, _ := e.FusedSets()
	return e.NameOf(measured)
}

// DetectorSet is a set of the detectors of a suite: bit i stands for the i-th.
type DetectorSet uint64

// Fusion combines the outcomes of an evaluation.
type Fusion interface {
	// LogOdds returns the log-odds that the answer is wrong, as if only the detectors of the set had measured. The
	// set is not empty.
	LogOdds(e *Evaluation, used DetectorSet) float64
}

// Risks turns log-odds of a fusion and fired detectors into probabilities.
type Risks interface {
	// Risk returns the calibrated probability that the answer is wrong. measurable is [Evaluation.Measurable]; ok is
	// false if there is no map for it.
	Risk(measurable string, logOdds float64) (p float64, ok bool)
	// PriorRisk returns the risk of an answer about which fusion knows nothing. ok is false without any map.
	PriorRisk() (p float64, ok bool)
	// FiredRisk returns the least risk of an answer on which the detector fired. independent is [Entry.Independent].
	FiredRisk(key ThresholdKey, independent bool) float64
}

// ThresholdKey is what a threshold holds for. An empty tenant, operation or model stands for any.
type ThresholdKey struct{ Detector, Tenant, Operation, Model string }

// Risk returns the calibrated probability that the answer is wrong. It never falls when a score rises or a detector
// fires. Detectors that rest on the same measurement ([schemas.SharedEvidence]) raise it as one. Where a judge refutes the
// wording it is at most the prior risk, that of an answer whose wording says nothing. ok is false if no detector could measure, and without a fusion or risk maps.
func (e *Evaluation) Risk() (p float64, ok bool) {
	if e.suite.opts.Risks == nil || e.suite.opts.Fusion == nil || !slices.ContainsFunc(e.readings, isMeasured) {
		return 0, false
	}
	p, ok = FusedRisk(e, e.suite.opts.Risks)
	if !ok {
		return 0, false
	}
	fired, shared := NoEvidence(), map[string]float64{}
	for i := range e.readings {
		r := &e.readings[i]
		if r.Outcome != schemas.Fired {
			continue
		}
		key := ThresholdKey{thresholdName(r.Detector, r.Finding.Basis), e.doc.in.Tenant, e.doc.in.Operation, e.doc.in.Model}
		independent := r.entry.independent()
		risk := e.suite.opts.Risks.FiredRisk(key, independent)
		if said := r.sharedEvidence(); said != "" {
			shared[said] = max(shared[said], risk)
		} else {
			fired = fired.And(risk, independent)
		}
	}
	for _, said := range slices.Sorted(maps.Keys(shared)) {
		fired = fired.And(shared[said], true)
	}
	if p = fired.Raise(p); refutesWording(e.readings) && e.doc.wholeAnswer() {
		prior, _ := e.suite.opts.Risks.PriorRisk()
		p = min(p, prior)
	}
	return p, true
}

// sharedEvidence is [schemas.SharedEvidence] of the reading.
func (r *Reading) sharedEvidence() string {
	return schemas.SharedEvidence(r.Detector, func(measure string) bool {
		return slices.Contains(r.Finding.Measures, Measure{measure, 1})
	})
}

// refutesWording reports whether a judge found every statement of the answer supported by its sources, and nothing but the
// wording of the answer speaks against it. Both verdicts stay in the flag.
func refutesWording(readings []Reading) bool {
	supported := false
	for i := range readings {
		r := &readings[i]
		if r.Outcome == schemas.Fired && !r.entry.Wording {
			return false
		}
		supported = supported || r.Finding.Supported && r.Outcome == schemas.Clear
	}
	return supported
}

// FusedAnswer is an answer measured by detectors that fusion reads.
type FusedAnswer interface {
	FusedSets() (measured, fired DetectorSet)
	LogOdds(used DetectorSet) float64
	NameOf(used DetectorSet) string
}

// maxLeftOut bounds the work for a suite with many detectors of its own: 2 to this power sets.
const maxLeftOut = 8

// FusedRisk returns the highest risk by fusion that remains with all detectors, or without some of those that fired. So a
// detector that fires never lowers the risk, whatever the trees and maps do with a set that has one more detector. A set
// without detectors or without a map has the prior risk.
func FusedRisk(a FusedAnswer, risks Risks) (risk float64, ok bool) {
	prior, ok := risks.PriorRisk()
	if !ok {
		return 0, false
	}
	measured, fired := a.FusedSets()
	for bits.OnesCount64(uint64(fired)) > maxLeftOut {
		fired &= fired - 1
	}
	for out := fired; ; out = (out - 1) & fired {
		p, found := 0.0, false
		if used := measured &^ out; used != 0 {
			p, found = risks.Risk(a.NameOf(used), a.LogOdds(used))
		}
		if !found {
			p = prior
		}
		if risk = max(risk, p); out == 0 {
			return risk, true
		}
	}
}

// FiredEvidence is what the fired detectors say, in addition to fusion.
type FiredEvidence struct{ floor, none float64 }

// NoEvidence is the evidence when nothing fired.
func NoEvidence() FiredEvidence { return FiredEvidence{none: 1} }

// And adds a detector that fired. Independent ones add up like independent faults (a noisy or); of the others, whose scores
// fusion has combined already, the largest risk counts.
func (f FiredEvidence) And(risk float64, independent bool) FiredEvidence {
	if independent {
		f.none *= 1 - risk
	} else {
		f.floor = max(f.floor, risk)
	}
	return f
}

// Raise returns the risk with the evidence. It never lowers it.
func (f FiredEvidence) Raise(risk float64) float64 { return max(risk, 1-(1-max(risk, f.floor))*f.none) }

// FusedSets returns the detectors that fusion reads: those that measured, and those of them that fired.
func (e *Evaluation) FusedSets() (measured, fired DetectorSet) {
	for i := range e.readings {
		r := &e.readings[i]
		if _, ok := r.Measured(); !ok || i >= 64 || r.entry.independent() {
			continue
		}
		measured |= 1 << i
		if r.Outcome == schemas.Fired {
			fired |= 1 << i
		}
	}
	return measured, fired
}

// HasFusion reports whether the suite has a fusion.
func (e *Evaluation) HasFusion() bool { return e.suite.opts.Fusion != nil }

// LogOdds returns the log-odds by fusion as if only the detectors of the set had measured. It requires a fusion.
func (e *Evaluation) LogOdds(used DetectorSet) float64 { return e.suite.opts.Fusion.LogOdds(e, used) }

// NameOf names the detectors of the set, in the suite's order, joined by "+".
func (e *Evaluation) NameOf(set DetectorSet) string {
	var names []string
	for i := range e.readings {
		if set&(1<<i) != 0 {
			names = append(names, e.readings[i].Detector)
		}
	}
	return strings.Join(names, "+")
}
