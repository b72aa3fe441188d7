package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/model"
)

// RiskMap turns the log-odds of fusion into a calibrated probability, which never falls when they rise: logistic(a · log-odds + b).
type RiskMap struct {
	Measurable string  `yaml:"measurable" required:"true"` // detectors that gave a score, joined by "+" in the suite's order; empty: any
	A          float64 `yaml:"a,omitempty"`                // 0 or more
	B          float64 `yaml:"b,omitempty"`
	N          int     `yaml:"n"`        // rows that it was fitted on
	LogLoss    float64 `yaml:"log_loss"` // nats per row, on held-out rows

	Prior []float64 `yaml:"prior,omitempty"` // a and b that labels moved to these; empty: none did
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
func (m *RiskMap) At(x float64) float64 { return model.Logistic(m.A*x + m.B) }

func (v *validator) checkRisks(maps []RiskMap) {
	seen := make(map[string]int, len(maps))
	for i := range maps {
		m := &maps[i]
		field := fmt.Sprintf("risk[%d]", i)
		v.checkRisk(field, m)
		if first, twice := seen[m.Measurable]; twice {
			v.report(field, "has the measurable of risk[%d]: keep one of them", first)
			continue
		}
		seen[m.Measurable] = i
	}
}

func (v *validator) checkRisk(field string, m *RiskMap) {
	if m.Measurable != "" && slices.Contains(strings.Split(m.Measurable, "+"), "") {
		v.report(field+".measurable", "%q: write names of detectors joined by +, or nothing for any", m.Measurable)
	}
	v.checkCount(field+".n", m.N)
	if !(m.LogLoss >= 0) || math.IsInf(m.LogLoss, 1) {
		v.report(field+".log_loss", "%v: write a finite number, 0 or more", m.LogLoss)
	}
	if !isLine(m.A, m.B) {
		v.report(field+".a", "%v with b %v: write finite numbers and a slope of 0 or more: a risk must never fall when the log-odds rise", m.A, m.B)
	}
	if p := m.Prior; len(p) > 0 && (len(p) != 2 || !isLine(p[0], p[1])) {
		v.report(field+".prior", "%v: write the slope and the offset before the labels, or nothing", p)
	}
}

func isLine(a, b float64) bool { return isFinite(a) && isFinite(b) && a >= 0 }

func isFinite(x float64) bool { return x-x == 0 }
