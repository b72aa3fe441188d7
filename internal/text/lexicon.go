package text

import (
	"strings"
)

// Flags are roles of a word.
type Flags uint32

// The flags of a token.
const (
	Stop     Flags = 1 << iota // too common to compare
	Negation                   // negates a statement
	Marker                     // inside a citation marker
	Digits                     // a word that begins with a digit: 10am

	Contrast     // but, although
	SourceNoun   // a word for a source: passage, context
	DocumentNoun // a document that may be a source: report, leaflet
	titleAbbr    // an abbreviation that a name follows: Dr.
	figureAbbr   // one that a figure follows: No., Fig.
	looseAbbr    // one that may end a sentence: Inc., etc.
	foreignWord  // common in another language in Latin script, not an English word
	foreignStop  // a function word in the mode Foreign
	germanWord   // a function word of German, also if it is a word of other languages
	spanishWord
	frenchWord

	ForeignNegation                 // negates a statement, in another language
	Lack                            // without, in another language
	foreignSign     Flags = 1 << 31 // foreignWord or foreignStop, but not Stop
)

const anyListed = germanWord | spanishWord | frenchWord

// Word lists. A word may be in several.
const (
	stopWords = `a about above after again against all along also am among an and any are as at be became because been
before being below between both but by can could did do does doing done down during each either else etc even ever every
few for from further get had has have having he her here hers herself him himself his how however i if in into is it its
itself just many may me might more most much must my myself nor of off on once one only or other ought our ours ourselves
out over own per quite rather same she should since so some such than that the their theirs them themselves then there
therefore these they this those though through thus to too toward towards under until up upon very via was we were what
when where whether which while who whom whose why will with within would yet you your yours yourself yourselves eg ie
i'm i've i'll it's he's she's that's there's they're they've we're we've you're you've you'll let's what's here's`

	negations = `no not never none nor neither nobody nothing nowhere without cannot can't cant don't dont doesn't didn't
isn't aren't wasn't weren't won't wouldn't shouldn't couldn't mustn't hasn't haven't hadn't ain't unable lacks`

	sourceNouns = `passage passages source sources context document documents text texts excerpt excerpts snippet snippets
article articles information material materials paragraph paragraphs reference references data`

	documentNouns = `report reports leaflet manual handbook policy policies guide guidelines instructions notes minutes faq faqs page pages
website contract lease agreement letter email transcript table section sections rules bylaws brochure catalog catalogue listing
file files terms regulations call review reviews chapter prospectus ticket documentation database base datasheet specification specifications`

	contrasts = `but however although though while yet aber jedoch doch allerdings obwohl pero aunque mais cependant toutefois`

	titleAbbrs = `dr mr mrs ms prof st gen sen rep gov lt col sgt capt cmdr maj hon rev fr sr messrs mme mlle vs mt sra srta dra
hr med bzw ggf evtl inkl exkl zzgl sog insb ud uds`
	figureAbbrs = `no nos fig figs vol vols pp pg eq eqs ch sec sect art ref refs ver approx ca jan feb mar apr jun jul aug
sep sept oct nov dec nr abb kap`
	looseAbbrs = `st mt ft inc ltd co corp llc plc jr esq al dept est ave blvd rd univ assn bros`

	// foreignWords distinguish Spanish, French, German, Dutch, Italian, Portuguese, Polish and the Scandinavian languages
	// from English.
	foreignWords = `el los las del por una su se lo como pero sus le esta entre cuando muy sin sobre tambien hasta hay donde
desde todo fue era es que de la y les des du et est dans pour qui une pas sur au avec ce sont plus par ne aux cette ces
il ils elle nous vous etait der das und nicht ist ein eine einen den dem mit von fur auf sich auch als wird im zu aus bei
nach wie sind oder werden dass wurde het een van te zijn voor niet dat aan ook maar bij naar zij heeft di che della non
del gli ha nel alla sono piu delle dei uma com nao os mais ao dos foi ou och att det som pa ar av inte til ikke jeg har
nie sie na z w jest oraz`

	foreignNegations = `no nicht kein keine keinen keinem keiner keines nie niemals weder nichts nunca jamas ningun ninguna ninguno
tampoco ni pas jamais aucun aucune`
	foreignLacks = `ohne sin sans`

	germanWords = `der die das und nicht ist ein eine einen einem einer eines den dem des mit von fur auf sich auch als wird im in zu
aus bei nach wie sind oder werden dass wurde dieser diese dieses diesem diesen jeder jede jedes jedem jeden alle kein keine keinen
wenn weil ob aber nur noch schon so sehr mehr bis um am an vom zum zur ins durch ohne unter uber vor wahrend sowie man es er sie
wir ihr ihre ihren ihrer sein seine seiner kann konnen muss mussen soll sollen darf durfen hat haben hatte war waren was hier`

	spanishWords = `el la los las un una unos unas de del al y e o que en se no ni su sus por para con sin sobre entre como mas pero
es son fue era ser esta este estos estas ese esa lo le les si ya muy hay tambien cuando donde desde hasta cada otro otra cual
quien porque aunque segun puede pueden debe deben hacia usted durante a`

	frenchWords = `le la les un une des du de et est dans pour que qui pas sur au aux avec ce cet cette ces sont plus par ne il ils
elle elles nous vous se son sa ses leur leurs en y ou mais donc si on a ont etait peut peuvent doit doivent sans sous entre chez
vers tout toute tous toutes comme aussi votre vos notre dont selon d'un d'une qu'il qu'elle qu'un qu'une n'est c'est s'il jusqu'a`

	// irregulars pair irregular forms with their base form.
	irregulars = `went:go gone:go goes:go made:make took:take taken:take gave:give given:give found:find held:hold told:tell
led:lead built:build began:begin begun:begin won:win paid:pay sent:send lost:lose left:leave met:meet kept:keep wrote:write
written:write grew:grow grown:grow knew:know known:know rose:rise risen:rise fell:fall fallen:fall spoke:speak spoken:speak
broke:break broken:break chose:choose chosen:choose drove:drive driven:drive flew:fly flown:fly bore:bear born:bear
bought:buy brought:bring caught:catch taught:teach thought:think sought:seek fought:fight sold:sell said:say ran:run
came:come saw:see seen:see sang:sing sung:sing swam:swim drank:drink wore:wear worn:wear shot:shoot struck:strike
stole:steal stolen:steal threw:throw thrown:throw drew:draw drawn:draw showed:show shown:show felt:feel dealt:deal
meant:mean spent:spend lent:lend bent:bend slept:sleep heard:hear stood:stand understood:understand ate:eat eaten:eat
children:child men:man women:woman people:person feet:foot teeth:tooth mice:mouse lives:life wives:wife knives:knife
leaves:leaf halves:half shelves:shelf wolves:wolf loaves:loaf thieves:thief better:good best:good worse:bad worst:bad
dying:die died:die lying:lie lied:lie tying:tie used:use using:use uses:use owed:owe aged:age`
)

