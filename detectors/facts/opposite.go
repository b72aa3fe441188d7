package facts

import (
	"regexp"
	"slices"
	"strings"

	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/schemas"
)

func opposite() Rule {
	return Rule{
		ID:     "opposite",
		Doc:    "the words of a source with one turned into its opposite",
		Langs:  "English, German, French, Spanish",
		Needs:  "sources",
		Type:   schemas.Factual,
		Weight: .9,
		Check:  func(e *evidence, c *piece) []Verdict { return e.checkPairs(c, e.isOpposite, 2) },
		Examples: []Example{
			{Source: "Die Sicherung ist für neue Konten aktiviert.", Answer: "Die Sicherung ist für neue Konten deaktiviert.", Fires: "deaktiviert"},
			{Source: "La porte de la grange est fermée pendant la nuit.", Answer: "La porte de la grange est ouverte pendant la nuit.", Fires: "ouverte"},
			{Source: "Automatic backups are enabled by default for new workspaces.", Answer: "Automatic backups are disabled by default for new workspaces.", Fires: "disabled"},
			{Source: "Automatic backups are enabled by default for new workspaces.", Answer: "Automatic backups are switched on by default for new workspaces."},
		},
	}
}

func limit() Rule {
	return Rule{
		ID:     "limit",
		Doc:    "the words of a source with another limit, duty or period: must for may, at least for at most, daily for weekly",
		Langs:  "English, German, French, Spanish",
		Needs:  "sources",
		Type:   schemas.Factual,
		Weight: .85,
		Check: func(e *evidence, c *piece) []Verdict {
			return e.checkPairs(c, func(_ *piece, a, b *word) bool { return limits.has(a, b) }, 1)
		},
		Examples: []Example{
			{Source: "The file must have at least 20 rows of data.", Answer: "The file must have at most 20 rows of data.", Fires: "most"},
			{Source: "Swallow the tablet after meals.", Answer: "Swallow the tablet before meals.", Fires: "before"},
			{Source: "Logs are exported once per week.", Answer: "Logs are exported once per day.", Fires: "day"},
			{Source: "Cancel up to four weeks before the term ends.", Answer: "Cancel at least four weeks before the term ends."},
			{Source: "Clubs with up to 100 members receive up to 800 euros a year. Clubs with more than 100 members receive up to 1,500 euros.", Answer: "Clubs with up to 100 members can receive up to 800 euros a year, but whether a machine counts isn't stated."},
			{Source: "Customers have 14 days to reply before the case is closed.", Answer: "You have 14 days to reply; after that the case is closed."},
			{Source: "Loads of up to 20 kg are allowed.", Answer: "Loads of no more than 20 kg are allowed."},
			{Source: "Loads of up to 20 kg are allowed.", Answer: "No loads of more than 20 kg are allowed."},
		},
	}
}

// pairs are words that exclude each other, by their keys: those of English and of other languages.
type pairs map[[2]uint64]bool

// readPairs reads rows of groups of words. Words of different groups of a row exclude each other.
func readPairs(list string) pairs {
	p := pairs{}
	for row := range strings.FieldsSeq(list) {
		groups := strings.Split(row, "/")
		for i, g := range groups {
			for _, h := range groups[i+1:] {
				for _, x := range keysOf(g) {
					for _, y := range keysOf(h) {
						p[[2]uint64{x, y}], p[[2]uint64{y, x}] = true, true
					}
				}
			}
		}
	}
	return p
}

// keysOf are the keys of the words of a group, and of forms that a key may not join: "ouvert", "ouverte"; "abierto", "abierta".
func keysOf(group string) (keys []uint64) {
	group = strings.ReplaceAll(group, "|", " ") + " "
	for w := range strings.FieldsSeq(group + strings.ReplaceAll(group, " ", "e ") + strings.ReplaceAll(group, "o ", "a ")) {
		t := text.AppendTokens(nil, w)[0]
		keys = append(keys, t.Stem, text.Foreign.Key(&t, w))
	}
	return keys
}

func (p pairs) has(a, b *word) bool { return p[[2]uint64{a.Key, b.Key}] }

