package contradiction

import (
	"strings"

	"confab/internal/text"
)

// opposites are words of one scale with opposite directions, and words for the two sides of one relation ("sold", "bought").
const opposites = `increase:decrease rise:fall grow:shrink gain:lose higher:lower high:low highest:lowest large:small larger:smaller largest:smallest
big:little bigger:smaller biggest:smallest long:short longer:shorter longest:shortest early:late earlier:later earliest:latest before:after first:last
old:new older:newer oldest:newest older:younger oldest:youngest good:bad positive:negative agree:disagree accept:refuse accept:reject approve:reject
support:oppose win:lose victory:defeat open:close start:end begin:end begin:finish enter:leave arrive:depart push:pull show:hide include:exclude raise:lower
strengthen:weaken strong:weak stronger:weaker strongest:weakest easy:difficult easier:harder simple:complex safe:dangerous safer:riskier healthy:sick
alive:dead true:false right:wrong correct:incorrect legal:illegal possible:impossible likely:unlikely able:unable happy:sad love:hate male:female
north:south east:west northern:southern eastern:western inside:outside indoor:outdoor internal:external public:private domestic:foreign hot:cold
hotter:colder warm:cool warmer:cooler wet:dry wetter:drier heavy:light heavier:lighter heaviest:lightest fast:slow faster:slower fastest:slowest quick:slow
full:empty rich:poor richer:poorer expensive:cheap costly:cheap dearer:cheaper priciest:cheapest wide:narrow wider:narrower widest:narrowest deep:shallow
deeper:shallower deepest:shallowest thick:thin thicker:thinner loud:quiet louder:quieter bright:dark brighter:darker succeed:fail success:failure
famous:unknown common:rare often:rarely frequent:rare above:below maximum:minimum majority:minority major:minor senior:junior guilty:innocent create:destroy
improve:worsen better:worse best:worst extend:shorten allow:forbid allow:forbidden allow:forbade allow:prohibit permit:prohibit permit:forbid present:absent
well:poorly useful:useless careful:careless painful:painless required:optional mandatory:optional compulsory:optional mandatory:voluntary
obligatory:optional temporary:permanent partial:complete partially:completely formerly:currently profit:loss hire:fire promote:demote encourage:discourage
praise:criticize convict:acquit arrest:release admit:deny confirm:deny prove:disprove remember:forget appear:disappear connect:disconnect lock:unlock
join:leave ally:enemy advantage:disadvantage asset:liability income:expense active:inactive legally:illegally upper:lower front:back near:far nearer:farther
closer:farther closest:farthest nearest:farthest tall:short taller:shorter tallest:shortest ascend:descend accelerate:slow expand:contract upward:downward
forward:backward more:less more:fewer up:down if:unless benign:malignant reveal:conceal demand:supply debit:credit acute:chronic enable:disable
upgrade:downgrade overestimate:underestimate outperform:underperform exceed:undercut attack:defend optimistic:pessimistic fresh:stale sharp:dull
credit:debit entrance:exit sunrise:sunset sufficient:insufficient adequate:inadequate accurate:inaccurate complete:incomplete consistent:inconsistent
effective:ineffective efficient:inefficient formal:informal direct:indirect visible:invisible dependent:independent capable:incapable curable:incurable
eligible:ineligible valid:invalid adult:minor secure:insecure sensitive:insensitive expensive:inexpensive appropriate:inappropriate perfect:imperfect
mature:immature practical:impractical proper:improper mobile:immobile moral:immoral regular:irregular relevant:irrelevant responsible:irresponsible
reversible:irreversible literate:illiterate logical:illogical honest:dishonest obey:disobey satisfied:dissatisfied similar:dissimilar trust:distrust
comfort:discomfort qualify:disqualify continue:discontinue dissolve:form abnormal:normal atypical:typical`

// converses name the two sides of one relation: the sentences are equal if the parties are exchanged too.
const converses = `sell:buy give:receive lend:borrow teach:learn send:receive succeed:precede follow:precede import:export employer:employee teacher:student
parent:child`

// Function words by class, as bits of word.before.
const (
	hasNegation = 1 << iota
	hasBe
	hasBy
	hasOf
	hasFrom
	hasTo
	hasThan
	isObliged
	isAllowed
	hasAll
	hasSome
	hasMost
	hasLeast
	hasMany
	hasFew
	hasOnly
	hasAtLeast
	hasAtMost
	hasComma
	hasBreak
	hasDoubt
	hasJoint
	hasWeak
	hasOther // any other stop word
)

