package grounding

import (
	"math/bits"
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
)

// cue is a set of roles of a word.
type cue uint8

const (
	denies   cue = 1 << iota // not, never, fail
	totals                   // all, every
	limits                   // some, only, except
	contrast                 // but
	joins                    // and, while: a new clause
	light                    // come, make: says little without its object
)

//nolint:gochecknoglobals // read-only tables
var (
	cues, isCue = cueTable(map[cue]string{
		denies: `not no never none nobody nothing neither nor without cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't
shouldn't hasn't haven't hadn't couldn't mustn't needn't lack lacks lacking absent fail failed fails refuse refused reject rejected deny denied
exclude excluded excludes prohibited forbidden nicht kein keine keinen keiner nie ohne pas aucun aucune jamais sans ningun ninguna nunca sin
unable impossible zero non`,
		totals: `all every each always any everyone everything entire whole both alle jeder jede jedes immer tous toutes tout toute chaque toujours
todos todas siempre`,
		limits: `some several few many part partly partially certain sometimes most mostly usually often generally majority einige manche mehrere
quelques certains plusieurs algunos algunas only solely exclusively just sole nur ausschliesslich lediglich seulement uniquement solo solamente
except unless excluding excepted otherwise apart besides save however ausser sofern hormis sauf excepto salvo exempt exception exceptions
excluded`,
		contrast: "but aber mais",
		joins:    "and but while whereas und et aber mais so because which",
		light: `come comes came get gets got go goes went going having make makes made making take takes took taken give gives gave given put puts
keep keeps kommen kommt kam gehen geht machen macht gemacht nehmen nimmt geben gibt faire fait prendre prend donne met vient hace da tiene`,
	})
	opposite = oppositeTable(`increase,rise,grow,raise,gain/decrease,fall,decline,drop,lower,reduce,lose more/less,few higher/lower high/low
before/after early,earlier/late,later first/last above,over/below,under minimum/maximum enable/disable allow,permit/forbid,prohibit,ban,prevent,refuse,reject
include/exclude accept,approve/reject,refuse,decline open/close success,succeed/failure,fail win/lose start,begin/end,stop,finish buy/sell
lend/borrow import/export arrive/depart,leave internal/external manual,manually/automatic,automatically required,mandatory,compulsory/optional,voluntary
free/paid public/private old,young/new,old long/short fast,quick/slow large,big/small hot/cold left/right north/south east/west morning/evening
on/off in/out always/never all,every/none,no everybody/nobody major/minor majority/minority monthly/yearly,annually,weekly,daily daily/weekly
annual/monthly gross/net debit/credit sender/recipient buyer/seller landlord/tenant employer/employee plaintiff/defendant positive/negative
safe/unsafe,dangerous possible/impossible valid/invalid legal/illegal active/inactive,passive correct/incorrect complete/incomplete same/different
with/without single/double upper/lower front/rear inside/outside temporary/permanent supply/demand income/expense asset/liability profit/loss
encourage/discourage strong/weak better,improve/worse,worsen best/worst most/least support/oppose agree/disagree male/female man/woman boy/girl
mother/father son/daughter husband/wife alive/dead rich/poor heavy/light full/empty likely/unlikely able/unable present/absent visible/invisible
lock/unlock subscribe/unsubscribe attach/detach connect/disconnect install/uninstall mount/unmount encrypt/decrypt upload/download push/pull
merge/split deposit/withdraw charge/refund pass/fail online/offline wet/dry clean/dirty sooner/later separately/together individually/jointly`)
)

// cueTable maps words to their roles; filter has each word's bucket, to reject most others fast.
func cueTable(lists map[cue]string) (table map[uint64]cue, filter [1 << 12]bool) {
	table = map[uint64]cue{}
	for c, list := range lists {
		for w := range strings.FieldsSeq(list) {
			table[text.Hash(w)] |= c
			filter[text.Hash(w)>>52] = true
		}
	}
	return table, filter
}

func cuesOf(t *evidence.Term) (c cue) {
	if isCue[t.Word>>52] {
		c = cues[t.Word]
	}
	if t.Has(evidence.Negates) {
		c |= denies
	}
	return c
}

// oppositeTable reads pairs of opposites: words separated by commas, then those that each of them is opposite to. It maps the
// stem of each word to the stems of its opposites.
func oppositeTable(list string) map[uint64][]uint64 {
	table := map[uint64][]uint64{}
	for pair := range strings.FieldsSeq(list) {
		left, right, _ := strings.Cut(pair, "/")
		for _, a := range text.AppendTokens(nil, left) {
			for _, b := range text.AppendTokens(nil, right) {
				table[a.Stem] = append(table[a.Stem], b.Stem)
				table[b.Stem] = append(table[b.Stem], a.Stem)
			}
		}
	}
	return table
}

// cues looks for opposites and for "all" where the evidence limits.
func (p *pass) cues() {
	if len(p.chosen) == 0 {
		return
	}
	best := p.x.Evidence.TermsOf(int(p.chosen[0]))
	n := 0
	for k := range p.terms {
		t := &p.terms[k]
		if cuesOf(t)&totals != 0 {
			p.v[wholes] = max(p.v[wholes], p.limited(k))
		}
		for _, key := range opposite[t.Key] {
			if hasKey(best, key) && !hasKey(p.terms, key) && !hasKey(best, t.Key) {
				n++
				break
			}
		}
	}
	p.set(opposites, n)
}

func hasKey(terms []evidence.Term, key uint64) bool {
	for i := range terms {
		if terms[i].Key == key {
			return true
		}
	}
	return false
}

