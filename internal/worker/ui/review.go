package ui

import (
	"hash/fnv"
	"io"
	"math"

	"confab/calibration/draw"
	"confab/internal/worker/config"
	"confab/schemas"
)

// queueRows is the length of the list of answers to label.
const queueRows = 25

// drawn is what the draw of answers to label knows of a flag.
func (s *store) drawn(f *schemas.Flag) draw.Answer {
	var scores []draw.Score
	for i := range f.Signals {
		if at := &f.Signals[i]; at.Outcome == schemas.Fired || at.Outcome == schemas.Clear {
			scores = append(scores, draw.Score{Detector: at.Detector, Score: at.Score, Threshold: at.Threshold})
		}
	}
	risk := math.NaN()
	if f.Risk != nil {
		risk = *f.Risk
	}
	return draw.New(scores, func(fired []string) bool { return s.policy.Holds(f.Tenant, fired, risk, 0) })
}

// showReview lists answers to label, in the order of a draw as confab tune makes it.
func (s *Server) showReview(q *pageRequest) error {
	var rows []row
	var answers []draw.Answer
	var keys []float64
	quiet := false
	s.store.scan(&filter{Tenants: q.person.Sees, Verdict: noVerdict}, nil, func(r *row) bool {
		rows, answers, keys = append(rows, *r), append(answers, r.Draw), append(keys, randomKey(r))
		quiet = quiet || len(r.Fired) == 0
		return true
	})
	p := &reviewPage{Frame: s.frame(q, "Review", "/review")}
	seen := map[string]bool{}
	for _, i := range draw.First(draw.Sizes(answers), keys, 2*queueRows) {
		if !seen[rows[i].Incident] && len(p.Rows) < queueRows { // both passes may have a flag
			p.Rows = append(p.Rows, rows[i])
		}
		seen[rows[i].Incident] = true
	}
	if !quiet && s.Config.Emit != config.EmitAll && !s.Config.SamplingEnabled() {
		p.Notes = append(p.Notes, "Workers write flagged answers only, so no quiet one can be labelled. Set emit: all, or sampling.rate with sampling.salt and the role sample.")
	}
	return s.write(q, p)
}

// randomKey is a number between 0 and 1 by a hash of the incident, the same for everyone and at every time.
func randomKey(r *row) float64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, r.Incident) // never fails
	return (float64(h.Sum64()>>11) + 0.5) / (1 << 53)
}
