package facts

// maxAligned is the longest unit, in words, that is aligned, maxCandidates how many source units a claim is held against.
const (
	maxAligned    = 120
	maxCandidates = 3
)

// candidate is a source unit that a claim is held against.
type candidate struct {
	piece int32
	cover float64 // share of the claim's content words that it has, by weight
}

// finder finds the source units that have the words of a claim.
type finder struct {
	bestOf  int32 // the claim, and 1, of best
	best    []candidate
	mark    []int32 // by term of the answer: the claim, and 1, that had it last
	shares  []share // by source unit
	touched []int32 // units with a share
}

// share is the weight and number of the claim's words in a unit.
type share struct {
	weight float64
	n      int
}

func (e *evidence) resetFinder() {
	e.mark = append(e.mark[:0], make([]int32, len(e.x.Entries))...)
	e.shares = append(e.shares[:0], make([]share, len(e.sources.pieces))...)
}

// candidates are the source units with most words of the claim, best first.
func (e *evidence) candidates(c *piece) []candidate {
	id := c.Terms.First + 1
	if e.bestOf == id {
		return e.best
	}
	e.bestOf, e.best, e.touched = id, e.best[:0], e.touched[:0]
	all, number := 1e-9, 0
	words := e.answer.of(c)
	for i := range words {
		w := &words[i]
		if w.Figure >= 0 || w.ID < 0 || !content(w) || e.mark[w.ID] == id {
			continue
		}
		number++
		e.mark[w.ID] = id
		all += e.addPlaces(w.ID)
	}
	for _, u := range e.touched {
		if p := &e.sources.pieces[u]; p.Terms.Len() <= maxAligned {
			e.keep(candidate{u, e.shares[u].weight / all})
		}
		e.shares[u] = share{}
	}
	return e.best
}

// addPlaces adds the weight of a word to the units that have it, and returns it.
func (e *evidence) addPlaces(id int16) float64 {
	weight, last := e.rarity(id), int32(-1)
	for _, place := range e.x.PlacesOf(id) {
		u := place.Unit
		if int(u) >= len(e.sources.pieces) {
			break
		}
		if u == last {
			continue
		}
		last = u
		if e.shares[u].n == 0 {
			e.touched = append(e.touched, u)
		}
		e.shares[u].weight += weight
		e.shares[u].n++
	}
	return weight
}

// keep inserts the candidate if it is one of the best.
func (e *evidence) keep(c candidate) {
	at := len(e.best)
	for at > 0 && (e.best[at-1].cover < c.cover || e.best[at-1].cover == c.cover && e.best[at-1].piece > c.piece) {
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

// rarity is how much a word tells of which unit is meant.
func (e *evidence) rarity(id int16) float64 {
	switch n := e.x.Entries[id].Units; n {
	case 0:
		return .5
	case 1:
		return 1
	default:
		return max(.25, 1/float64(n))
	}
}

// align aligns the words of a claim with those of a source unit: a longest common subsequence, by weight. It returns by word of
// the claim the word of the unit that it is aligned with, -1 for none.
func (e *evidence) align(a, b []word) []int32 {
	n, w := len(a), len(b)+1
	e.doc.Work().Spend(n * w / claimWords)
	if cap(e.table) < (n+1)*w {
		e.table = make([]int32, (n+1)*w)
	}
	t := e.table[:(n+1)*w]
	clear(t[n*w:])
	for i := n - 1; i >= 0; i-- {
		row, next := t[i*w:(i+1)*w], t[(i+1)*w:]
		row[len(b)] = 0
		x, v := &a[i], int32(0)
		for k := len(b) - 1; k >= 0; k-- {
			v = max(v, next[k])
			if x.Figure >= 0 || sameWord(x, &b[k]) { // not the rest: most pairs
				if s := e.weight(x, &b[k]); s > 0 {
					v = max(v, s+next[k+1])
				}
			}
			row[k] = v
		}
	}
	return e.follow(a, b)
}

// follow reads the alignment from the filled table.
func (e *evidence) follow(a, b []word) []int32 {
	first, w, k := len(e.to), len(b)+1, 0
	for i := range a {
		for to := int32(-1); ; k++ {
			s := int32(0)
			if k < len(b) {
				s = e.weight(&a[i], &b[k])
			}
			here, next := e.table[i*w+k], e.table[(i+1)*w:]
			if s > 0 && here == s+next[k+1] {
				to = int32(k)
				k++
			} else if k < len(b) && next[k] < e.table[i*w+k+1] {
				continue
			}
			e.to = append(e.to, to)
			break
		}
	}
	return e.to[first:]
}

// sameWord reports one word, also in another form if the evidence has it in that form only.
func sameWord(a, b *word) bool {
	return a.Key == b.Key || a.ID >= 0 && a.ID == b.ID
}

// weight is the weight of two words that may be aligned, 0 to 4: the same word or figure, or another figure of the same form.
func (e *evidence) weight(a, b *word) int32 {
	switch {
	case a.Figure >= 0 && b.Figure >= 0:
		f, g := e.answer.figure(a), e.sources.figure(b)
		switch {
		case isOtherAmount(f, g), sameForm(f, g) && !supports(f, g):
			return 2
		case supports(f, g):
			return 4
		}
		return 0
	case a.Figure >= 0 || b.Figure >= 0 || !sameWord(a, b):
		return 0
	case content(a):
		return 4
	}
	return 1
}

func hasStem(list []word, key uint64) bool {
	for i := range list {
		if list[i].Key == key && list[i].Figure < 0 {
			return true
		}
	}
	return false
}
