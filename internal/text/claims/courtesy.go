package claims

import (
	"strings"

	"confab/internal/text"
)

// maxCourtesy is the length, in words, above which a polite sentence is read as a claim.
const maxCourtesy = 32

// maxOpenings is the maximum of openings of one sentence.
const maxOpenings = 16

// skipOpenings returns the token after openers, lead-ins and excuses from i on; ok is false if the sentence is a courtesy.
func (p *claimParser) skipOpenings(i int) (first int, ok bool) {
	first = i
	for n := 0; first < len(p.tokens); n++ {
		if n == maxOpenings {
			return first, true
		}
		if next := p.leadInEnd(first); next > first {
			first = next
			continue
		}
		if p.startsWith(first, silent) > 0 {
			next := p.contrastAfter(first, first)
			if next == len(p.tokens) {
				return first, false
			}
			first = next
			continue
		}
		if n := p.startsWith(first, excuse); n > 0 {
			next, found := p.afterExcuse(first + n)
			if !found {
				return first, p.isFactual(first)
			}
			first = next
			continue
		}
		if p.startsWith(first, polite) > 0 || p.serves(first) {
			if next := p.afterSemicolon(first); next > first {
				first = next
				continue
			}
			return first, p.isFactual(first)
		}
		return first, true
	}
	return first, false
}

// afterSemicolon is the token after the first semicolon from i on, i itself for none.
func (p *claimParser) afterSemicolon(i int) int {
	for k := i + 1; k < len(p.tokens); k++ {
		if gap := p.s[p.tokens[k-1].End:p.end]; strings.HasPrefix(gap, ";") || strings.HasPrefix(gap, "；") {
			return k
		}
	}
	return i
}

// serves reports that the speaker describes or offers an answer: "I've summarized the points below", "let me explain it".
func (p *claimParser) serves(i int) bool {
	speaker := speakerWords.Has(p.tokens[i].Hash) || p.is(i, hashLet) && p.is(i+1, hashMe)
	if !speaker {
		return false
	}
	verb, object := false, false
	for k := i + 1; k < len(p.tokens) && k < i+serviceReach; k++ {
		verb = verb || k < i+5 && serviceVerbs.Has(p.tokens[k].Hash)
		object = object || verb && (p.has(k, text.OutputNoun) || serviceObjects.Has(p.tokens[k].Hash))
	}
	return verb && object
}

// serviceReach is the number of words in which a service is described.
const serviceReach = 16

// afterExcuse is the start of the statement after an excuse that ends at i: after a "but", or at once after a comma.
func (p *claimParser) afterExcuse(i int) (next int, found bool) {
	if next = p.contrastAfter(i, i); next < len(p.tokens) {
		return next, true
	}
	if i > 0 && i < len(p.tokens) {
		if gap := text.Between(p.s, p.tokens[i-1].End, p.tokens[i].Start); strings.HasPrefix(gap, ",") || strings.HasPrefix(gap, "，") {
			if clauseWords.Has(p.tokens[i].Hash) {
				i++ // "I'm an AI, so I can't …"
			}
			return i, true
		}
	}
	return 0, false
}

// hasAside reports a sentence from i on that offers help, disclaims or thanks, and states nothing else.
func (p *claimParser) hasAside(i int) bool {
	if p.roles&aside == 0 {
		return false
	}
	for k := i; k < len(p.tokens); k++ {
		if p.startsWith(k, aside) > 0 {
			return !p.isFactual(i)
		}
	}
	return false
}

// adviceReach is the largest distance, in words, between an advice and whom to contact.
const adviceReach = 14

// advises reports advice from i on to contact someone or to read elsewhere: "you may want to contact", "if in doubt, ask".
func (p *claimParser) advises(i int) bool {
	if p.roles&advice == 0 || p.roles&contact == 0 {
		return false
	}
	for k := i; k < len(p.tokens); k++ {
		n := p.startsWith(k, advice)
		if n == 0 || k > i && !p.startsClause(k) {
			continue
		}
		for c := k + n; c < len(p.tokens) && c <= k+n+adviceReach; c++ {
			if p.startsWith(c, contact) > 0 && (c <= k+n+4 || p.startsClause(c)) {
				return !p.isFactual(i)
			}
		}
	}
	return false
}

// startsClause reports a token after a comma, or after "so", "and", "then" or "please".
func (p *claimParser) startsClause(i int) bool {
	if i == 0 {
		return true
	}
	return strings.HasPrefix(p.s[p.tokens[i-1].End:p.end], ",") || clauseWords.Has(p.tokens[i-1].Hash)
}

// isFactual reports a polite sentence that states something all the same: it has a figure, an address, a relative clause or
// very many words.
func (p *claimParser) isFactual(i int) bool {
	if countWords(p.tokens[i:]) > maxCourtesy {
		return true
	}
	for k := i; k < len(p.tokens); k++ {
		t := &p.tokens[k]
		if t.Has(text.Marker) {
			continue
		}
		if t.Kind == text.Number || figureWords.Has(t.Hash) && !p.has(k-1, text.Determiner) || relativeWords.Has(t.Hash) && p.relates(k) {
			return true
		}
	}
	rest := p.s[p.tokens[i].Start:p.end]
	return strings.ContainsRune(rest, '@') || strings.Contains(rest, "://") || strings.Contains(rest, "www.")
}

// relates reports that the relative pronoun at i, after a comma, is not followed by a modal verb: "…, who grants a discount".
func (p *claimParser) relates(i int) bool {
	return i > 0 && i+1 < len(p.tokens) && strings.HasPrefix(p.s[p.tokens[i-1].End:p.end], ",") && !modalWords.Has(p.tokens[i+1].Hash)
}

// Words that make a courtesy a statement, and others around them.
//
//nolint:gochecknoglobals // read-only tables
var (
	figureWords = text.HashSet(`two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty ninety
hundred thousand million percent half dozen monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays
thursdays fridays saturdays sundays january february april june july august september october november december midnight noon
zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig hundert tausend prozent montag dienstag mittwoch donnerstag
freitag samstag sonntag januar februar märz mai juni juli oktober dezember kostenlos
dos tres cuatro cinco seis siete ocho nueve diez cien mil ciento lunes martes miércoles jueves viernes sábado domingo enero febrero
marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre gratis
deux trois quatre cinq sept huit neuf dix cent mille pourcent lundi mardi mercredi jeudi vendredi samedi dimanche janvier février
avril juin juillet août septembre octobre novembre décembre gratuit gratuitement`)
	speakerWords = text.HashSet("i i've i'll i'd i'm let's we'll we've")
	serviceVerbs = text.HashSet(`summarize summarized summarise summarised outline outlined organize organized organise organised list listed
prepare prepared compile compiled provide provided draft drafted explain explained help assist check look walk break translate expand
adjust rephrase clarify keep kept include included structure structured simplify simplified highlight highlighted answer answered create
rewrite format add show review reviewed`)
	serviceObjects = text.HashSet(`you your below above points point version answer information sections section step steps text document
documents passage passages question it this that them concise brief short`)
	relativeWords = text.HashSet("who which whose where")
	modalWords    = text.HashSet("can will may could would should might")
	clauseWords   = text.HashSet("so and then please therefore")
)
