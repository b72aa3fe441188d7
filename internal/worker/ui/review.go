package ui

import (
	"cmp"
	"hash/fnv"
	"slices"

	"confab/internal/worker/config"
	"confab/sampling"
	"confab/schemas"
)

const (
	queueRows    = 25
	lowGreyRisk  = 0.3 // without a deep pass
	highGreyRisk = 0.7
)

func (s *Server) showReview(q *pageRequest) error {
	random := Queue{Name: "Random sample", About: "In random order, so that labels from the top stand for all of them. The chance of each to be sampled is kept with its flag."}
	grey := Queue{Name: "Grey zone", About: "Answers whose risk is neither low nor high. Their labels improve thresholds most."}
	s.store.scan(&filter{Tenants: q.person.Sees, Unflagged: true, Verdict: noVerdict}, nil, func(r *row) bool {
		if r.SampleReason == string(sampling.ReasonGreyZone) || r.Pass == schemas.PassFast && r.Risk >= lowGreyRisk && r.Risk <= highGreyRisk {
			grey.Rows = append(grey.Rows, *r)
		} else {
			random.Rows = append(random.Rows, *r)
		}
		return true
	})
	sortRandomly(random.Rows)
	slices.SortStableFunc(grey.Rows, func(a, b row) int { return cmp.Compare(chanceOf(&a), chanceOf(&b)) })
	random.Rows, grey.Rows = random.Rows[:min(len(random.Rows), queueRows)], grey.Rows[:min(len(grey.Rows), queueRows)]
	p := &reviewPage{Frame: s.frame(q, "Review", "/review"), Queues: []Queue{random, grey}}
	if s.Config.Emit != config.EmitAll && !s.Config.SamplingEnabled() {
		p.Notes = append(p.Notes, "Workers write flagged answers only, so no unflagged one can be reviewed. Set emit: all, or sampling.rate with sampling.salt and the role sample.")
	}
	return s.write(q, p)
}

// chanceOf puts the rows with the smallest known chance first: each stands for the most answers.
func chanceOf(r *row) float64 {
	if r.Chance <= 0 {
		return 1
	}
	return r.Chance
}

// sortRandomly orders rows by a hash of the incident, the same way for everyone and at every time.
func sortRandomly(rows []row) {
	hash := func(r *row) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(r.Incident)) // never fails
		return h.Sum64()
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(hash(&a), hash(&b)) })
}
