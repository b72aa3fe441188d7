package grounding

import (
	"math"
	"slices"

	"confab/detectors"
	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figurematch"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// readAround lists the words within width content words of the terms first to last, without those themselves.
func (p *pass) readAround(first, last, width int) {
	p.around = p.around[:0]
	row := p.x.Answer.Units[p.unit].Form != units.Sentence && p.x.Answer.Units[p.unit].Form != units.Item
	n := 0
	for k := first - 1; k >= 0 && n < width; k-- {
		if p.terms[k+1].Has(evidence.Halt) && !row {
			break
		}
		n += p.addNeighbor(k, n)
	}
	n = 0
	for k := last + 1; k < len(p.terms) && n < width && !p.terms[k].Has(evidence.Halt); k++ {
		n += p.addNeighbor(k, n)
	}
}

// addNeighbor adds the k-th term as the n-th neighbor and returns 1 if it is a content term.
func (p *pass) addNeighbor(k, n int) int {
	w := p.at[k]
	if w < 0 {
		return 0
	}
	if p.terms[k].Has(evidence.Numeric) {
		return 1
	}
	g := 1 / (1 + 0.12*float64(n+1))
	if p.words[w].head {
		g *= headFactor
	}
	g *= p.words[w].weight
	for i := range p.around {
		if p.around[i].word == w {
			p.around[i].weight = max(p.around[i].weight, g)
			return 1
		}
	}
	p.around = append(p.around, neighbor{w, g})
	return 1
}

// aroundWeight is the weight of the words around.
func (p *pass) aroundWeight() (sum float64) {
	for _, a := range p.around {
		if w := &p.words[a.word]; !w.head || w.level > 0 {
			sum += a.weight
		}
	}
	return max(sum, 1e-9)
}

// scoreUnits fills p.scores with the weight of the words around in each unit and returns the best unit, -1 for none.
func (p *pass) scoreUnits() (best int32) {
	for _, u := range p.scored {
		p.scores[u] = 0
	}
	p.scored, best = p.scored[:0], -1
	for _, a := range p.around {
		w := &p.words[a.word]
		if !p.spend(len(p.x.PlacesOf(w.id)) / detectors.ScanRows) {
			return best
		}
		last := int32(-1)
		for _, place := range p.x.PlacesOf(w.id) {
			if place.Unit == last {
				continue
			}
			last = place.Unit
			if p.scores[last] == 0 {
				p.scored = append(p.scored, last)
				p.scores[last] = 0.1 * p.context[last]
			}
			p.scores[last] += float32(a.weight * w.level)
		}
	}
	for _, u := range p.scored {
		if best < 0 || p.scores[u] > p.scores[best] || p.scores[u] == p.scores[best] && u < best {
			best = u
		}
	}
	return best
}

// besideUnit is the distance, in terms, of a word in the unit before or after.
const besideUnit = 254

// fitAnchors fills p.fits with how well the words around fit each anchor: the nearer they stand to it, the better.
func (p *pass) fitAnchors() {
	list := &p.values
	p.fits = append(p.fits[:0], make([]float32, len(list.terms))...)
	for _, a := range p.around {
		w := &p.words[a.word]
		if list.near[a.word].Last == 0 && !p.findNear(a.word) {
			return
		}
		r := list.near[a.word]
		for _, n := range p.near[r.First:r.Last] {
			if n.distance == besideUnit {
				p.fits[n.anchor] += float32(0.12 * a.weight * w.level)
			} else {
				p.fits[n.anchor] += float32(a.weight*w.level) * nearness[min(n.distance, 63)]
			}
		}
	}
}

// findNear lists the anchors next to the places of the word, and reports whether the work has not ended.
func (p *pass) findNear(word int8) bool {
	list := &p.values
	places := p.x.PlacesOf(p.words[word].id)
	if !p.spend(len(places) / detectors.ScanRows) {
		return false
	}
	first, last := len(p.near), int32(-1)
	for _, place := range places {
		u := place.Unit
		for i := list.first[u]; i < list.first[u+1]; i++ {
			p.setDistance(i, uint8(min(abs(list.terms[i]-place.Term), 200)))
		}
		if u == last {
			continue
		}
		last = u
		for _, v := range [...]int32{u - 1, u + 1} {
			if v < 0 || int(v) >= len(p.x.Evidence.Units) || p.x.Evidence.Units[v].Source != p.x.Evidence.Units[u].Source {
				continue
			}
			for i := list.first[v]; i < list.first[v+1]; i++ {
				p.setDistance(i, besideUnit)
			}
		}
	}
	for i := first; i < len(p.near); i++ {
		n := &p.near[i]
		n.distance, p.distance[n.anchor] = p.distance[n.anchor]-1, 0
	}
	list.near[word] = text.Range{First: int32(first), Last: int32(len(p.near))}
	return true
}

// setDistance notes the distance of the i-th anchor if it is the least so far.
func (p *pass) setDistance(i int32, d uint8) {
	if p.distance[i] == 0 {
		p.near = append(p.near, nearAnchor{anchor: i})
		p.distance[i] = d + 1
	}
	p.distance[i] = min(p.distance[i], d+1)
}

var nearness = nearnessTable() //nolint:gochecknoglobals // a read-only table

func nearnessTable() (t [64]float32) {
	for d := range t {
		t[d] = float32(0.35 + 0.65*math.Exp(-float64(d)/7))
	}
	return t
}

// figures compares the figures of the claim with those of the evidence.
func (p *pass) figures() {
	own := p.ownFigures(p.unit)
	p.matches = p.matches[:0]
	for i := range own {
		p.matches = append(p.matches, figureMatch{&own[i], p.bestMatch(&own[i])})
	}
	p.set(figuresN, len(own))
	p.v[figureOwn], p.v[figureMean] = 1, 1
	p.figuresOfBest(own)
	out, bound, sum := 0, 0, float32(0)
	for i := range p.matches {
		m := &p.matches[i]
		k := int(m.figure.Term - p.x.Answer.Units[p.unit].Terms.First)
		if m.level != figurematch.NoMatch {
			p.readAround(k, k, 9)
			sum += p.bindFigure(m)
			bound++
		} else if !p.isDerived(m, own) && !p.isWithin(m.figure, own) {
			out++
		} else if m.figure.Kind == figures.Money {
			continue
		}
		if !p.isOfUser(m) {
			p.readAround(k, k, 7)
			p.fitFigure(m)
		}
	}
	if bound > 0 {
		p.v[figureMean] = sum / float32(bound)
	}
	p.set(figuresOut, out)
	p.set(figuresFree, out)
}

// isOfUser reports a figure that only the user has: none of the sources moved.
func (p *pass) isOfUser(m *figureMatch) bool {
	return m.level != figurematch.NoMatch && p.spend(len(p.compared())/2) && !slices.ContainsFunc(p.compared(), func(f evidence.Figure) bool {
		return p.x.Evidence.Units[f.Unit].Source >= 0 && figurematch.Compare(&m.figure.Figure, &f.Figure) != figurematch.NoMatch
	})
}

// figuresOfBest compares the figures of the claim with those of the best unit.
func (p *pass) figuresOfBest(own []evidence.Figure) {
	if len(p.chosen) == 0 {
		return
	}
	theirs := atMost(p.x.Evidence.FiguresOf(int(p.chosen[0])), maxFigures)
	in, unused := 0, 0
	for i := range own {
		for j := range theirs {
			if figurematch.Compare(&own[i].Figure, &theirs[j].Figure) != figurematch.NoMatch {
				in++
				break
			}
		}
	}
	for j := range theirs {
		if !matchesAny(own, &theirs[j].Figure) {
			unused++
		}
	}
	p.v[figuresE1] = share(in, len(own))
	p.set(evFigures, unused)
}

// matchesAny reports a figure of the evidence that one of the claim's figures matches.
func matchesAny(own []evidence.Figure, theirs *figures.Figure) bool {
	for i := range own {
		if figurematch.Compare(&own[i].Figure, theirs) != figurematch.NoMatch {
			return true
		}
	}
	return false
}

// isDerived reports a figure that follows from others of the claim, the answer, or the evidence.
func (p *pass) isDerived(m *figureMatch, own []evidence.Figure) bool {
	mine := p.operands[:0]
	for i := range own {
		if len(mine) < 6 && &own[i] != m.figure && (own[i].Value != m.figure.Value || own[i].Kind != m.figure.Kind || m.figure.Kind == figures.Date) {
			mine = append(mine, own[i].Figure)
		}
	}
	f := &m.figure.Figure
	from := append(p.appendChosen(mine), p.before[max(0, len(p.before)-4):]...)
	derived := evidence.Derivable(f, from)
	if !derived {
		from = append(from[:len(mine)], p.supported...)
		derived = evidence.Derivable(f, from)
	}
	if !derived {
		from = from[:0]
		for i := range min(len(p.x.Evidence.Figures), 14) {
			from = append(from, p.x.Evidence.Figures[i].Figure)
		}
		derived = evidence.Derivable(f, from)
	}
	p.operands = from
	return derived
}

// isWithin reports a day of the week or month in a range of a source.
func (p *pass) isWithin(f *evidence.Figure, own []evidence.Figure) bool {
	list := p.compared()
	for len(list) > 0 {
		n := 1
		unit := &p.x.Evidence.Units[list[0].Unit]
		for n < len(list) && list[n].Unit == list[0].Unit {
			n++
		}
		if unit.Source >= 0 && evidence.IsWithin(f, own, p.doc.Text(), list[:n], p.doc.Source(int(unit.Source))) {
			return true
		}
		list = list[n:]
	}
	return false
}

// appendChosen appends up to 12 figures of the best units.
func (p *pass) appendChosen(from []figures.Figure) []figures.Figure {
	most := len(from) + 12
	for _, u := range p.chosen {
		for i := range p.x.Evidence.FiguresOf(int(u)) {
			if len(from) < most {
				from = append(from, p.x.Evidence.FiguresOf(int(u))[i].Figure)
			}
		}
	}
	return from
}

// bindFigure measures whether the words around a known figure stand where the evidence has it.
func (p *pass) bindFigure(m *figureMatch) float32 {
	list := p.compared()
	if !p.spend(len(list) / 2) {
		return 0
	}
	best := p.scoreUnits()
	whole := float32(p.aroundWeight())
	level := min(m.level, figurematch.Rounded)
	found, mine := false, float32(0)
	for i := range list {
		f := &list[i]
		if figurematch.Compare(&m.figure.Figure, &f.Figure) >= level {
			mine = max(mine, p.scores[f.Unit])
			found = found || f.Unit == best
		}
	}
	if best >= 0 && !found && p.hasOther(m, best) {
		p.v[figureClash] = max(p.v[figureClash], (p.scores[best]-mine)/whole+0.001)
	}
	return mine / whole
}

// hasOther reports a unit with another figure of the kind that the claim does not have.
func (p *pass) hasOther(m *figureMatch, unit int32) bool {
	own := p.ownFigures(p.unit)
	theirs := atMost(p.x.Evidence.FiguresOf(int(unit)), maxFigures)
	for i := range theirs {
		f := &theirs[i].Figure
		if f.Kind == m.figure.Kind && f.Unit.Dimension == m.figure.Figure.Unit.Dimension && !matchesAny(own, f) {
			return true
		}
	}
	return false
}

// fitFigure compares how well the words around fit the figure in the evidence with how well they fit others of its kind.
func (p *pass) fitFigure(m *figureMatch) {
	if len(p.around) == 0 {
		return
	}
	list := p.x.Evidence.Figures
	p.fitAnchors()
	own := p.ownFigures(p.unit)
	mine, other := float32(0), float32(0)
	for i, fit := range p.fits {
		if fit <= mine && fit <= other {
			continue
		}
		f := &list[i].Figure
		switch figurematch.Compare(&m.figure.Figure, f) {
		case figurematch.NoMatch:
			if fit > other && isSameKind(&m.figure.Figure, f) && !matchesAny(own, f) {
				other = fit
			}
		case figurematch.Rounded:
			mine = max(mine, 0.95*fit)
		default:
			mine = max(mine, fit)
		}
	}
	whole := float32(p.aroundWeight())
	p.v[figureOwn] = min(p.v[figureOwn], mine/whole)
	p.v[figureOther] = max(p.v[figureOther], other/whole)
	if mine > 0 {
		p.v[figureGap] = max(p.v[figureGap], (other-mine)/whole)
	}
}

func isSameKind(a, b *figures.Figure) bool {
	return a.Kind == b.Kind && (a.Unit.Dimension == b.Unit.Dimension || a.Unit.Dimension == figures.None || b.Unit.Dimension == figures.None)
}

// countNames counts the names of the claim, and those that no evidence has.
func (p *pass) countNames() {
	n, out := 0, 0
	for i := range p.words {
		if w := &p.words[i]; w.name && !w.head {
			n++
			if w.level == 0 {
				out++
			}
		}
	}
	p.set(namesN, n)
	p.set(namesOut, out)
}

// citations compares the sources that the claim cites with the others.
func (p *pass) citations() {
	p.v[cited] = 1
	set := p.citedSources(p.unit)
	if set == 0 || p.x.Sources == 0 {
		return
	}
	mine, other := p.coverOf(set), 0.0
	for i := range min(p.x.Sources, 64) {
		if set>>i&1 == 0 {
			other = max(other, p.coverOf(1<<i))
		}
	}
	p.v[cited], p.v[citedGap] = float32(mine), float32(other-mine)
	n := 0
	for i := range p.matches {
		if from := p.sourcesOf(&p.matches[i].figure.Figure); from != 0 && from&set == 0 {
			n++
		}
	}
	p.set(citedFigures, n)
}

// sourcesOf is the bit set of the sources that have the figure.
func (p *pass) sourcesOf(f *figures.Figure) (set uint64) {
	list := p.compared()
	if !p.spend(len(list) / 2) {
		return 0
	}
	for j := range list {
		g := &list[j]
		source := p.x.Evidence.Units[g.Unit].Source
		if source >= 0 && figurematch.Compare(f, &g.Figure) >= figurematch.Rounded {
			set |= 1 << min(source, 63)
		}
	}
	return set
}

// citedSources is the bit set of the sources that markers in the claim name.
func (p *pass) citedSources(unit int) (set uint64) {
	u := &p.x.Answer.Units[unit]
	markers := p.doc.Markers()
	for _, m := range markers.List {
		if m.Start < int(u.Start) || m.Start >= int(u.End) {
			continue
		}
		for _, r := range markers.References[m.First:m.Last] {
			if r.Source >= 0 {
				set |= 1 << min(r.Source, 63)
			}
		}
	}
	return set
}

// coverOf is the weight of the claim that the sources in the set have, as a share.
func (p *pass) coverOf(set uint64) float64 {
	sum := 0.0
	for i := range p.words {
		if w := &p.words[i]; !w.head && p.x.Entries[w.id].Sources&set != 0 {
			sum += w.weight * w.level
		}
	}
	return sum / p.total
}
