package figures

import (
	"strings"

	"confab/internal/text"
)

// wordClass is the role of a word in a figure.
type wordClass uint8

const (
	noClass wordClass = iota
	small             // one to nineteen
	tens              // twenty to ninety
	hundred
	scale // thousand, million
	dozen
	half
	ordinal
	month
	weekday
	clockWord // noon, midnight
	rank      // first, second: ordinals only before quarter, half and century
	quarter   // Q1 to Q4
	halfYear  // H1, H2
	roman     // II to XXXIX
	monthOnly // a month of another language, after a day
)

type numberWord struct {
	value float64
	class wordClass
}

// wordTable finds the words that may start a figure. Its filter rejects nearly all other words with one lookup in a table
// that fits into the cache.
type wordTable struct {
	filter [1 << 10]uint64
	words  map[uint64]numberWord
}

const filterShift = 64 - 16

func (l *wordTable) add(list string, c wordClass, values ...float64) {
	for i, w := range strings.Fields(list) {
		h := text.Hash(w)
		l.filter[h>>filterShift>>6] |= 1 << (h >> filterShift & 63)
		l.words[h] = numberWord{value: values[i%len(values)], class: c}
	}
}

func (l *wordTable) find(h uint64) numberWord {
	if bit := h >> filterShift; l.filter[bit>>6]>>(bit&63)&1 == 0 {
		return numberWord{}
	}
	return l.words[h]
}

//nolint:gochecknoglobals // read-only tables
var (
	numberWords = buildNumberWords()
	units       = buildUnits()
	senses      = buildSenses()
	labels      = text.HashSet(`passage passages source sources document documents figure fig table step chapter section page item
paragraph excerpt article option`)
	countedWords = text.HashSet("words word sentences")
	monthIntros  = text.HashSet("in since until by of during last next this early late mid from through to between")
)

func upTo(from, to float64, step float64) (values []float64) {
	for v := from; v <= to; v += step {
		values = append(values, v)
	}
	return values
}

func buildNumberWords() *wordTable {
	l := &wordTable{words: map[uint64]numberWord{}}
	l.add(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen`, small, upTo(0, 19, 1)...)
	l.add("twenty thirty forty fifty sixty seventy eighty ninety", tens, upTo(20, 90, 10)...)
	l.add("hundred hundreds", hundred, 100)
	l.add("thousand million billion trillion bn mn lakh crore", scale, 1e3, 1e6, 1e9, 1e12, 1e9, 1e6, 1e5, 1e7)
	l.add("dozen", dozen, 12)
	l.add("half", half, 0.5)
	l.add(`third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
seventeenth eighteenth nineteenth twentieth`, ordinal, upTo(3, 20, 1)...)
	l.add("january february march april may june july august september october november december", month, upTo(1, 12, 1)...)
	l.add("jan feb mar apr jun jul aug sep sept oct nov dec", month, 1, 2, 3, 4, 6, 7, 8, 9, 9, 10, 11, 12)
	l.add("monday tuesday wednesday thursday friday saturday sunday", weekday, upTo(1, 7, 1)...)
	l.add("mondays tuesdays wednesdays thursdays fridays saturdays sundays", weekday, upTo(1, 7, 1)...)
	l.add("noon midday midnight", clockWord, 12*60, 12*60, 0)
	l.add("first second", rank, 1, 2)
	l.add("q1 q2 q3 q4", quarter, 1, 2, 3, 4)
	l.add("h1 h2", halfYear, 1, 2)
	l.add(`ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii`, roman,
		2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
	l.add("januar februar marz mai juni juli oktober dezember", monthOnly, 1, 2, 3, 5, 6, 7, 10, 12)
	l.add("janvier fevrier mars avril juin juillet aout septembre octobre novembre", monthOnly, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11)
	l.add("decem"+"bre", monthOnly, 12)
	l.add("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", monthOnly, upTo(1, 12, 1)...)
	return l
}

func buildSenses() map[uint64]Sense {
	table := map[uint64]Sense{}
	for sense, list := range map[Sense]string{
		About:   "about around approximately roughly nearly almost some circa approx estimated close",
		AtLeast: "over above exceeding least plus exceeds exceeded surpassing topped exceed minimum",
		AtMost:  "under below most maximum within max",
	} {
		for w := range strings.FieldsSeq(list) {
			table[text.Hash(w)] = sense
		}
	}
	return table
}
