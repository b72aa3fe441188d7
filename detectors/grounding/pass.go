package grounding

import (
	"math/bits"
	"slices"

	"confab/detectors"
	"confab/internal/evidence"
	"confab/internal/evidence/records"
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
	x      *evidence.Index
	work   *detectors.Work
	rows   []row
	quoted []int // claims without a row
	unread int   // claims for which there was no work left

	detector *groundingDetector // of the finding
	doc      *detectors.Document
	shown    []int // rows that are its evidence

	// of the answer
	supported []figures.Figure // figures of the answer that the evidence has
	before    []figures.Figure // figures of the claims before
	operands  []figures.Figure // from which a figure may follow
	wordOf    []int8           // by term id: index among words, -1
	asked     []int16          // terms of the question

	// of the claim
	unit     int
	terms    []evidence.Term
	words    []word
	at       []int8 // by term of the unit: index among words, -1
	best     []int8 // by term of the best unit, likewise
	content  uint64 // words that are not heads
	total    float64
	masks    []uint64 // by unit of the evidence: its words
	context  []float32
	touched  []int32
	order    []int32
	chosen   []int32 // the best units, at most three
	matches  []figureMatch
	values   anchors           // figures
	distance [maxFigures]uint8 // by anchor: of a word, and 1; 0 if it is in another unit
	near     []nearAnchor      // of the words, as far as they were needed
	fits     []float32
	scores   []float32 // by unit
	scored   []int32
	around   []neighbor
	places   []int32 // of the claim's words in the best unit
	v        *[columnsN]float32

	records *records.Reading
}

