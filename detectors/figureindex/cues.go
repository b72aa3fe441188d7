package figureindex

import (
	"strings"

	"confab/internal/text"
	"confab/internal/text/figures"
)

// cue is a set of what the words around a figure say about it.
type cue uint16

const (
	cueTotal cue = 1 << iota
	cueAverage
	cueChange
	cueShare
	cueTimes
	cueRest
	cueFall
	cueRise
)

// Reach of the words around a figure, in tokens.
const (
	cueReach  = 12
	rateReach = 4
)

//nolint:gochecknoglobals // read-only tables
var (
	cueWords   = buildCues()
	rateWords  = buildRates()
	hashOf     = text.Hash("of")
	leastWords = wordSet("au al") // au moins: at least
	multiples  = [...]text.WordSet{
		wordSet(`double doubled doubles doubling twice twofold both doppelt doppelte doppelten verdoppelt zweimal beide beiden doble
duplica duplique duplicó ambos ambas 两倍 翻倍`), wordSet("triple tripled triples tripling threefold thrice dreifach dreifache verdreifacht triplica 三倍"),
		wordSet("quadruple quadrupled fourfold vierfach vierfache 四倍"),
	}
	parts = [...]text.WordSet{
		wordSet("half halved halves halving hälfte halb halbe halben halbiert mitad medio media moitié demi 一半 减半 半价"),
		wordSet("third thirds drittel tercio tercios tiers"), wordSet("quarter quarters viertel cuarto quart"),
	}
)

// wordSet is the set of the words' hashes.
func wordSet(words string) text.WordSet {
	set := text.WordSet{}
	for w := range strings.FieldsSeq(words) {
		set[wordHash(w)] = struct{}{}
	}
	return set
}

// wordHash is the hash of the word's first token: a Chinese word is one or more pairs of characters.
func wordHash(w string) uint64 {
	if tokens := text.AppendTokens(nil, w); len(tokens) > 0 {
		return tokens[0].Hash
	}
	return text.Hash(w)
}

// Words for change in German, Spanish and French.
const (
	foreignRise = `mehr höher höhere teurer länger stieg steigt gestiegen anstieg wuchs gewachsen wachstum zuwachs más mayor crecido creció
creciendo crecimiento aumento aumentó subió subida incremento plus hausse augmenté augmente augmentation croissance progression progressé 增长 增加 上升 `
	foreignFall = `weniger niedriger günstiger billiger kürzer sank gesunken fiel rückgang gefallen sparen spart ersparnis rabatt menos menor
bajó bajada cayó caída descenso disminuyó redujo ahorra ahorro descuento moins baisse baissé diminué recul économiser économise remise 下降 减少 降低 `
	foreignChange = `unterschied differenz prozentpunkte übrig bleiben bleibt diferencia quedan resto restante restantes différence
reste restants encore `
)

func buildCues() map[uint64]cue {
	table := map[uint64]cue{}
	for c, list := range map[cue]string{
		cueTotal: `total totals totaling totalling sum sums combined together altogether all overall between jointly adding add adds up
comes whole entire collectively aggregate gesamt insgesamt total totale zusammen summe suma conjunto juntos somme ensemble 总共 总计 合计 一共 共计`,
		cueAverage: "average averages averaged averaging mean avg typically durchschnitt durchschnittlich schnitt mittel moyenne media promedio",
		cueChange: `rise rises rose risen rising grow grows grew grown growth increase increased increases increasing gain gained jump jumped
climbed climb up higher more taller longer larger bigger older heavier greater faster fall falls fell fallen drop dropped drops
decline declined decrease decreased decreases reduced reduction down lower less fewer shorter smaller younger lighter cheaper slower
difference gap margin change changed left remaining remain remains ahead behind discount off saving saved save cut extra additional ` + foreignRise + foreignFall + foreignChange,
		cueShare: "quarter half third fifth share proportion percentage rate fraction answered accounted makes made represents represent anteil hälfte drittel viertel mitad tercio tercios moitié tiers part",
		cueTimes: "times fold x twofold threefold ratio multiple factor mal fache veces fois",
		cueRest:  "rest remaining remainder other others not no never without neither didn't don't doesn't wasn't weren't isn't aren't only against übrigen übrige restlichen restliche nicht resto restante restantes reste restants restant ne pas 其余 剩余",
		cueFall: `fall falls fell fallen drop dropped drops decline declined declines decrease decreased decreases reduced reduction down lower less
shrank shrink shrunk loss losses lost deficit negative below minus contracted contraction cut slump slumped slipped discount off saved saving less fewer shorter smaller cheaper lighter younger ` + foreignFall,
		cueRise: `rise rises rose risen rising grow grows grew grown growth increase increased increases increasing gain gained jump jumped
climbed climb up higher more taller longer larger bigger older heavier greater faster extra additional ` + foreignRise,
	} {
		for w := range strings.FieldsSeq(list) {
			table[wordHash(w)] |= c
		}
	}
	return table
}

