package facts

import "confab/detectors"

// maxAligned is the longest unit, in words, that is aligned.
const maxAligned = 120

// candidate is a source unit that a claim is held against.
type candidate struct {
	piece   int32
	cover   float64 // share of the claim's content words that it has, by weight
	missing int     // content words of the claim that it does not have
}

// alignment is a longest common subsequence of the words of a claim and of a source unit, by weight.
type alignment struct {
	best []float32 // table
	to   []int32   // by word of the claim: the word of the unit that it is aligned with, -1 for none
}

// align aligns the words of a claim with those of a source unit. same is the weight of two words that may be aligned, else 0.
func (g *alignment) align(work *detectors.Work, a, b []word, same func(a, b *word) float32) {
	n, m := len(a), len(b)
	work.Spend(n * m / claimWords)
	w := m + 1
	need := (n + 1) * w
	if cap(g.best) < need {
		g.best = make([]float32, need)
	}
	t := g.best[:need]
	clear(t)
	for i := n - 1; i >= 0; i-- {
		row, next := t[i*w:(i+1)*w], t[(i+1)*w:(i+2)*w]
		for k := m - 1; k >= 0; k-- {
			v := max(next[k], row[k+1])
			if a[i].figure >= 0 || a[i].stem == b[k].stem { // not the rest: most pairs
				if s := same(&a[i], &b[k]); s > 0 {
					v = max(v, s+next[k+1])
				}
			}
			row[k] = v
		}
	}
	g.to = g.to[:0]
	i, k := 0, 0
	for i < n && k < m {
		s := same(&a[i], &b[k])
		switch {
		case s > 0 && t[i*w+k] == s+t[(i+1)*w+k+1]:
			g.to = append(g.to, int32(k))
			i, k = i+1, k+1
		case t[(i+1)*w+k] >= t[i*w+k+1]:
			g.to = append(g.to, -1)
			i++
		default:
			k++
		}
	}
	for ; i < n; i++ {
		g.to = append(g.to, -1)
	}
}

// sameWord is the weight of two words that are the same. Any figure stands for any other of its kind.
func sameWord(a, b *word) float32 {
	switch {
	case a.figure >= 0 || b.figure >= 0:
		if a.figure >= 0 && b.figure >= 0 {
			return .5
		}
		return 0
	case a.stem != b.stem:
		return 0
	case a.content():
		return 1
	}
	return .25
}

// maxCandidates is how many source units a claim is held against.
const maxCandidates = 3

// candidates are the source units with most words of the claim, best first.
func (e *evidence) candidates(c *piece) []candidate {
	if e.bestOf == c.first+1 {
		return e.best
	}
	e.bestOf, e.best = c.first+1, e.best[:0]
	all, content := 1e-9, 0
	words := e.answer.of(c)
	for i := range words {
		w := &words[i]
		if w.figure >= 0 || !w.content() {
			continue
		}
		if content++; w.id >= 0 && e.mark[w.id] == c.first+1 {
			content--
			continue
		}
		all += e.rarity(w.id)
		if w.id >= 0 {
			e.mark[w.id] = c.first + 1
		}
	}
	for i := range e.sources.pieces {
		if p := &e.sources.pieces[i]; p.last-p.first <= maxAligned {
			share, found := e.share(c, p)
			e.keep(candidate{int32(i), share / all, content - found})
		}
	}
	return e.best
}

// share is the weight and number of the claim's marked words in the unit.
func (e *evidence) share(c, p *piece) (weight float64, n int) {
	for _, id := range e.ofUnits[p.firstID:p.lastID] {
		if e.mark[id] == c.first+1 {
			weight += e.rarity(id)
			n++
		}
	}
	return weight, n
}

// keep inserts the candidate if it is one of the best.
func (e *evidence) keep(c candidate) {
	at := len(e.best)
	for at > 0 && e.best[at-1].cover < c.cover {
		at--
	}
	if at == maxCandidates {
		return
	}
	e.best = append(e.best, candidate{})
	copy(e.best[at+1:], e.best[at:])
	e.best[at] = c
	e.best = e.best[:min(len(e.best), maxCandidates)]
}

// rarity is how much a stem tells of which unit is meant.
func (e *evidence) rarity(id int32) float64 {
	switch n := e.units(id); n {
	case 0:
		return .5
	case 1:
		return 1
	default:
		return max(.25, 1/float64(n))
	}
}

func hasStem(list []word, stem uint64) bool {
	for i := range list {
		if list[i].stem == stem && list[i].figure < 0 {
			return true
		}
	}
	return false
}