// row is a claim with its columns.
type row struct {
	start, end int
	unit       int // of the answer
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

// anchors are figures of the evidence, at most maxFigures.
type anchors struct {
	terms []int32
	first []int32              // by unit: its first; one more at the end
	near  [maxWords]text.Range // by word of the claim, into pass.near; where nothing was looked for, Last is 0
}

// nearAnchor is an anchor with its distance from the nearest place of a word.
type nearAnchor struct {
	anchor   int32
	distance uint8
}

// neighbor is a word beside a figure or name.
type neighbor struct {
	word   int8
	weight float64 // with its distance
}

// measure fills p.rows with the claims of the document that are not quoted.
func (p *pass) measure(doc *detectors.Document) {
	x := p.begin(doc)
	end := p.work.Spent() + maxWork
	judged := doc.JudgedKinds()
	previous := -1
	for i := range x.Answer.Units {
		u := &x.Answer.Units[i]
		if judged>>u.Kind&1 != 0 && u.Terms.Len() > 0 {
			if p.spend(u.Terms.Len()) && p.isQuoted(i) {
				p.quoted = append(p.quoted, i)
				continue
			}
			if p.work.Spent() > end {
				p.unread++
				continue
			}
			if !p.measureClaim(i, previous) {
				return
			}
		}
		previous = -1
		if u.Form == units.Sentence {
			previous = i
		}
	}
	if len(p.rows) == 0 {
		p.keepOne()
	}
	p.relate()
}

// begin makes the storage ready for the document.
func (p *pass) begin(doc *detectors.Document) *evidence.Index {
	x := doc.Index()
	p.doc, p.work, p.unread = doc, doc.Work(), 0
	p.x, p.rows, p.quoted, p.before, p.scored = x, p.rows[:0], p.quoted[:0], p.before[:0], p.scored[:0]
	p.wordOf, p.asked = append(p.wordOf[:0], make([]int8, len(x.Entries))...), p.asked[:0]
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
	p.records = doc.Records()
	return x
}

// keepOne measures the first quoted claim, if there is any.
func (p *pass) keepOne() {
	if len(p.quoted) > 0 {
		p.measureClaim(p.quoted[0], -1)
		p.quoted = slices.Delete(p.quoted, 0, 1)
	}
}

// isQuoted reports a claim that a source, one of those that it cites if it cites any, has word for word as a unit or a cell.
// Such a claim moves nothing: an answer is judged by the others, and by the first one if there are no others.
func (p *pass) isQuoted(unit int) bool {
	u := &p.x.Answer.Units[unit]
	terms := p.x.Answer.TermsOf(unit)
	for len(terms) > 0 && terms[0].Has(evidence.Head) {
		terms = terms[1:]
	}
	rarest, at := p.rarest(terms, u.Terms.Last)
	cited := p.citedSources(unit)
	for _, place := range atMost(rarest, maxQuotes) {
		source := p.x.Evidence.Units[place.Unit].Source
		if source >= 0 && (cited == 0 || cited>>min(source, 63)&1 != 0) && p.stands(terms, place, at, p.doc.Source(int(source)), p.doc.Text()) {
			return true
		}
	}
	return false
}

// rarest is the term with the fewest places, and those; none if the evidence lacks a word or a pair of words. last is the end of the
// terms in the answer.
func (p *pass) rarest(terms []evidence.Term, last int32) (list []evidence.Place, at int) {
	for k := range terms {
		if known := p.x.Known(last - int32(len(terms)-k)); !known.Word || k+1 < len(terms) && !known.Pair {
			return nil, 0
		}
		if places := p.x.PlacesOf(terms[k].ID); len(places) > 0 && (list == nil || len(places) < len(list)) {
			list, at = places, k
		}
	}
	return list, at
}

// stands reports that the unit of the place has exactly these terms there, between its borders or those of a cell; of figures the
// text is compared.
func (p *pass) stands(terms []evidence.Term, at evidence.Place, before int, source, answer string) bool {
	unit := p.x.Evidence.Units[at.Unit].Terms
	start := at.Term - int32(before)
	end := start + int32(len(terms))
	all := p.x.Evidence.Terms
	if start < unit.First || end > unit.Last || start > unit.First && !all[start-1].Has(evidence.Head) || end < unit.Last && !all[end].Has(evidence.Head) {
		return false
	}
	for k := range terms {
		a, b := &terms[k], &all[start+int32(k)]
		if a.Word != b.Word || a.Has(evidence.Numeric) && answer[max(0, a.Start-1):a.End] != source[max(0, b.Start-1):b.End] {
			return false
		}
	}
	return true
}

const (
	claimWork = 500                   // of a claim, in units of 10 ns
	maxWork   = detectors.MaxWork / 4 // after which claims are left unread
)

// Limits of what is compared with each claim.
const (
	maxFigures  = 200   // of the evidence, by the words around them; of one unit, by value
	maxCompared = 2_000 // of the evidence, by value
	maxOwn      = 32    // figures of a claim
	maxQuotes   = 200   // places of a claim in the evidence
)

// ownFigures are the figures of the unit of the answer.
func (p *pass) ownFigures(unit int) []evidence.Figure {
	own := p.x.Answer.FiguresOf(unit)
	return own[:min(len(own), maxOwn)]
}

// findAnchors lists the figures of the evidence.
func (p *pass) findAnchors() {
	p.values.terms, p.values.first = p.values.terms[:0], p.values.first[:0]
	for u := range p.x.Evidence.Units {
		p.values.first = append(p.values.first, int32(len(p.values.terms)))
		for i := range p.x.Evidence.FiguresOf(u) {
			if len(p.values.terms) < maxFigures {
				p.values.terms = append(p.values.terms, p.x.Evidence.FiguresOf(u)[i].Term)
			}
		}
	}
	p.values.first = append(p.values.first, int32(len(p.values.terms)))
}

// findSupported lists different figures of the answer that the evidence has: 12 of the first 64 figures.
func (p *pass) findSupported() {
	p.supported = p.supported[:0]
	for i := range p.x.Answer.Figures[:min(len(p.x.Answer.Figures), 64)] {
		f := &p.x.Answer.Figures[i]
		if len(p.supported) < 12 && !slices.ContainsFunc(p.supported, func(g figures.Figure) bool {
			return g.Kind == f.Kind && g.Value == f.Value && g.Year == f.Year && g.Month == f.Month && g.Day == f.Day
		}) && p.bestMatch(f) >= figurematch.Rounded {
			p.supported = append(p.supported, f.Figure)
		}
	}
}

// spend charges n units of work, unless it has ended, and reports whether to go on.
func (p *pass) spend(n int) bool { return p.work.Ended() == "" && p.work.Spend(n) }

// bestMatch compares the figure with those of the evidence: first with those of the same value.
func (p *pass) bestMatch(f *evidence.Figure) (best figurematch.Level) {
	for _, place := range atMost(p.x.PlacesOf(p.x.Answer.Terms[f.Term].ID), maxCompared) {
		if at := p.x.Evidence.Terms[place.Term].Figure; at >= 0 {
			if best = max(best, figurematch.Compare(&f.Figure, &p.x.Evidence.Figures[at].Figure)); best == figurematch.Equal {
				return best
			}
		}
	}
	list := p.compared()
	if !p.spend(len(list) / 2) {
		return best
	}
	for i := range list {
		if best = max(best, figurematch.Compare(&f.Figure, &list[i].Figure)); best == figurematch.Equal {
			break
		}
	}
	return best
}

// compared are the figures of the evidence that are compared one by one.
func (p *pass) compared() []evidence.Figure { return atMost(p.x.Evidence.Figures, maxCompared) }

func atMost[T any](list []T, n int) []T { return list[:min(len(list), n)] }

// measureClaim adds a row, and reports whether the work has not ended.
func (p *pass) measureClaim(i, previous int) bool {
	x := p.x
	u := &x.Answer.Units[i]
	n := len(p.ownFigures(i))
	if !p.work.Spend(claimWork + u.Terms.Len()*8 + min(u.Terms.Len(), maxWords)*len(x.Evidence.Units)/8 + n*(maxFigures+n)) {
		return false
	}
	p.unit, p.terms = i, x.Answer.TermsOf(i)
	p.rows = append(p.rows, row{start: int(u.Start), end: int(u.End), unit: i, source: -1})
	r := &p.rows[len(p.rows)-1]
	p.v = &r.values
	p.readWords()
	p.readContext(previous)
	p.chooseUnits()
	if len(p.chosen) > 0 {
		e := &x.Evidence.Units[p.chosen[0]]
		r.source, r.sourceAt = e.Source, [2]int32{e.Start, e.End}
		p.readBest(p.chosen[0])
	}
	p.style()
	p.cover()
	p.clauses()
	p.novelty()
	p.misses()
	p.pairs()
	p.alignment()
	p.figures()
	p.countNames()
	p.negations()
	p.cues()
	p.fieldsSaid()
	p.citations()
	p.forget()
	for _, f := range p.ownFigures(i) {
		p.before = append(p.before, f.Figure)
	}
	return true
}

// readBest notes where the words stand in the best unit.
func (p *pass) readBest(unit int32) {
	terms := p.x.Evidence.Units[unit].Terms
	p.best = append(p.best[:0], make([]int8, terms.Len())...)
	for i := range p.best {
		p.best[i] = -1
	}
	for w := range p.words {
		if p.masks[unit]>>w&1 == 0 {
			continue
		}
		for _, place := range p.x.PlacesOf(p.words[w].id) {
			if place.Unit == unit {
				p.best[place.Term-terms.First] = int8(w)
			}
		}
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

// readWords lists the different terms of the claim and marks which units have them.
func (p *pass) readWords() {
	p.near, p.values.near = append(p.near[:0], nearAnchor{}), [maxWords]text.Range{}
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
	w.name = t.Has(evidence.Capital) && (!t.Has(evidence.First) || p.x.Entries[t.ID].Name)
	switch base := p.x.Rarity(w.id); {
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
	weight := float32(p.x.Rarity(id))
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
	p.orderUnits()
	if p.chosen = p.chosen[:0]; len(p.order) == 0 {
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

// orderUnits orders the units by the weight of the claim's words; turns of the user count if no source has any.
func (p *pass) orderUnits() {
	p.order = p.order[:0]
	sources := false
	for _, u := range p.touched {
		p.scores[u] = float32((p.weightOf(p.masks[u]) + 0.15*float64(p.context[u])) / (1 + 0.01*float64(p.x.Evidence.Units[u].Terms.Len())))
		sources = sources || p.x.Evidence.Units[u].Source >= 0
	}
	for _, u := range p.touched {
		if isTurn := p.x.Evidence.Units[u].Source < 0; (!sources || !isTurn) && (p.masks[u]&p.content != 0 || p.context[u] != 0) {
			p.insert(u)
		}
	}
	for _, u := range p.touched {
		p.scores[u] = 0
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
	case units.Sentence, units.Value:
	}
}

func (p *pass) set(c column, n int) { p.v[c] = float32(n) }

// share is a of b, 0 for none.
func share(a, b int) float32 { return float32(a) / float32(max(b, 1)) }

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