// functionWords lists the words of each class. A word that is also content keeps its root.
//
//nolint:gochecknoglobals // a read-only table
var functionWords = [...]struct {
	class uint32
	words string
}{
	{hasBe, "is are was were be been being isn't aren't wasn't weren't gets got get"},
	{hasBy, "by"},
	{hasOf, "of"},
	{hasFrom, "from"},
	{hasTo, "to"},
	{hasThan, "than"},
	{isObliged, "must shall mustn't"},
	{isAllowed, "may can could might cannot can't couldn't"},
	{hasAll, "all every each everyone everybody everything both always"},
	{hasSome, "some several certain sometimes"},
	{hasMost, "most mostly"},
	{hasLeast, "least"},
	{hasMany, "many numerous"},
	{hasFew, "few"},
	{hasOnly, "only solely exclusively"},
	{hasBreak, "but while whereas although though which who whom whose because since so"},
	{hasDoubt, `whether except instead rather despite unlike otherwise if unless suggest suppose claim allege would wonder say think
believe argue critic proponent option alternative another other example scenario imagine hypothetical myth rumor report or
formerly previously originally initially used while whereas today now`},
	{hasJoint, "and or nor plus"},
	{hasNegation, "hardly barely scarcely n't"},
	{hasWeak, "until few little yet except instead rather otherwise less"},
}

// weakNegators deny what follows or what the sentence is about. They count as negations if the other text lacks the word.
const weakNegators = `rule refuse decline fail lack avoid prevent prohibit forbid ban deny exclude reject oppose unable impossible absence absent cease stop
halt unlikely neglect omit missing void free abandon cancel miss rarely seldom doubt dispute false contrary fewer little yet until prohibition unwilling
reluctant insufficient inability incapable except instead rather without illegal unlawful optional exempt waive block deter ineligible zero nil untrue
incorrect wrong unlike myth hinder invalid limited unavailable unknown unclear uncertain unaware insane failure refusal refuse forbidden forbade denial
defunct abolish suspend withhold evade resist escape spare decry withdraw`

// lightWords carry no content of their own between a subject and what is said of it.
const lightWords = `need according says said reported found called known used using however therefore usually typically generally currently additionally
overall together respectively given given provided mentioned stated passage source context mean make made take well`

// symmetricVerbs mean the same with exchanged roles.
const symmetricVerbs = `meet met marry married merge equal resemble differ tie share connect link relate compare combine join associate correlate border
agree match interact collaborate play separate cooperate coincide mix negotiate discuss add include locate follow`

// relationVerbs are verbs between two parties whose present tense does not show that they are verbs.
const relationVerbs = `own pay inform lead manage teach supervise hire employ sell buy lend borrow give receive beat defeat acquire precede succeed replace
report advise support attack criticize control contain cause kill eat hunt outperform exceed produce supply serve represent sue accuse win lose visit call
help love hate follow parent create build found run fund finance host invite thank ask send teach train treat represent elect appoint sponsor coach mentor
instruct guide direct oversee command audit insure endorse nominate protect threaten chase outrank outsell outnumber surpass overtake trail owe trust blame
praise rescue feed`

type wordEntry struct {
	stem  uint64
	root  uint64
	class uint32
	sign  int8
	light bool
	weak  bool
	kind  uint8 // bits numberWord, symmetricVerb, relationVerb
}

const (
	numberWord = 1 << iota
	symmetricVerb
	relationVerb
	timeWord
	converseWord
	uniqueWord
	denialVerb
)

// uniqueWords say something that has one figure: the year of a birth, the height of a tower.
const uniqueWords = `born founded establish open build complete die invent publish weigh measure tall long wide high deep old cost elevation height length
weight population capacity launch incorporate`

const (
	tableBits  = 12
	filterBits = 15
)

type wordTable struct {
	slots   [1 << tableBits]uint16        // index into entries plus one
	filter  [1 << (filterBits - 6)]uint64 // first bits of the stems: most words are not in the table
	entries []wordEntry
	scales  uint64
}

var knownWords = newWordTable() //nolint:gochecknoglobals // a read-only table

