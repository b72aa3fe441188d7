package grounding

import (
	"math/bits"
	"strings"

	"confab/internal/text"
)

// oppositePairs are words that reverse a statement: antonyms, and words of quantity, certainty, degree and order.
const oppositePairs = `increase:decrease rise:fall grow:shrink gain:loss more:less higher:lower high:low large:small big:little
long:short early:late earlier:later before:after first:last old:new young:elderly good:bad better:worse best:worst
positive:negative agree:disagree accept:reject approve:deny allow:forbid permit:prohibit support:oppose win:lose
victory:defeat buy:sell open:close start:end begin:finish enter:leave arrive:depart come:go push:pull give:take send:receive
lend:borrow teach:learn show:hide find:miss keep:discard save:spend add:remove include:exclude raise:lower
strengthen:weaken strong:weak easy:difficult simple:complex safe:dangerous healthy:sick alive:dead true:false right:wrong
correct:incorrect legal:illegal possible:impossible likely:unlikely able:unable happy:sad love:hate like:dislike
friend:enemy male:female man:woman boy:girl father:mother son:daughter brother:sister husband:wife king:queen
north:south east:west northern:southern eastern:western left:right top:bottom upper:under inside:outside indoor:outdoor
internal:external public:private local:foreign domestic:international national:regional rural:urban hot:cold warm:cool
wet:dry heavy:light fast:slow quick:slowly full:empty rich:poor cheap:expensive free:paid wide:narrow deep:shallow
thick:thin hard:soft loud:quiet bright:dark day:night morning:evening summer:winter success:failure succeed:fail
famous:unknown popular:unpopular common:rare usual:unusual frequent:infrequent often:rarely always:never all:none
every:no many:few most:least both:neither some:any several:one only:also up:down over:below above:beneath 
because:despite although:since until:when maximum:minimum majority:minority
major:minor main:secondary primary:auxiliary senior:junior major:trivial guilty:innocent plaintiff:defendant
employer:employee buyer:seller doctor:patient teacher:student parent:child attack:defend war:peace create:destroy
build:demolish cause:prevent improve:worsen expand:contract extend:shorten continue:stop remain:change stay:move
present:absent visible:invisible known:secret certain:doubtful clear:unclear optimistic:pessimistic satisfied:dissatisfied
pleased:upset interested:indifferent confident:unsure hopeful:hopeless useful:useless necessary:unnecessary
important:unimportant appropriate:inappropriate reliable:unreliable effective:ineffective efficient:inefficient
formal:informal direct:indirect active:passive permanent:temporary ancient:modern original:copied natural:artificial
physical:mental voluntary:mandatory optional:required single:multiple half:double win:draw may:must might:will
could:cannot can:shall should:would possibly:definitely probably:certainly perhaps:surely nearly:exactly about:precisely
almost:barely mostly:partly entirely:partially completely:slightly currently:formerly now:then recently:previously
temporarily:permanently immediately:eventually suddenly:gradually together:separately alone:jointly same:different
similar:dissimilar equal:unequal next:previous former:latter inner:outer front:back ahead:behind near:far
debt:credit profit:deficit income:expense asset:liability import:export supply:demand hire:fire promote:demote
encourage:discourage trust:distrust praise:criticize thank:blame reward:punish help:hinder protect:endanger
convict:acquit arrest:release admit:refuse confirm:refute prove:disprove remember:forget understand:misunderstand
appear:disappear connect:disconnect lock:unlock attach:detach load:unload qualified:unqualified`

// hedges mark a statement as uncertain.
const hedges = `may might could perhaps possibly probably likely seem appear suggest potentially generally typically often
usually sometimes maybe assume believe think feel guess hope`

const (
	polarityBits = 11
	filterBits   = 14
	noCue        = -1
)

// polarityTable maps the stem of a polarity cue to its number. Numbers 2k and 2k+1 are opposites; 0 is any negation.
type polarityTable struct {
	stems   [1 << polarityBits]uint64
	numbers [1 << polarityBits]int16      // noCue of a free slot
	filter  [1 << (filterBits - 6)]uint64 // first bits of the stems: nearly every word is no cue
	hedges  cueSet
}

var polarityCues = newPolarityTable() //nolint:gochecknoglobals // a read-only table

// maxPolarityCues bounds the numbers of polarity cues.
const maxPolarityCues = 640

func newPolarityTable() *polarityTable {
	t := &polarityTable{}
	for i := range t.numbers {
		t.numbers[i] = noCue
	}
	next := int16(2)
	for pair := range strings.FieldsSeq(oppositePairs) {
		one, other, _ := strings.Cut(pair, ":")
		t.add(one, next)
		t.add(other, next+1)
		next += 2
	}
	for word := range strings.FieldsSeq(hedges) {
		n := t.find(stemOf(word))
		if n == noCue {
			n = next
			t.add(word, n)
			next += 2
		}
		t.hedges.add(n)
	}
	return t
}

func stemOf(word string) uint64 { return text.AppendTokens(nil, word)[0].Stem }

// add assigns the number to the word unless it has one.
func (t *polarityTable) add(word string, number int16) {
	stem := stemOf(word)
	i := stem >> (64 - polarityBits)
	for ; t.stems[i] != 0; i = (i + 1) & (1<<polarityBits - 1) {
		if t.stems[i] == stem {
			return
		}
	}
	t.stems[i], t.numbers[i] = stem, number
	h := stem >> (64 - filterBits)
	t.filter[h>>6] |= 1 << (h & 63)
}

// find is the number of the word, noCue if it is not a cue.
func (t *polarityTable) find(stem uint64) int16 {
	if h := stem >> (64 - filterBits); t.filter[h>>6]>>(h&63)&1 == 0 {
		return noCue
	}
	return t.lookUp(stem)
}

func (t *polarityTable) lookUp(stem uint64) int16 {
	i := stem >> (64 - polarityBits)
	for t.stems[i] != stem && t.stems[i] != 0 {
		i = (i + 1) & (1<<polarityBits - 1)
	}
	return t.numbers[i]
}

// cueOf is the number of the token's word, noCue if it is not a cue.
func (t *polarityTable) cueOf(token *text.Token) int16 {
	if token.Has(text.Negation) {
		return 0
	}
	return t.find(token.Stem)
}

// cueSet is a set of polarity cues by number.
type cueSet [maxPolarityCues / 64]uint64

func (s *cueSet) add(n int16)      { s[n>>6] |= 1 << (n & 63) }
func (s *cueSet) has(n int16) bool { return s[n>>6]>>(n&63)&1 != 0 }

func (s *cueSet) count() (n int) {
	for _, bitset := range s {
		n += bits.OnesCount64(bitset)
	}
	return n
}

// suffixKey encodes the last three letters of a word, or the length of a number.
func suffixKey(answer string, t *text.Token) uint64 {
	if t.Kind != text.Word {
		return uint64(min(t.End-t.Start, 6))
	}
	v := uint64(1)
	suffix := answer[max(t.Start, t.End-3):t.End]
	for i := range len(suffix) {
		v = v<<8 | uint64(suffix[i]|0x20)
	}
	return v
}
