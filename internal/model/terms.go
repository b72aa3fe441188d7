package model

// Term adds Slope times the log-odds of a feature that is a probability, and 0 when it is missing. Trees alone distinguish a
// few dozen values of a feature; a term keeps the order between them.
type Term struct {
	Feature int16   `json:"f"`
	Slope   float64 `json:"s"`
}

// termEdge is the distance from 0 and 1 to which terms clamp their probability.
const termEdge = 0.01

// logOdds returns the value of the term.
func (t Term) logOdds(x []float32) float64 {
	p := float64(x[t.Feature])
	if p != p {
		return 0
	}
	return t.Slope * Logit(min(max(p, termEdge), 1-termEdge))
}
