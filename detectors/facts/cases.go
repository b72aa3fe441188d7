package facts

import (
	"math"
	"slices"

	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figures"
)

//nolint:gochecknoglobals // read-only tables, not only English
var (
	befores = text.HashSet("before prior ahead vor vorher avant antes prima voor")
	changes = text.HashSet(`more additional extra less fewer later earlier longer shorter off mehr weitere zusatzlich weniger spater fruher
supplementaire moins tard tot mas menos adicional tarde antes`)
	periods = text.HashSet(`year annual annually month monthly quarter quarterly semester half week weekly fortnight day daily jahr jahrlich monat monatlich
quartal vierteljahr halbjahr woche wochentlich tag taglich an annee mois trimestre semaine jour ano mes semana dia`)
	repeats    = text.HashSet("every each weekly fortnightly jeden jede jedes alle wochentlich chaque hebdomadaire tous toutes cada todos semanal")
	alternates = text.HashSet("other second alternate fortnightly zweiten zweite zwei deux dos otro")
)

// hasOtherCase reports that claim and unit tell two cases with opposite outcomes.
func (e *evidence) hasOtherCase(m *match) bool {
	return slices.ContainsFunc(m.slots, func(s slot) bool { return s.figures && e.isOtherCase(m.words, m.there, &s.claim[0], &s.source[0]) })
}

// isOtherCase reports a "not" more or less and a figure beyond the bound of the unit's, "not with 12" and "from 15", or one of the user
// where there is no bound.
func (e *evidence) isOtherCase(claim, unit []word, a, b *word) bool {
	if (negations(claim)+negations(unit))%2 == 0 || !isDenied(claim, unit) && !isDenied(unit, claim) || e.answer.bound(a) != nil {
		return false
	}
	f, g := e.answer.figure(a), e.sources.figure(b)
	least, most := e.limits(unit, b)
	if !least && !most {
		return isAmong(f, e.user.figures)
	}
	own, limit := f.Value*max(f.Unit.Factor, 1e-9), g.Value*max(g.Unit.Factor, 1e-9)
	return least && own < limit || most && own > limit
}

// isDenied reports a "not" before a word that the other text has: "not damaged" is no more than "undamaged".
func isDenied(words, other []word) bool {
	for i := range words {
		if isNegation(&words[i]) {
			k := slices.IndexFunc(words[i+1:], func(w word) bool { return content(&w) })
			return k >= 0 && hasStem(other, words[i+1+k].Key)
		}
	}
	return false
}

// limits reports whether a figure of the unit is the least or the most: "60 minutes or more", "up to 7 days before" is at least 7.
func (e *evidence) limits(unit []word, b *word) (least, most bool) {
	g := e.sources.figure(b)
	if x := e.sources.bound(b); x != nil {
		least, most = leasts.Has(x.Word), mosts.Has(x.Word)
	}
	least, most = least || g.Sense == figures.AtLeast, most || g.Sense == figures.AtMost
	at := slices.IndexFunc(unit, func(w word) bool { return w.Start > b.Start })
	if at < 0 {
		return least, most
	}
	behind := unit[at:min(len(unit), at+2)]
	if hasAny(behind, befores) {
		return most, least
	}
	return least || hasAny(behind, leasts), most || hasAny(behind, mosts)
}

// isTold reports that the sources tell why the figure a of the claim is not the figure b of the unit.
func (e *evidence) isTold(c, p *piece, a, b *word) bool {
	return e.isOfKey(a, p) || e.isOtherCase(e.answer.of(c), e.sources.of(p), a, b) || e.follows(c, p, e.answer.figure(a), e.sources.figure(b))
}

// follows reports a figure that is g for another period, g changed by what a unit says of the claim, or a later date of a series.
func (e *evidence) follows(c, p *piece, f, g *figures.Figure) bool {
	unit := e.sources.of(p)
	if f.Kind == figures.Date {
		return isOfSeries(f, g, unit)
	}
	claim := e.answer.of(c)
	if isOtherPeriod(claim, unit) && slices.ContainsFunc([]float64{2, 3, 4, 6}, func(k float64) bool { return fits(f, g.Value*k) || fits(f, g.Value/k) }) {
		return true
	}
	e.readChanges()
	return slices.ContainsFunc(e.changes, func(x index.Figure) bool {
		isDiff := fits(f, g.Value+x.Value) || fits(f, g.Value-x.Value)
		if f.Kind == figures.Clock {
			isDiff = isDelay(f, g, &x.Figure)
		}
		return isDiff && x.Figure != *g && slices.ContainsFunc(e.sources.of(&e.sources.pieces[x.Unit]), func(w word) bool {
			return content(&w) && w.Figure < 0 && hasStem(claim, w.Key)
		})
	})
}

// maxChanges is how many figures are read that tell a change.
const maxChanges = 64

// readChanges collects the figures of the sources with a word such as "more" or "later" beside them, once.
func (e *evidence) readChanges() {
	if e.changesRead {
		return
	}
	e.changesRead = true
	e.doc.Work().Spend(len(e.sources.figures))
	for _, x := range e.sources.figures {
		p := &e.sources.pieces[x.Unit]
		unit, at := e.sources.of(p), int(x.Term-p.Terms.First)
		isExtra := at > 0 && changes.Has(unit[at-1].Word) && !leasts.Has(unit[at-1].Word) && !mosts.Has(unit[at-1].Word) // not "more than 4"
		if len(e.changes) < maxChanges && (isExtra || hasAny(unit[at+1:min(len(unit), at+4)], changes)) {
			e.changes = append(e.changes, x)
		}
	}
}

// isOtherPeriod reports that claim and unit tell amounts for different periods.
func isOtherPeriod(claim, unit []word) bool {
	own := func(words, other []word) bool {
		return slices.ContainsFunc(words, func(w word) bool { return (periods.Has(w.Word) || periods.Has(w.Key)) && !hasStem(other, w.Key) })
	}
	return hasAny(claim, periods) && hasAny(unit, periods) && (own(claim, unit) || own(unit, claim))
}

// isOfSeries reports a date some weeks after the first one of a series.
func isOfSeries(f, g *figures.Figure, unit []word) bool {
	day, ok := index.DayOf(f, g)
	first, is := index.DayOf(g, f)
	every := 7.0
	if hasAny(unit, alternates) {
		every = 14
	}
	days := day.Sub(first).Hours() / 24
	return ok && is && f.Day > 0 && g.Day > 0 && days > 0 && math.Mod(days, every) == 0 && hasAny(unit, repeats)
}