// buildRates maps words for a span of time to its length in days.
//
//nolint:misspell // not only English
func buildRates() map[uint64]float64 {
	const year = 365.25
	table := map[uint64]float64{}
	for days, list := range map[float64]string{
		1.0 / 86400: "second", 1.0 / 1440: "minute", 1.0 / 24: "hour hourly stunde hora heure",
		1: "day daily tag täglich día diario diaria jour", 7: "week weekly woche wöchentlich semana semanal semaine hebdomadaire",
		year / 12: "month monthly mo monat monatlich monatliche mes mensual mensuales mois mensuel mensuelle 每月",
		year / 4:  "quarterly", year: "year yearly annual annually annum yr jahr jährlich jährliche año anual annuel annuelle année l'année 每年",
	} {
		for w := range strings.FieldsSeq(list) {
			table[text.Hash(w)] = days
		}
	}
	return table
}

// tokenRange is the tokens of a text.
type tokenRange struct{ tokens []text.Token }

// around is the tokens around f, at most reach on each side.
func (r tokenRange) around(f *figures.Figure, reach int32) []text.Token {
	return r.tokens[max(0, f.First-reach):min(int32(len(r.tokens)), f.Last+reach)]
}

func (c *calculation) readCues() (found cue) {
	all := c.answerTokens()
	if int(c.f.Last) < len(all.tokens) && all.tokens[c.f.Last].Hash == hashOf {
		found = cueShare // "18 % of"
	}
	tokens := all.around(c.f, cueReach)
	for i := range tokens {
		if i == 0 || !leastWords.Has(tokens[i-1].Hash) {
			found |= cueWords[tokens[i].Hash]
		}
	}
	return found
}

// rate is the span of time, in days, of "a month", "per year", "monthly" near the figure, the nearest first; 0 for none.
func (r tokenRange) rate(f *figures.Figure) float64 {
	for t := f.Last; t < min(int32(len(r.tokens)), f.Last+rateReach); t++ {
		if days, ok := rateWords[r.tokens[t].Hash]; ok {
			return days
		}
	}
	for t := f.First - 1; t >= max(0, f.First-2*rateReach); t-- {
		if days, ok := rateWords[r.tokens[t].Hash]; ok {
			return days
		}
	}
	return 0
}

func (c *calculation) answerTokens() tokenRange { return tokenRange{tokens: c.d.Tokens()} }

func (c *calculation) sourceTokens() tokenRange { return tokenRange{tokens: c.d.SourceTokens()} }

// contextReach is how many words on each side of the answer's figure are compared with a source sentence.
const contextReach = 18

// yearDigits is the least length of a number that is compared like a word.
const yearDigits = 4

// sharesWords reports whether a word near f in the answer, which is no stop word, occurs in the source sentence.
func (c *calculation) sharesWords(sentence int32) bool {
	s := &c.d.AllSourceSentences()[sentence]
	near := c.answerTokens().around(c.f, contextReach)
	words := c.d.SourceTokens()[s.First:s.Last]
	if !c.spend(len(words)) {
		return false
	}
	answer, source := c.d.Answer(), c.d.Source(int(s.Source))
	for i := range near {
		t := &near[i]
		if t.Stop() || t.Kind == text.Number && (t.End-t.Start < yearDigits || t.Start >= c.f.Start && t.End <= c.f.End) {
			continue
		}
		word := t.In(answer)
		for k := range words {
			if words[k].Stem == t.Stem || len(word) >= minPrefix && sharesPrefix(word, words[k].In(source)) {
				return true
			}
		}
	}
	return false
}

// says reports whether one of the words stands near f in the answer or in the source sentence.
func (c *calculation) says(words text.WordSet, sentence int32) bool {
	near := c.answerTokens().around(c.f, contextReach)
	s := &c.d.AllSourceSentences()[sentence]
	c.spend(len(near) + int(s.Last-s.First))
	return holdsAny(near, words) || holdsAny(c.d.SourceTokens()[s.First:s.Last], words)
}

func holdsAny(tokens []text.Token, words text.WordSet) bool {
	for i := range tokens {
		if words.Has(tokens[i].Hash) {
			return true
		}
	}
	return false
}

// minPrefix is how many first letters two related words share: occupancy and occupied.
const minPrefix = 5

func sharesPrefix(a, b string) bool {
	if len(a) < minPrefix || len(b) < minPrefix {
		return false
	}
	for i := range minPrefix {
		if a[i]|0x20 != b[i]|0x20 {
			return false
		}
	}
	return true
}