// isOpposite reports words of the table, and those of which one is the other with a prefix: "désactivée", "unverbindlich".
func (e *evidence) isOpposite(p *piece, a, b *word) bool {
	if opposites.has(a, b) || a.Figure >= 0 || b.Figure >= 0 {
		return opposites.has(a, b)
	}
	short, long := e.text[a.Start:a.End], e.in(p, b)
	if len(short) > len(long) {
		short, long = long, short
	}
	return len(short) >= minNegated && slices.ContainsFunc(negatives[:], func(prefix string) bool {
		rest, ok := strings.CutPrefix(long, prefix)
		return ok && strings.HasPrefix(rest, short[:len(short)-maxEnding]) && len(rest) <= len(short)+maxEnding
	})
}

const minNegated, maxEnding = 6, 2 // bytes of a word before which a prefix is read, and of its end that may differ

// isCue reports a word of the tables, which is kept when a claim is aligned, also if it is too common to say anything alone.
func isCue(w *word) bool { return cues.Has(w.Word) }

//nolint:gochecknoglobals // read-only tables, not only English
var (
	opposites = readPairs(oppositeWords)
	limits    = readPairs(limitWords)
	negatives = [...]string{"un", "dés"} // prefixes
	cues      = text.HashSet(strings.NewReplacer("/", " ", "|", " ").Replace(oppositeWords + " " + limitWords))
)

const (
	oppositeWords = `enabled|enable/disabled|disable allowed|permitted|allow|permit/prohibited|forbidden|banned|prohibit|forbid
included|include/excluded|exclude increase|increased|rise|rose|grew|grow/decrease|decreased|fall|fell|drop|dropped|decline|declined|shrank open|opened/closed|close accept|accepted/reject|rejected|refused|declined
mandatory|compulsory|required|obligatory/optional|voluntary public/private internal/external before/after above/below first/last
higher/lower more/less|fewer larger|bigger/smaller early|earlier/late|later minimum/maximum start|begin|began|started/end|ended|stopped
active/inactive valid/invalid safe/unsafe|dangerous legal/illegal possible/impossible liable/exempt win|won/lose|lost
buyer/seller landlord/tenant employer/employee borrower/lender input/output upload/download import/export left/right north/south east/west
positive/negative profit/loss temporary/permanent hot/cold dry/wet full/empty odd/even free/paid approve|approved/deny|denied|rejected
online/offline success|successful/failed|unsuccessful manual/automatic major/minor same/different with/without binding/non-binding taxable/tax-free
erlaubt|gestattet|frei/verboten|untersagt aktiviert/deaktiviert vor/nach über/unter mehr/weniger inklusive/exklusive geöffnet/geschlossen pflicht|verpflichtend/freiwillig
stieg|gestiegen|steigt/sank|gesunken|sinkt|fiel|gefallen angenommen|genehmigt/abgelehnt kostenlos|gratis/kostenpflichtig
avant/après plus/moins ouvert/fermé inclus/exclu obligatoire/facultatif permis|autorisé|admis/interdit accepté/refusé|rejeté augmenté|augmente/diminué|baissé|diminue gratuit/payant
antes/después más/menos abierto/cerrado incluido/excluido obligatorio/opcional permitido|autorizado/prohibido aceptado|aprobado/rechazado|denegado subió|aumentó|aumentaron/bajó|disminuyó|disminuyeron`
	limitWords = `must|shall/may|can|could all|every|each|entire/some|most|many|several|few always/usually|sometimes|often|never hour|hourly/day|daily/week|weekly/month|monthly/quarter|quarterly/year|yearly|annual|annually kilometre|kilometer|km/mile
least/most minimum/maximum over/under more/less|fewer|up only/also both/either unless|except/even|including außer/auch sauf/même salvo/incluso within/after before/after until/from
muss|müssen/kann|können|darf|dürfen alle|jeder|jede/einige|manche mindestens/höchstens immer/manchmal|meist stunde|stündlich/tag|täglich/woche|wöchentlich/monat|monatlich/jahr|jährlich spätestens/frühestens
doit|doivent/peut|peuvent tous/certains|quelques moins/plus toujours/parfois heure/jour/semaine/mois/an hora/día/semana/mes/año debe|deben/puede|pueden todos/algunos siempre/veces`
)

