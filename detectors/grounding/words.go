package grounding

import (
	"math"
	"math/bits"

	"confab/internal/evidence"
)

// cover measures how much of the claim the best units have.
func (p *pass) cover() {
	all := uint64(0)
	for i := range p.words {
		if p.words[i].level > 0 {
			all |= 1 << i
		}
	}
	p.v[covAll] = float32(p.weightOf(all) / p.total)
	p.set(evidenceN, len(p.chosen))
	if len(p.chosen) == 0 {
		p.v[evUnused] = 1
		return
	}
	set := uint64(0)
	for _, u := range p.chosen {
		set |= p.masks[u]
	}
	p.v[cov1] = float32(p.weightOf(p.masks[p.chosen[0]]) / p.total)
	p.v[cov3] = float32(p.weightOf(set) / p.total)
	if len(p.order) > 1 {
		p.v[cov2nd] = float32(p.weightOf(p.masks[p.order[1]]) / p.total)
	}
	best := p.x.Evidence.TermsOf(int(p.chosen[0]))
	p.set(e1Len, len(best))
	content, unused, run, longest := 0, 0, 0, 0
	for k := range best {
		if best[k].Has(evidence.Stop) {
			continue
		}
		content++
		if p.best[k] >= 0 {
			run = 0
			continue
		}
		unused++
		run++
		longest = max(longest, run)
	}
	p.v[evUnused] = share(unused, content)
	p.set(evRun, longest)
}

// clauses measures the worst clause by the unit that has most of it.
func (p *pass) clauses() {
	p.v[clauseMin] = 1
	set, n := uint64(0), 0
	for k := range p.terms {
		t := &p.terms[k]
		if t.Has(evidence.Pause) || cuesOf(t)&joins != 0 {
			p.clause(set, n)
			set, n = 0, 0
		}
		if w := p.at[k]; w >= 0 && !t.Has(evidence.Head) {
			set |= 1 << w
			n++
		}
	}
	p.clause(set, n)
}

func (p *pass) clause(set uint64, n int) {
	if n < 2 {
		return
	}
	whole, best := 0.0, 0.0
	for s := set & p.content; s != 0; s &= s - 1 {
		whole += p.words[bits.TrailingZeros64(s)].weight
	}
	for _, u := range p.touched {
		if m := p.masks[u] & set; m != 0 {
			best = max(best, p.weightOf(m))
		}
	}
	if whole > 0 {
		p.v[clauseMin] = min(p.v[clauseMin], float32(best/whole))
	}
}

