package grounding

import (
	"math"
	"math/bits"
	"slices"

	"confab/detectors"
	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// rarity is the part of a term's weight that does not depend on the evidence.
const (
	rarity       = 2.1
	figureRarity = 1.4
	nameFactor   = 1.3
	headFactor   = 0.7
)

// maxWords is the largest number of different terms of a claim that are measured.
const maxWords = 64

// word is a different content term of a claim.
type word struct {
	id     int16
	head   bool
	name   bool
	first  int32 // its first term in the unit
	weight float64
	level  float64
}

// pass measures the claims of one answer. Its storage is reused.
type pass struct {
	x    *evidence.Index
	work *detectors.Work
	rows []row

	// of the answer
	supported []figures.Figure // figures of the answer that the evidence has
	before    []figures.Figure // figures of the claims before
	wordOf    []int8           // by term id: index among words, -1
	idfs      []float64        // by term id: its rarity, 0 if not needed so far
	asked     []int16          // terms of the question

	// of the claim
	unit     int
	terms    []evidence.Term
	words    []word
	at       []int8 // by term of the unit: index among words, -1
	content  uint64 // words that are not heads
	total    float64
	masks    []uint64 // by unit of the evidence: its words
	context  []float32
	touched  []int32
	order    []int32
	chosen   []int32 // the best units, at most three
	matches  []figureMatch
	names    anchors
	values   anchors         // figures
	distance [maxNames]uint8 // by anchor: of a word, and 1; 0 if it is in another unit
	near     []int32         // anchors with a distance
	fits     []float32
	scores   []float32 // by unit
	scored   []int32
	around   []neighbor
	places   []int32 // of the claim's words in the best unit
	v        *[columnsN]float32

	fields    []field
	parts     []uint64 // stems of the words of their keys
	keyTokens []text.Token
}

// row is a claim with its columns.
type row struct {
	unit       int
	start, end int
	values     [columnsN]float32
	logOdds    float64
	source     int32 // of the best unit, -1 for none
	sourceAt   [2]int32
}

// figureMatch is a figure of the claim with its best match.
type figureMatch struct {
	figure *evidence.Figure
	level  figurematch.Level
}

// anchors are figures or names of the evidence, at most maxNames.
type anchors struct {
	terms []int32
	first []int32 // by unit: its first; one more at the end
}

// neighbor is a word beside a figure or name.
type neighbor struct {
	word   int8
	weight float64 // with its distance
}

// measure fills p.rows with the claims of the document.
func (p *pass) measure(doc *detectors.Document) {
	x := doc.Index()
	p.work = doc.Work()
	p.x, p.rows, p.before, p.scored = x, p.rows[:0], p.before[:0], p.scored[:0]
	p.wordOf, p.asked = append(p.wordOf[:0], make([]int8, len(x.Entries))...), p.asked[:0]
	p.idfs = append(p.idfs[:0], make([]float64, len(x.Entries))...)
	for i := range p.wordOf {
		p.wordOf[i] = -1
		if x.Entries[i].Asked {
			p.asked = append(p.asked, int16(i))
		}
	}
	p.masks = append(p.masks[:0], make([]uint64, len(x.Evidence.Units)+1)...)
	p.context = append(p.context[:0], make([]float32, len(x.Evidence.Units)+1)...)
	p.scores = append(p.scores[:0], make([]float32, len(x.Evidence.Units)+1)...)
	p.findAnchors()
	p.findSupported()
	p.findFields(doc)
	judged := doc.JudgedKinds()
	previous := -1
	for i := range x.Answer.Units {
		u := &x.Answer.Units[i]
		if judged>>u.Kind&1 != 0 && u.Terms.Len() > 0 {
			if !doc.Work().Spend(claimWork + u.Terms.Len()*(8+len(x.Evidence.Units)/8)) {
				return
			}
			p.measureClaim(doc, i, previous)
		}
		previous = -1
		if u.Form == units.Sentence {
			previous = i
		}
	}
	p.relate()
}

// claimWork is the work of a claim, in units of 10 ns.
const claimWork = 500

// maxNames and maxFigures limit what of the evidence is compared with the figures and names of claims.
const (
	maxNames   = 400
	maxFigures = 200
)

// findAnchors lists the names and figures of the evidence.
func (p *pass) findAnchors() {
	p.names.terms, p.names.first = p.names.terms[:0], p.names.first[:0]
	p.values.terms, p.values.first = p.values.terms[:0], p.values.first[:0]
	for u := range p.x.Evidence.Units {
		p.names.first, p.values.first = append(p.names.first, int32(len(p.names.terms))), append(p.values.first, int32(len(p.values.terms)))
		r := p.x.Evidence.Units[u].Terms
		for at := r.First; at < r.Last && len(p.names.terms) < maxNames; at++ {
			t := &p.x.Evidence.Terms[at]
			if t.Has(evidence.Capital) && !t.Has(evidence.Stop) && (!t.Has(evidence.First) || t.ID >= 0 && p.x.Entries[t.ID].Name) {
				p.names.terms = append(p.names.terms, at)
			}
		}
		for i := range p.x.Evidence.FiguresOf(u) {
			if len(p.values.terms) < maxFigures {
				p.values.terms = append(p.values.terms, p.x.Evidence.FiguresOf(u)[i].Term)
			}
		}
	}
	p.names.first, p.values.first = append(p.names.first, int32(len(p.names.terms))), append(p.values.first, int32(len(p.values.terms)))
}

// findSupported lists the different figures of the answer that the evidence has.
func (p *pass) findSupported() {
	p.supported = p.supported[:0]
	for i := range p.x.Answer.Figures {
		f := &p.x.Answer.Figures[i].Figure
		if len(p.supported) < 12 && !slices.ContainsFunc(p.supported, func(g figures.Figure) bool {
			return g.Kind == f.Kind && g.Value == f.Value && g.Year == f.Year && g.Month == f.Month && g.Day == f.Day
		}) && p.bestMatch(f) >= figurematch.Rounded {
			p.supported = append(p.supported, *f)
		}
	}
}

// spend charges n units of work, unless it has ended, and reports whether to go on.
func (p *pass) spend(n int) bool { return p.work.Ended() == "" && p.work.Spend(n) }

func (p *pass) bestMatch(f *figures.Figure) (best figurematch.Level) {
	if !p.spend(len(p.x.Evidence.Figures)) {
		return figurematch.NoMatch
	}
	for i := range p.x.Evidence.Figures {
		if best = max(best, figurematch.Compare(f, &p.x.Evidence.Figures[i].Figure)); best == figurematch.Equal {
			break
		}
	}
	return best
}

func (p *pass) measureClaim(doc *detectors.Document, i, previous int) {
	x := p.x
	u := &x.Answer.Units[i]
	p.unit, p.terms = i, x.Answer.TermsOf(i)
	p.rows = append(p.rows, row{unit: i, start: int(u.Start), end: int(u.End), source: -1})
	r := &p.rows[len(p.rows)-1]
	p.v = &r.values
	p.readWords()
	p.readContext(previous)
	p.chooseUnits()
	if len(p.chosen) > 0 {
		e := &x.Evidence.Units[p.chosen[0]]
		r.source, r.sourceAt = e.Source, [2]int32{e.Start, e.End}
	}
	p.style()
	p.cover()
	p.clauses()
	p.novelty()
	p.misses()
	p.pairs()
	p.alignment()
	p.figures()
	p.namesAround()
	p.negations()
	p.cues()
	p.fieldsSaid()
	p.citations(doc)
	p.forget()
	for k := range x.Answer.FiguresOf(i) {
		p.before = append(p.before, x.Answer.FiguresOf(i)[k].Figure)
	}
}

// forget undoes what readWords and readContext have set.
func (p *pass) forget() {
	for i := range p.words {
		p.wordOf[p.words[i].id] = -1
	}
	for _, u := range p.touched {
		p.masks[u], p.context[u] = 0, 0
	}
}

// idf is the rarity of a term among the units of the evidence.
func (p *pass) idf(id int16) float64 {
	if p.idfs[id] == 0 {
		p.idfs[id] = math.Log(1 + float64(len(p.x.Evidence.Units))/float64(max(p.x.Entries[id].Units, 1)))
	}
	return p.idfs[id]
}

// readWords lists the different terms of the claim and marks which units have them.
func (p *pass) readWords() {
	p.words, p.at, p.content, p.total, p.touched = p.words[:0], p.at[:0], 0, 0, p.touched[:0]
	for k := range p.terms {
		t := &p.terms[k]
		p.at = append(p.at, -1)
		if t.ID < 0 || t.Has(evidence.Stop) {
			continue
		}
		if w := p.wordOf[t.ID]; w >= 0 {
			p.at[k] = w
			if p.words[w].head && !t.Has(evidence.Head) {
				p.words[w].head = false
				p.weigh(int(w), t)
			}
			continue
		}
		if len(p.words) == maxWords {
			continue
		}
		w := len(p.words)
		p.words = append(p.words, word{id: t.ID, head: t.Has(evidence.Head), first: int32(k), level: float64(p.x.Entries[t.ID].Level)})
		p.wordOf[t.ID], p.at[k] = int8(w), int8(w)
		p.weigh(w, t)
	}
	for w := range p.words {
		for _, place := range p.x.PlacesOf(p.words[w].id) {
			if p.masks[place.Unit] == 0 {
				p.touched = append(p.touched, place.Unit)
			}
			p.masks[place.Unit] |= 1 << w
		}
	}
	p.total = max(p.total, 1e-9)
}

func (p *pass) weigh(i int, t *evidence.Term) {
	w := &p.words[i]
	w.name = t.Has(evidence.Capital) && !(t.Has(evidence.First) && !p.x.Entries[t.ID].Name)
	switch base := p.idf(w.id); {
	case w.head:
		w.weight = headFactor * (base + rarity)
		return
	case t.Has(evidence.Numeric):
		w.weight = base + figureRarity
	case t.Has(evidence.Capital):
		w.weight = (base + rarity) * nameFactor
	default:
		w.weight = base + rarity
	}
	p.content |= 1 << i
	p.total += w.weight
}

// readContext adds up the weight of the words of the question, of the lead-in and of the sentence before in each unit.
func (p *pass) readContext(previous int) {
	for _, id := range p.asked {
		p.addContext(id)
	}
	c := p.x.Answer.Units[p.unit].Context
	for k := c.First; k < c.Last; k++ {
		p.addContext(p.x.Answer.Terms[k].ID)
	}
	if previous < 0 {
		return
	}
	for _, t := range p.x.Answer.TermsOf(previous) {
		p.addContext(t.ID)
	}
}

func (p *pass) addContext(id int16) {
	if id < 0 || p.wordOf[id] >= 0 {
		return
	}
	weight := float32(p.idf(id))
	last := int32(-1)
	for _, place := range p.x.PlacesOf(id) {
		if place.Unit == last {
			continue
		}
		last = place.Unit
		if p.masks[last] == 0 && p.context[last] == 0 {
			p.touched = append(p.touched, last)
		}
		p.context[last] += weight
	}
}

// weightOf is the weight of the words in the set, by how well they are supported.
func (p *pass) weightOf(set uint64) (sum float64) {
	for set &= p.content; set != 0; set &= set - 1 {
		w := &p.words[bits.TrailingZeros64(set)]
		sum += w.weight * w.level
	}
	return sum
}

// maxOrdered is how many of the best units are tried.
const maxOrdered = 12

// chooseUnits orders the best units and chooses up to three that cover the claim together.
func (p *pass) chooseUnits() {
	p.order, p.chosen = p.order[:0], p.chosen[:0]
	sources := false
	for _, u := range p.touched {
		p.scores[u] = float32((p.weightOf(p.masks[u]) + 0.15*float64(p.context[u])) / (1 + 0.01*float64(p.x.Evidence.Units[u].Terms.Len())))
		sources = sources || p.x.Evidence.Units[u].Source >= 0
	}
	for _, u := range p.touched {
		if sources && p.x.Evidence.Units[u].Source < 0 || p.masks[u]&p.content == 0 && p.context[u] == 0 {
			continue
		}
		p.insert(u)
	}
	for _, u := range p.touched {
		p.scores[u] = 0
	}
	if len(p.order) == 0 {
		return
	}
	p.chosen = append(p.chosen, p.order[0])
	covered := p.masks[p.order[0]]
	for len(p.chosen) < 3 {
		best, gain := int32(-1), 0.06*p.total
		for _, u := range p.order[1:] {
			if g := p.weightOf(p.masks[u] &^ covered); g > gain {
				best, gain = u, g
			}
		}
		if best < 0 {
			return
		}
		p.chosen = append(p.chosen, best)
		covered |= p.masks[best]
	}
}

// insert puts the unit into the order, the highest score first, then the first unit.
func (p *pass) insert(u int32) {
	i := len(p.order)
	for i > 0 && (p.scores[p.order[i-1]] < p.scores[u] || p.scores[p.order[i-1]] == p.scores[u] && p.order[i-1] > u) {
		i--
	}
	if i >= maxOrdered {
		return
	}
	if len(p.order) == maxOrdered {
		p.order = p.order[:maxOrdered-1]
	}
	p.order = slices.Insert(p.order, i, u)
}

func (p *pass) style() {
	x := p.x
	u := &x.Answer.Units[p.unit]
	content := 0
	for k := range p.terms {
		if !p.terms[k].Has(evidence.Stop | evidence.Head) {
			content++
		}
	}
	p.set(termsN, len(p.terms))
	p.set(contentN, content)
	p.set(unitsN, len(x.Evidence.Units))
	p.set(sourcesN, x.Sources)
	p.set(recordsN, min(x.Records, 50))
	p.set(figuresSrc, len(x.Evidence.Figures))
	switch u.Form {
	case units.Item:
		p.v[isItem] = 1
	case units.Row, units.Record:
		p.v[isRow] = 1
	}
}

func (p *pass) set(c column, n int) { p.v[c] = float32(n) }

// share is a of b, 0 for none.
func share(a, b int) float32 { return float32(a) / float32(max(b, 1)) }

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
		if id := best[k].ID; id >= 0 && p.wordOf[id] >= 0 {
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

// pairs measures whether the words of the claim that the evidence has stand together there.
func (p *pass) pairs() {
	var anchors [maxAnchors]int
	n := 0
	for i := range p.words {
		if w := &p.words[i]; w.head || w.level < 0.8 || p.terms[w.first].Has(evidence.Numeric) {
			continue
		}
		k := min(n, maxAnchors-1)
		if n == maxAnchors && p.words[anchors[k]].weight >= p.words[i].weight {
			continue
		}
		for k > 0 && p.words[anchors[k-1]].weight < p.words[i].weight {
			anchors[k] = anchors[k-1]
			k--
		}
		anchors[k] = i
		n = min(n+1, maxAnchors)
	}
	var same, near [maxAnchors]uint64
	all := uint64(0)
	for _, w := range anchors[:n] {
		all |= 1 << w
	}
	for _, u := range p.touched {
		m := p.masks[u]
		if m&all == 0 {
			continue
		}
		beside := p.maskAt(u-1, u) | p.maskAt(u+1, u)
		for a, w := range anchors[:n] {
			if m>>w&1 != 0 {
				same[a] |= m
				near[a] |= beside
			}
		}
	}
	p.v[pairMean], p.v[pairMin] = 1, 1
	sum, whole := 0.0, 0.0
	for a, i := range anchors[:n] {
		got, of := 0.0, 0.0
		for _, j := range anchors[:n] {
			if i == j {
				continue
			}
			w := p.words[j].weight
			of += w
			switch {
			case same[a]>>j&1 != 0:
				got += w
			case near[a]>>j&1 != 0:
				got += w / 2
			}
		}
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

// maskAt is the words of unit v, if it is in the source of unit u.
func (p *pass) maskAt(v, u int32) uint64 {
	if v < 0 || int(v) >= len(p.x.Evidence.Units) || p.x.Evidence.Units[v].Source != p.x.Evidence.Units[u].Source {
		return 0
	}
	return p.masks[v]
}

// alignment compares the order of words with that of the best unit.
func (p *pass) alignment() {
	if len(p.chosen) == 0 {
		return
	}
	best := p.x.Evidence.TermsOf(int(p.chosen[0]))
	places := p.places[:0]
	content, last := 0, int32(-1)
	for k := range p.terms {
		if p.terms[k].Has(evidence.Stop | evidence.Head) {
			continue
		}
		content++
		if w := p.at[k]; w < 0 || p.masks[p.chosen[0]]>>w&1 == 0 {
			continue
		}
		at, far := int32(-1), int32(math.MaxInt32)
		for j := range best {
			if best[j].ID == p.terms[k].ID {
				if d := abs(int32(j) - last - 1); d < far {
					at, far = int32(j), d
				}
			}
		}
		if at >= 0 {
			places = append(places, at)
			last = at
		}
	}
	p.places = places
	p.v[aligned] = share(len(places), content)
	wrong, jump, back := 0, 0, 0
	for i := range places {
		for j := range i {
			if places[j] > places[i] {
				wrong++
			}
		}
		if i > 0 {
			switch d := places[i] - places[i-1]; {
			case d < -8:
				jump++
				back++
			case d < 0:
				back++
			case d > 8:
				jump++
			}
		}
	}
	p.v[inversions] = share(wrong, len(places)*(len(places)-1)/2)
	p.v[jumps], p.v[backs] = share(jump, len(places)-1), share(back, len(places)-1)
}

func abs(v int32) int32 { return max(v, -v) }

// relate compares the claims of the answer with each other.
func (p *pass) relate() {
	others := make([]float32, 0, 64)
	for _, c := range [...][2]column{{evUnused, evUnusedRel}, {clauseMin, clauseMinRel}, {pairMean, pairRel}} {
		for i := range p.rows {
			others = others[:0]
			for j := range p.rows {
				if i != j && len(others) < cap(others) {
					others = append(others, p.rows[j].values[c[0]])
				}
			}
			if len(others) >= 2 {
				slices.Sort(others)
				m := len(others) / 2
				p.rows[i].values[c[1]] = p.rows[i].values[c[0]] - (others[m]+others[len(others)-1-m])/2
			}
		}
	}
	for i := range p.rows {
		p.rows[i].values[claimsN] = float32(len(p.rows))
	}
}