// limited is 1 if the best units limit what follows the k-th term, 0.5 if they have it without a word for all of it.
func (p *pass) limited(k int) (worst float32) {
	n := 0
	for j := k + 1; j < min(k+6, len(p.terms)) && n < 2; j++ {
		w := p.at[j]
		if w < 0 || p.terms[j].Has(evidence.Numeric) {
			continue
		}
		n++
		for _, u := range p.chosen {
			if p.masks[u]>>w&1 != 0 {
				worst = max(worst, limitBeside(p.x.Evidence.TermsOf(int(u)), p.words[w].id))
			}
		}
	}
	return worst
}

func limitBeside(terms []evidence.Term, id int16) (found float32) {
	for k := range terms {
		if terms[k].ID != id {
			continue
		}
		c := cue(0)
		for j := max(0, k-5); j < min(len(terms), k+4); j++ {
			c |= cuesOf(&terms[j])
		}
		switch {
		case c&totals != 0:
			return 0
		case c&limits != 0:
			found = 1
		default:
			found = max(found, 0.5)
		}
	}
	return found
}

// negated is the set of words of the claim that follow a negation among the terms within reach.
func (p *pass) negated(terms []evidence.Term) (set uint64, denials int) {
	const reach = 3
	left := 0
	for k := range terms {
		t := &terms[k]
		c := cuesOf(t)
		switch {
		case c&denies != 0:
			left = reach
			denials++
			continue
		case t.Has(evidence.First|evidence.Halt) || c&contrast != 0:
			left = 0
		}
		if left > 0 && !t.Has(evidence.Stop) {
			left--
			set |= p.bit(t)
		}
	}
	return set, denials
}

func (p *pass) bit(t *evidence.Term) uint64 {
	if t.ID < 0 || p.wordOf[t.ID] < 0 {
		return 0
	}
	return 1 << p.wordOf[t.ID]
}

// scope is what a negation denies.
type scope struct {
	words, before uint64 // of the claim: behind the negation, and before it
	n, nBefore    int    // content words there
	opposite      bool   // the other side has the opposite of one of them
}

// scopes calls use with the scope of each negation.
func (p *pass) scopes(terms []evidence.Term, other func(key uint64) bool, use func(scope)) {
	for k := range terms {
		if cuesOf(&terms[k])&denies == 0 {
			continue
		}
		if !p.spend(len(terms)) {
			return
		}
		var s scope
		p.addBehind(&s, terms, k, other)
		p.addBefore(&s, terms, k)
		if s.n > 0 {
			use(s)
		}
	}
}

// addBehind adds the negation itself, if it says something, and the content words behind it.
func (p *pass) addBehind(s *scope, terms []evidence.Term, k int, other func(key uint64) bool) {
	const reach = 4
	for j := k; j < len(terms) && s.n < reach; j++ {
		t := &terms[j]
		if j > k && t.Has(evidence.First|evidence.Halt) {
			return
		}
		if t.Has(evidence.Stop) || j > k && t.Has(evidence.Numeric) {
			continue
		}
		s.words |= p.bit(t)
		s.n++
		for _, key := range opposite[t.Key] {
			s.opposite = s.opposite || other(key)
		}
	}
}

func (p *pass) addBefore(s *scope, terms []evidence.Term, k int) {
	const reach = 3
	for j := k - 1; j >= 0 && s.nBefore < reach && !terms[j+1].Has(evidence.First|evidence.Halt); j-- {
		if !terms[j].Has(evidence.Stop | evidence.Numeric) {
			s.before |= p.bit(&terms[j])
			s.nBefore++
		}
	}
}

// negations compares what the claim and the best units deny.
func (p *pass) negations() {
	if len(p.chosen) == 0 {
		return
	}
	known := uint64(0)
	for i := range p.words {
		if p.words[i].level > 0 {
			known |= 1 << i
		}
	}
	mine, n := p.negated(p.terms)
	best, all := 0, n
	theirs, there := uint64(0), uint64(0)
	for i, u := range p.chosen {
		set, denials := p.negated(p.x.Evidence.TermsOf(int(u)))
		if i == 0 {
			best = denials
		}
		all += denials
		theirs |= set
		there |= p.masks[u]
	}
	if all == 0 {
		return
	}
	p.set(negOnly, bits.OnesCount64(mine&known&there&^theirs))
	p.set(negLost, bits.OnesCount64(theirs&known&^mine))
	if n%2 != best%2 {
		p.v[negParity] = 1
	}
	p.negationScopes(known, there)
}

func (p *pass) negationScopes(known, there uint64) {
	inClaim := func(key uint64) bool { return hasKey(p.terms, key) }
	inUnits := func(key uint64) bool {
		for _, u := range p.chosen {
			if hasKey(p.x.Evidence.TermsOf(int(u)), key) {
				return true
			}
		}
		return false
	}
	var mine, theirs uint64
	p.scopes(p.terms, inUnits, func(s scope) { mine |= s.words | s.before })
	for _, u := range p.chosen {
		p.scopes(p.x.Evidence.TermsOf(int(u)), inClaim, func(s scope) {
			theirs |= s.words | s.before
			hit, before := bits.OnesCount64(s.words&known), bits.OnesCount64(s.before&known)
			if hit > 0 && s.words&known&mine == 0 && !s.opposite {
				p.v[negScopeLost] = max(p.v[negScopeLost], (float32(hit)+float32(before)/2)/(float32(s.n)+float32(s.nBefore)/2))
			}
		})
	}
	p.scopes(p.terms, inUnits, func(s scope) {
		hit := s.words & known & there
		if hit != 0 && hit&theirs == 0 && !s.opposite {
			p.v[negScope] = max(p.v[negScope], share(bits.OnesCount64(hit), s.n))
		}
	})
}
