package ui

import (
	"hash/fnv"
	"io"
	"slices"
	"sort"

	"confab/internal/worker/config"
	"confab/schemas"
)

const (
	queueRows    = 25
	lowGreyRisk  = 0.3 // without a deep pass
	highGreyRisk = 0.7
)

// shortList are the rows with the least keys, the newest first of equal ones.
type shortList struct {
	keys []float64
	rows []row
}

func (l *shortList) add(key float64, r *row) {
	at := sort.Search(len(l.keys), func(i int) bool { return l.keys[i] > key })
	if at == queueRows {
		return
	}
	l.keys, l.rows = slices.Insert(l.keys, at, key), slices.Insert(l.rows, at, *r)
	l.keys, l.rows = l.keys[:min(len(l.keys), queueRows)], l.rows[:min(len(l.rows), queueRows)]
}

func (s *Server) showReview(q *pageRequest) error {
	var random, grey shortList
	s.store.scan(&filter{Tenants: q.person.Sees, Unflagged: true, Verdict: noVerdict}, nil, func(r *row) bool {
		if r.Pass == schemas.PassFast && r.Risk >= lowGreyRisk && r.Risk <= highGreyRisk {
			grey.add(chanceOf(r), r)
		} else {
			random.add(randomKey(r), r)
		}
		return true
	})
	p := &reviewPage{Frame: s.frame(q, "Review", "/review"), Queues: []Queue{
		{Name: "Random sample", About: "In random order, so that labels from the top stand for all of them. The chance of each to be sampled is kept with its flag.", Rows: random.rows},
		{Name: "Grey zone", About: "Answers whose risk is neither low nor high. Their labels improve thresholds most.", Rows: grey.rows},
	}}
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

// randomKey orders rows by a hash of the incident, the same way for everyone and at every time.
func randomKey(r *row) float64 {
	h := fnv.New64a()
	_, _ = io.WriteString(h, r.Incident) // never fails
	return float64(h.Sum64())
}
