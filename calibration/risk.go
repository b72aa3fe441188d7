package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/model"
)

// RiskMethod is how a risk map turns log-odds into a probability.
type RiskMethod string

// The methods of risk maps.
const (
	Isotonic RiskMethod = "isotonic" // straight lines between points
	Platt    RiskMethod = "platt"    // logistic(a · log-odds + b)
)

// RiskMap turns the log-odds of fusion into a calibrated probability, which never falls when they rise.
type RiskMap struct {
	Measurable string       `yaml:"measurable" required:"true"` // detectors that gave a score, joined by "+" in the suite's order; empty: any
	Method     RiskMethod   `yaml:"method" required:"true"`
	Points     [][2]float64 `yaml:"points,flow,omitempty"` // isotonic: log-odds, probability; both ascending, constant beyond the ends
	A          float64      `yaml:"a,omitempty"`           // platt, 0 or more
	B          float64      `yaml:"b,omitempty"`
	N          int          `yaml:"n"`        // rows that it was fitted on
	LogLoss    float64      `yaml:"log_loss"` // nats per row, on held-out rows
}

var _ detectors.Risks = (*Calibration)(nil)

// Risk is the probability by the map of exactly these detectors, else by the one for any. It does not allocate.
func (c *Calibration) Risk(measurable string, logOdds float64) (p float64, ok bool) {
	if math.IsNaN(logOdds) {
		return 0, false
	}
	for _, key := range [...]string{measurable, ""} {
		if m := c.risks[key]; m != nil {
			return m.At(logOdds), true
		}
	}
	return 0, false
}

func indexRisks(maps []RiskMap) map[string]*RiskMap {
	index := make(map[string]*RiskMap, len(maps))
	for i := range maps {
		index[maps[i].Measurable] = &maps[i]
	}
	return index
}

// At is the probability for the log-odds x.
func (m *RiskMap) At(x float64) float64 {
	if m.Method == Platt {
		return model.Logistic(m.A*x + m.B)
	}
	points := m.Points
	after, _ := slices.BinarySearchFunc(points, x, func(p [2]float64, x float64) int {
		if p[0] <= x {
			return -1
		}
		return 1
	})
	switch after {
	case 0:
		return points[0][1]
	case len(points):
		return points[len(points)-1][1]
	}
	left, right := points[after-1], points[after]
	return left[1] + (right[1]-left[1])*(x-left[0])/(right[0]-left[0])
}

// Rises reports whether the map tells any two answers apart. A constant map gives every answer the same risk.
func (m *RiskMap) Rises() bool {
	if m.Method == Platt {
		return m.A > 0
	}
	return m.Points[len(m.Points)-1][1] > m.Points[0][1]
}

// MaxRisk returns the largest risk of an answer whose log-odds are at most these and on which only detectors of the fusion
// fired; ok is false without risk maps.
func (c *Calibration) MaxRisk(logOdds float64) (p float64, ok bool) {
	p = max(c.evidence.PriorRisk, c.evidence.FusedRisk)
	for _, m := range c.risks {
		p = max(p, m.At(logOdds))
	}
	return p, len(c.risks) > 0
}

func (v *validator) checkRisks(maps []RiskMap) {
	seen := make(map[string]int, len(maps))
	for i := range maps {
		m := &maps[i]
		field := fmt.Sprintf("risk[%d]", i)
		if m.Measurable != "" && slices.Contains(strings.Split(m.Measurable, "+"), "") {
			v.report(field+".measurable", "%q: write names of detectors joined by +, or nothing for any", m.Measurable)
		}
		v.checkCount(field+".n", m.N)
		if !(m.LogLoss >= 0) || math.IsInf(m.LogLoss, 1) {
			v.report(field+".log_loss", "%v: write a finite number, 0 or more", m.LogLoss)
		}
		switch m.Method {
		case Isotonic:
			v.checkIsotonic(field, m)
		case Platt:
			v.checkPlatt(field, m)
		default:
			v.report(field+".method", "%q: write isotonic or platt", m.Method)
		}
		if first, twice := seen[m.Measurable]; twice {
			v.report(field, "has the measurable of risk[%d]: keep one of them", first)
			continue
		}
		seen[m.Measurable] = i
	}
}

func (v *validator) checkIsotonic(field string, m *RiskMap) {
	if len(m.Points) == 0 {
		v.report(field+".points", "an isotonic map needs points [log-odds, probability]: calibrate again")
	}
	if m.A != 0 || m.B != 0 {
		v.report(field, "a and b belong to the method platt: remove them")
	}
	for i, p := range m.Points {
		at := fmt.Sprintf("%s.points[%d]", field, i)
		v.checkShare(at, p[1])
		if !isFinite(p[0]) {
			v.report(at, "%v is not a log-odds: write a finite number", p[0])
		}
		if i > 0 && !(p[0] > m.Points[i-1][0] && p[1] >= m.Points[i-1][1]) {
			v.report(at, "falls behind the point before it: a risk must never fall when the log-odds rise")
		}
	}
}

func (v *validator) checkPlatt(field string, m *RiskMap) {
	if len(m.Points) > 0 {
		v.report(field+".points", "points belong to the method isotonic: remove them")
	}
	if !isFinite(m.A) || !isFinite(m.B) || m.A < 0 {
		v.report(field+".a", "%v with b %v: write finite numbers and a slope of 0 or more: a risk must never fall when the log-odds rise", m.A, m.B)
	}
}

func isFinite(x float64) bool { return x-x == 0 }