func newWordTable() *wordTable {
	t := &wordTable{}
	for _, compared := range []bool{false, true} { // base forms first
		for pair := range strings.FieldsSeq(opposites) {
			one, other, _ := strings.Cut(pair, ":")
			if isCompared(one) == compared {
				t.addPair(one, other)
			}
		}
	}
	for pair := range strings.FieldsSeq(converses) {
		one, other, _ := strings.Cut(pair, ":")
		t.addPair(one, other)
		t.entries[t.entry(one)].kind |= converseWord
		t.entries[t.entry(other)].kind |= converseWord
	}
	for _, f := range functionWords {
		for w := range strings.FieldsSeq(f.words) {
			t.entries[t.entry(w)].class |= f.class
		}
	}
	for w := range strings.FieldsSeq(weakNegators) {
		t.entries[t.entry(w)].weak = true
	}
	for w := range strings.FieldsSeq(lightWords) {
		t.entries[t.entry(w)].light = true
	}
	for _, k := range []struct {
		kind  uint8
		words string
	}{
		{numberWord, `one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty
thirty forty fifty sixty seventy eighty ninety hundred thousand million billion half`},
		{symmetricVerb, symmetricVerbs},
		{relationVerb, relationVerbs},
		{timeWord, `monday tuesday wednesday thursday friday saturday sunday january february march april june july august september october november december`},
		{uniqueWord, uniqueWords},
		{denialVerb, "fail refuse decline neglect"}, // a verb after "to"
	} {
		for w := range strings.FieldsSeq(k.words) {
			t.entries[t.entry(w)].kind |= k.kind
		}
	}
	return t
}

func isCompared(word string) bool {
	return strings.HasSuffix(word, "er") || strings.HasSuffix(word, "est")
}

// addPair adds opposites. A word that is known, or whose base form is, keeps its scale.
func (t *wordTable) addPair(one, other string) {
	a, b := t.scaled(one), t.scaled(other)
	first, second := &t.entries[a], &t.entries[b]
	switch {
	case first.root == 0 && second.root == 0:
		t.scales++
		first.root, first.sign = t.scales, 1
		second.root, second.sign = t.scales, -1
	case second.root == 0:
		second.root, second.sign = first.root, -first.sign
	case first.root == 0:
		first.root, first.sign = second.root, -second.sign
	}
}

// scaled returns the index of the word's entry, with the scale of its base form ("higher": "high").
func (t *wordTable) scaled(word string) int {
	i := t.entry(word)
	base := strings.TrimSuffix(strings.TrimSuffix(word, "est"), "er")
	if t.entries[i].root != 0 || base == word || base == "" || base == "clos" { // "closer" is near, not shut
		return i
	}
	if e := t.find(text.AppendTokens(nil, base)[0].Stem); e != nil && e.root != 0 {
		t.entries[i].root, t.entries[i].sign = e.root, e.sign
	}
	return i
}

// entry returns the index of the word's entry, which it adds if necessary.
func (t *wordTable) entry(word string) int {
	stem := text.AppendTokens(nil, word)[0].Stem
	slot := stem >> (64 - tableBits)
	for ; t.slots[slot] != 0; slot = (slot + 1) & (1<<tableBits - 1) {
		if i := int(t.slots[slot]) - 1; t.entries[i].stem == stem {
			return i
		}
	}
	t.entries = append(t.entries, wordEntry{stem: stem})
	t.slots[slot] = uint16(len(t.entries))
	h := stem >> (64 - filterBits)
	t.filter[h>>6] |= 1 << (h & 63)
	return len(t.entries) - 1
}

// find returns the entry of the stem, nil for an unknown word.
func (t *wordTable) find(stem uint64) *wordEntry {
	if h := stem >> (64 - filterBits); t.filter[h>>6]>>(h&63)&1 == 0 {
		return nil
	}
	return t.lookUp(stem)
}

func (t *wordTable) lookUp(stem uint64) *wordEntry {
	for slot := stem >> (64 - tableBits); ; slot = (slot + 1) & (1<<tableBits - 1) {
		i := t.slots[slot]
		if i == 0 {
			return nil
		}
		if e := &t.entries[i-1]; e.stem == stem {
			return e
		}
	}
}

//nolint:gochecknoglobals // read-only
var (
	// orderRoot is the scale of "before" and "after".
	orderRoot = knownWords.find(text.Hash("before")).root

	// pastForms are verbs in the past without "ed".
	pastForms = text.HashSet(`gave took sold bought lent won lost beat beaten led paid taught sent made wrote written built
found held met kept grew rose fell broke chose drove brought caught thought fought said ran came saw sang shot struck stole
threw drew wore bore spoke given taken chosen driven shown known seen overtook overthrew bit bitten hit hurt cut`)
)
