package ui

import (
	"cmp"
	"hash/fnv"
	"slices"

	"confab/internal/worker/config"
	"confab/internal/worker/ui/pages"
	"confab/internal/worker/ui/store"
	"confab/sampling"
	"confab/schemas"
)

const (
	queueRows    = 25
	maxReviewed  = 20000 // rows that are looked at
	lowGreyRisk  = 0.3   // without a deep pass
	highGreyRisk = 0.7
)

func (s *Server) showReview(q *pageRequest) error {
	random := pages.Queue{Name: "Random sample", About: "In random order, so that labels from the top stand for all of them. The chance of each to be sampled is kept with its flag."}
	grey := pages.Queue{Name: "Grey zone", About: "Answers whose risk is neither low nor high. Their labels improve thresholds most."}
	seen := 0
	err := s.store.Scan(&store.Filter{Tenants: q.person.Sees, Unflagged: true, Verdict: store.NoVerdict}, "", func(_ []byte, r *store.Row) bool {
		switch seen++; {
		case r.SampleReason == string(sampling.ReasonGreyZone), r.Pass == schemas.PassFast && r.Risk >= lowGreyRisk && r.Risk <= highGreyRisk:
			grey.Rows = append(grey.Rows, *r)
		default:
			random.Rows = append(random.Rows, *r)
		}
		return seen < maxReviewed
	})
	if err != nil {
		return err
	}
	sortRandomly(random.Rows)
	slices.SortStableFunc(grey.Rows, func(a, b store.Row) int { return cmp.Compare(chanceOf(&a), chanceOf(&b)) })
	random.Rows, grey.Rows = random.Rows[:min(len(random.Rows), queueRows)], grey.Rows[:min(len(grey.Rows), queueRows)]
	p := &pages.Review{Frame: s.frame(q, "Review", "/review"), Queues: []pages.Queue{random, grey}}
	if s.Config.Emit != config.EmitAll && !s.Config.SamplingEnabled() {
		p.Notes = append(p.Notes, "Workers write flagged answers only, so no unflagged one can be reviewed. Set emit: all, or sampling.rate with sampling.salt and the role sample.")
	}
	return s.write(q, p)
}

// chanceOf puts the rows with the smallest known chance first: each stands for the most answers.
func chanceOf(r *store.Row) float64 {
	if r.Chance <= 0 {
		return 1
	}
	return r.Chance
}

// sortRandomly orders rows by a hash of the incident, the same way for everyone and at every time.
func sortRandomly(rows []store.Row) {
	hash := func(r *store.Row) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(r.Incident)) // never fails
		return h.Sum64()
	}
	slices.SortStableFunc(rows, func(a, b store.Row) int { return cmp.Compare(hash(&a), hash(&b)) })
}
