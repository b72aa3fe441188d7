package text

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// MatchMode selects how tokens are compared. The zero value is for English and for text without a known language.
type MatchMode bool

// Foreign is for other languages in Latin script and for Cyrillic: function words of the large languages are ignored,
// inflections are cut off without detecting the language, and numbers may have points between thousands.
const Foreign MatchMode = true

// foreignStops are further function words of German, Spanish, French, Italian, Portuguese, Dutch and Russian. Unlike
// foreignWords they may be English words, and are not used to detect a language.
const foreignStops = `dieser diese dieses diesem diesen jeder jede jedes jedem jeden alle allem aller alles kein keine keinen
keiner keinem einer eines einem ich du er wir ihr ihre ihren ihrem ihrer sein seine seinen seinem seiner mich dich ihn ihm
uns euch kann konnen muss mussen soll sollen sollte sollten darf durfen hat haben hatte hatten war waren worden gewesen bin
wenn weil ob aber doch nur noch schon so sehr mehr als bis um am vom zum zur ins durch gegen ohne unter uber vor zwischen
wahrend sowie sondern denn dabei davon dazu daher deshalb damit dort hier man welche welcher etwa rund
nun bitte gerne gern leider bereits zudem außerdem
al lo ella ellos ellas ello usted ustedes yo tu nos os mi mis sus este estos esta estas ese esos esa esas aquel unos unas
han he ser estar estan son sido puede pueden debe deben si no ni mas tan tanto cada otro otra otros otras cual cuales quien
porque aunque segun hacia ante bajo tras durante mediante ya alli aqui asi
au ses son sa leur leurs notre votre vos nos mon ton ma ta mes tes cet celle celui ceux celles on je tu me te lui eux y en
a ont ai as avait etaient sera seront soit peut peuvent doit doivent si ou mais donc car comme afin sous sans chez vers
entre lors tres aussi meme memes tout toute tous toutes autre autres aucun aucune dont ainsi selon
d'un d'une qu'il qu'elle qu'ils qu'un qu'une qu'on l'on n'est c'est s'il j'ai n'a n'ont s'est d'en l'un l'une jusqu'a lorsqu'il veuillez
lo gli i e ed dal dalla dai nei nella nelle sul sulla col questo questa questi queste quello suo sua suoi anche ma o se
come quando dove era essere sia um os as pelo pela seu sua seus suas esse essa isso ele ela tem ter ser muito
de het dit deze die zich hij ze wij u hun haar heb hebben had worden wordt kan kunnen moet door over onder tot om
и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из
ему теперь когда даже ну ли если уже или ни быть был него до вас нибудь опять уж вам ведь там потом себя ничего ей может
они тут где есть надо ней для мы тебя их чем была сам чтоб без будто чего раз тоже себе под будет при об это эти этот эта
были которые который которая которое также между после более`

// IsContent reports whether the token is compared: in this mode it is not a stop word.
func (r MatchMode) IsContent(t *Token) bool {
	return !t.Stop() && (r != Foreign || !t.Has(foreignWord|foreignStop))
}

// Key is the hash by which the token s[t.Start:t.End] is compared.
func (r MatchMode) Key(t *Token, s string) uint64 {
	switch {
	case r != Foreign || t.Kind == Gram:
		return t.Stem
	case t.Kind == Number:
		return figureKey(t, t.In(s))
	default:
		return lightKey(t, t.In(s))
	}
}

// figureKey treats a separator before exactly three digits as a thousands separator and any other as the decimal point:
// 84.000 equals 84,000, and 4,90 equals 4.9.
func figureKey(t *Token, s string) uint64 {
	if len(s) > maxStemmed || !strings.ContainsAny(s, ".,") {
		return t.Stem
	}
	var buf [maxStemmed]byte
	digits, point := buf[:0], -1
	for i := range len(s) {
		if s[i] != '.' && s[i] != ',' {
			digits = append(digits, s[i])
			continue
		}
		group := strings.IndexAny(s[i+1:], ".,")
		if group < 0 {
			group = len(s) - i - 1
		}
		if group != 3 && point < 0 {
			point = len(digits)
			digits = append(digits, '.')
		}
	}
	return hashBytes(trimFraction(digits, point))
}

// lightKey is the hash of the word without accents, elided article (l'eau) and inflection.
func lightKey(t *Token, s string) uint64 {
	var buf [maxFolded]byte
	w, read := foldWide(buf[:0], s)
	if read < len(s) {
		return t.Stem
	}
	if i := bytes.IndexByte(w, '\''); i > 0 && i <= maxElided && len(w)-i > 3 {
		w = w[i+1:]
	}
	return hashBytes(cutInflection(w))
}

const (
	maxElided = len("jusqu")
	minLight  = 4 // letters that are always kept
)

// endingTable groups endings by their last byte.
type endingTable [256][]string

// Inflections of the languages compared as Foreign.
//
//nolint:gochecknoglobals // read-only tables
var (
	pluralMarks  = parseEndings(`s x`)
	finalVowels  = parseEndings(`a e i o u а е и о у ы ь ю я`)
	lightEndings = parseEndings(`iendo ando ieron aron aient ement mente ado ada ido ida ee ant ent ait
ern en er em es e n ung ungen os as o a an ar ir st t i
иями иях ями ами ией иям ием ого его ому ему ыми ими ых их ая яя ое ее ые ие ый ий ой ей ом ем ам ям ах ях ов ев ую юю ть
а е и о у ы ь ю я й`)
)

func parseEndings(list string) *endingTable {
	by := &endingTable{}
	for end := range strings.FieldsSeq(list) {
		last := end[len(end)-1]
		by[last] = append(by[last], end)
	}
	return by
}

// cutInflection cuts off a plural s or x, the longest ending, a final vowel and again an s or x.
func cutInflection(w []byte) []byte {
	w = cutSuffix(w, pluralMarks)
	w = cutSuffix(w, lightEndings)
	w = cutSuffix(w, finalVowels)
	return cutSuffix(w, pluralMarks)
}

// cutSuffix cuts off the longest ending that leaves at least minLight letters.
func cutSuffix(w []byte, list *endingTable) []byte {
	longest, least := 0, minLight
	if len(w) == 0 {
		return w
	}
	if w[0] >= utf8.RuneSelf {
		least *= 2 // Cyrillic
	}
	for _, end := range list[w[len(w)-1]] {
		if len(end) > longest && len(w)-len(end) >= least && bytes.HasSuffix(w, []byte(end)) {
			longest = len(end)
		}
	}
	return w[:len(w)-longest]
}