func hasNegation(words []word) bool {
	return slices.ContainsFunc(words, func(w word) bool { return w.Has(index.Negates) })
}

// checkPairs accuses a slot whose words exclude those of the source.
func (e *evidence) checkPairs(c *piece, exclude func(p *piece, a, b *word) bool, own int) []Verdict {
	for _, m := range e.matchesOf(c) {
		if hasNegation(m.words) != hasNegation(m.there) { // "no more" may be "up to", "not after" may be "within"
			continue
		}
		for _, s := range m.slots {
			if max(len(s.claim), len(s.source)) > maxPair || s.near < 0 && !s.ends {
				continue
			}
			if a, b := s.find(m.piece, exclude); a != nil && m.isTurned(&s, a, b, own) && !e.isOther(c, &m, a, b) && !e.isElsewhere(&m, &s, a) {
				return e.one(c, a, m.piece, b)
			}
		}
	}
	return nil
}

// isTurned reports a slot of the words a and b between words that are the same.
func (m *match) isTurned(s *slot, a, b *word, own int) bool {
	t := *s
	if t.ends { // the other side is the end
		t.near += oneSided + 1
	}
	return m.isClose(&t, own) && !hasNegation(s.claim) && !hasNegation(s.source) && (s.isPair(a, b) || m.is(own) && s.isPair(a, nil))
}

// next is what comes behind the clause before: "A; after that B" is "A before B".
var next = regexp.MustCompile(`(?is)^.{0,3}(?:[^\pL\d]\s|\b(?:and|y|et) )(?:(?:after|before) (?:that|which|this)\b|(?:après|avant) (?:quoi|cela|ça)|(?:después|antes)(?:,| de (?:lo cual|eso|ello)| [^d]))`)

// isNext reports a word with which such a text begins.
func isNext(s string, w *word) bool {
	return next.MatchString(s[max(0, w.Start-4):min(len(s), int(w.End)+12)])
}

// isOther reports a pair in a claim with another figure, or of which the other side of the comparison stands before: "A is more than
// B" and "B is less than A".
func (e *evidence) isOther(c *piece, m *match, a, b *word) bool {
	if m.hasOtherFigure(b) || isNext(e.text, a) != isNext(e.doc.Source(int(m.piece.Source)), b) {
		return true
	}
	return slices.ContainsFunc(e.answer.of(c), func(w word) bool {
		return w.Start > a.Start && w.Figure < 0 && content(&w) && slices.ContainsFunc(e.sources.of(m.piece), func(x word) bool { return x.Start < b.Start && x.Key == w.Key })
	})
}

// hasOtherFigure reports a claim with another figure than the unit, or without that before the word b.
func (m *match) hasOtherFigure(b *word) bool {
	own := func(w word) bool { return w.Figure >= 0 && w.Start < b.Start }
	return slices.ContainsFunc(m.slots, func(s slot) bool { return s.figures || s.place != leading && slices.ContainsFunc(s.source, own) })
}

// isPair reports a slot of the words a and b and none beside them that says something; of the source only figures are asked without b.
func (s *slot) isPair(a, b *word) bool {
	only := func(list []word, w *word) bool {
		return len(list) <= maxPair && !slices.ContainsFunc(list, func(x word) bool { return content(&x) && x.Start != w.Start })
	}
	return only(s.claim, a) && (b == nil && len(s.source) <= maxPair && !slices.ContainsFunc(s.source, func(w word) bool { return w.Figure >= 0 }) || b != nil && only(s.source, b))
}

// maxPair is the longest text, in words, whose words are compared.
const maxPair = 3

// find returns the first words of the slot that exclude each other.
func (s *slot) find(p *piece, exclude func(p *piece, a, b *word) bool) (a, b *word) {
	for i := range s.claim {
		for k := range s.source {
			if exclude(p, &s.claim[i], &s.source[k]) {
				return &s.claim[i], &s.source[k]
			}
		}
	}
	return nil, nil
}