// novelty measures words and sequences of words that no evidence has, and copied runs.
func (p *pass) novelty() {
	first := p.x.Answer.Units[p.unit].Terms.First
	var n, out [4]int // words, pairs, triples, pairs of content words
	known, knownOut, run, longest := 0, 0, 0, 0
	last := -1 // the content word before
	for k := range p.terms {
		s := p.x.Known(first + int32(k))
		for i, is := range [...]bool{s.Word, s.Pair, s.Triple} {
			if k+i < len(p.terms) {
				n[i]++
				out[i] += outside(is)
			}
		}
		if k+1 < len(p.terms) && s.Pair {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
		if p.terms[k].Has(evidence.Stop|evidence.Head) || p.terms[k].ID < 0 {
			continue
		}
		if last >= 0 {
			is := p.x.Known(first + int32(last)).Content
			n[3]++
			out[3] += outside(is)
			if p.x.Entries[p.terms[last].ID].Level == 1 && p.x.Entries[p.terms[k].ID].Level == 1 {
				known++
				knownOut += outside(is)
			}
		}
		last = k
	}
	p.v[nov1], p.v[nov2], p.v[nov3], p.v[cbi] = share(out[0], n[0]), share(out[1], n[1]), share(out[2], n[2]), share(out[3], n[3])
	p.v[cbiKnown] = share(knownOut, known)
	if longest > 0 {
		p.v[runShare] = share(longest+1, len(p.terms))
	}
}

func outside(known bool) int {
	if known {
		return 0
	}
	return 1
}

// misses measures words that no evidence has.
func (p *pass) misses() {
	u := &p.x.Answer.Units[p.unit]
	weight, late, n, run, longest := 0.0, 0, 0, 0, 0
	for i := range p.words {
		w := &p.words[i]
		t := &p.terms[w.first]
		if w.head || t.Has(evidence.Numeric) {
			continue
		}
		n++
		if w.level > 0 {
			continue
		}
		weight += w.weight
		if 3*(t.Start-u.Start) > 2*(u.End-u.Start) {
			late++
		}
	}
	for k := range p.terms {
		w := p.at[k]
		if w < 0 || p.terms[k].Has(evidence.Head) {
			continue
		}
		if p.words[w].level > 0 {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	p.v[missWeight], p.v[missLast] = float32(weight/p.total), share(late, n)
	p.set(missRun, longest)
}

// maxAnchors is how many of the claim's heaviest words are paired.
const maxAnchors = 8

// heaviest lists the heaviest words of a claim that the evidence has, and the words that stand in the same unit or beside it.
type heaviest struct {
	n          int
	words      [maxAnchors]int
	same, near [maxAnchors]uint64
}

// pairs measures whether the words of the claim that the evidence has stand together there.
func (p *pass) pairs() {
	var list heaviest
	for i := range p.words {
		if w := &p.words[i]; !w.head && w.level >= 0.8 && !p.terms[w.first].Has(evidence.Numeric) {
			list.insert(p.words, i)
		}
	}
	p.placeAnchors(&list)
	p.v[pairMean], p.v[pairMin] = 1, 1
	sum, whole := 0.0, 0.0
	for i := range list.n {
		got, of := list.together(p.words, i)
		if of > 0 {
			p.v[pairMin] = min(p.v[pairMin], float32(got/of))
			sum += got
			whole += of
		}
	}
	if whole > 0 {
		p.v[pairMean] = float32(sum / whole)
	}
}

// insert keeps the i-th word if it is among the heaviest.
func (l *heaviest) insert(words []word, i int) {
	k := min(l.n, maxAnchors-1)
	if l.n == maxAnchors && words[l.words[k]].weight >= words[i].weight {
		return
	}
	for ; k > 0 && words[l.words[k-1]].weight < words[i].weight; k-- {
		l.words[k] = l.words[k-1]
	}
	l.words[k] = i
	l.n = min(l.n+1, maxAnchors)
}

// placeAnchors finds the words that stand with each anchor.
func (p *pass) placeAnchors(l *heaviest) {
	all := uint64(0)
	for _, w := range l.words[:l.n] {
		all |= 1 << w
	}
	for _, u := range p.touched {
		m := p.masks[u]
		if m&all == 0 {
			continue
		}
		beside := p.maskAt(u-1, u) | p.maskAt(u+1, u)
		for a, w := range l.words[:l.n] {
			if m>>w&1 != 0 {
				l.same[a] |= m
				l.near[a] |= beside
			}
		}
	}
}

// together is the weight of the anchors that stand with the i-th one, by half if beside it, and that of all others.
func (l *heaviest) together(words []word, i int) (got, of float64) {
	for k, j := range l.words[:l.n] {
		if k == i {
			continue
		}
		w := words[j].weight
		of += w
		switch {
		case l.same[i]>>j&1 != 0:
			got += w
		case l.near[i]>>j&1 != 0:
			got += w / 2
		}
	}
	return got, of
}

// maskAt is the words of unit v, if it is in the source of unit u.
func (p *pass) maskAt(v, u int32) uint64 {
	if v < 0 || int(v) >= len(p.x.Evidence.Units) || p.x.Evidence.Units[v].Source != p.x.Evidence.Units[u].Source {
		return 0
	}
	return p.masks[v]
}

// maxPlaces is how many words of a claim are compared in their order.
const maxPlaces = 200

// alignment compares the order of words with that of the best unit.
func (p *pass) alignment() {
	if len(p.chosen) == 0 {
		return
	}
	p.places = p.places[:0]
	content, last := 0, int32(-1)
	for k := range p.terms {
		if p.terms[k].Has(evidence.Stop | evidence.Head) {
			continue
		}
		content++
		if len(p.places) == maxPlaces {
			continue
		}
		if w := p.at[k]; w < 0 || p.masks[p.chosen[0]]>>w&1 == 0 {
			continue
		}
		if at := nearest(p.best, p.at[k], last+1); at >= 0 {
			p.places = append(p.places, at)
			last = at
		}
	}
	p.v[aligned] = share(len(p.places), min(content, maxPlaces))
	p.orderOf(p.places)
}

// nearest is the place of the word next to another place, -1 for none.
func nearest(words []int8, w int8, to int32) int32 {
	at, far := int32(-1), int32(math.MaxInt32)
	for j := range words {
		if words[j] == w {
			if d := abs(int32(j) - to); d < far {
				at, far = int32(j), d
			}
		}
	}
	return at
}

// orderOf measures how far the places are from rising step by step.
func (p *pass) orderOf(places []int32) {
	const far = 8
	wrong, jump, back := 0, 0, 0
	for i := range places {
		for j := range i {
			if places[j] > places[i] {
				wrong++
			}
		}
		if i == 0 {
			continue
		}
		step := places[i] - places[i-1]
		if step < 0 {
			back++
		}
		if abs(step) > far {
			jump++
		}
	}
	p.v[inversions] = share(wrong, len(places)*(len(places)-1)/2)
	p.v[jumps], p.v[backs] = share(jump, len(places)-1), share(back, len(places)-1)
}

func abs(v int32) int32 { return max(v, -v) }