// lexiconEntry is what is known of a word.
type lexiconEntry struct {
	stem  uint64
	flags Flags
}

// wordTable has the known words by their hashes.
type wordTable map[uint64]*lexiconEntry

var lexicon = buildLexicon() //nolint:gochecknoglobals // a read-only table

func buildLexicon() wordTable {
	t := wordTable{}
	for _, list := range []struct {
		words string
		flags Flags
	}{
		{stopWords, Stop},
		{negations, Stop | Negation},
		{sourceNouns, SourceNoun},
		{documentNouns, DocumentNoun},
		{contrasts, Contrast},
		{titleAbbrs, titleAbbr},
		{figureAbbrs, figureAbbr},
		{looseAbbrs, looseAbbr},
		{foreignWords, foreignWord},
		{foreignStops, foreignStop},
		{germanWords, germanWord},
		{spanishWords, spanishWord},
		{frenchWords, frenchWord},
		{foreignNegations, ForeignNegation | foreignStop},
		{foreignLacks, Lack | foreignStop},
	} {
		for word := range strings.FieldsSeq(list.words) {
			t.add(word, list.flags)
		}
	}
	for _, e := range t {
		if e.flags&Stop == 0 && e.flags&(foreignWord|foreignStop) != 0 {
			e.flags |= foreignSign
		}
	}
	for pair := range strings.FieldsSeq(irregulars) {
		form, base, _ := strings.Cut(pair, ":")
		t.add(form, 0)
		t[Hash(form)].stem = hashBytes(cutEnglish([]byte(base)))
	}
	return t
}

func (t wordTable) add(word string, flags Flags) {
	h := Hash(word)
	if t[h] == nil {
		t[h] = &lexiconEntry{stem: hashBytes(cutEnglish([]byte(word)))}
	}
	e := t[h]
	e.flags |= flags
	if e.flags&Stop != 0 {
		e.stem = h
	}
}
