package figures

import (
	"strings"

	"confab/internal/text"
)

// Class is the role of a word in a figure.
type Class uint8

// The classes.
const (
	NoClass Class = iota
	Small         // one to nineteen
	Tens          // twenty to ninety
	Hundred
	Scale // thousand, million
	Dozen
	Half
	OrdinalWord
	Month
	Weekday
	ClockWord // noon, midnight
	Rank      // first, second: ordinals only before quarter, half and century
	Quarter
	HalfYear
	Roman        // II to XXXIX
	MonthOnly    // a month of another language, after a day
	One          // un, uno: after "et" or "y"
	WeekdayShort // Mon, Di: only in a range or before a time
	Thousand     // mil, mille, tausend: a number also without another before it
)

// Word is what one word says.
type Word struct {
	Value   float64
	Class   Class
	Foreign bool // it is not English
}

// Table finds the words that may start a figure. Its filter rejects nearly all other words with one lookup in a table that
// fits into the cache.
type Table struct {
	filter [1 << 10]uint64
	words  map[uint64]Word
}

// tableBuilder collects the words of a table.
type tableBuilder struct {
	Table
	words map[uint64]Word
}

// filterShift shifts a hash to its bit of the filter.
const filterShift = 64 - 16

// Find returns the word with the hash, the zero Word for none.
func (l *Table) Find(h uint64) Word {
	if bit := h >> filterShift; l.filter[bit>>6]>>(bit&63)&1 == 0 {
		return Word{}
	}
	return l.words[h]
}

// FirstStart is the first token from i on that a figure may start with, or the end: no word that is neither in the table nor
// begins with a digit.
func (l *Table) FirstStart(tokens []text.Token, i int) int {
	for ; uint(i) < uint(len(tokens)); i++ {
		t := &tokens[i]
		bit := t.Hash >> filterShift
		if t.Kind != text.Word || l.filter[bit>>6]>>(bit&63)&1 != 0 || t.Has(text.Digits) {
			return i
		}
	}
	return i
}

func (l *tableBuilder) add(list string, w Word, values ...float64) {
	for i, name := range strings.Fields(list) {
		h := text.Hash(name)
		if _, taken := l.words[h]; taken && w.Foreign {
			continue
		}
		w.Value = values[i%len(values)]
		l.filter[h>>filterShift>>6] |= 1 << (h >> filterShift & 63)
		l.words[h] = w
	}
}

// New builds the table.
func New() *Table {
	l := &tableBuilder{words: map[uint64]Word{}}
	english := func(list string, c Class, values ...float64) { l.add(list, Word{Class: c}, values...) }
	english(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
eighteen nineteen`, Small, upTo(0, 19, 1)...)
	english("twenty thirty forty fifty sixty seventy eighty ninety", Tens, upTo(20, 90, 10)...)
	english("hundred hundreds", Hundred, 100)
	english("thousand million billion trillion bn mn lakh crore", Scale, 1e3, 1e6, 1e9, 1e12, 1e9, 1e6, 1e5, 1e7)
	english("dozen", Dozen, 12)
	english("half quarter", Half, 0.5, 0.25)
	english(`third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
seventeenth eighteenth nineteenth twentieth`, OrdinalWord, upTo(3, 20, 1)...)
	english("january february march april may june july august september october november december", Month, upTo(1, 12, 1)...)
	english("jan feb mar apr jun jul aug sep sept oct nov dec", Month, 1, 2, 3, 4, 6, 7, 8, 9, 9, 10, 11, 12)
	english("monday tuesday wednesday thursday friday saturday sunday", Weekday, upTo(1, 7, 1)...)
	english("mondays tuesdays wednesdays thursdays fridays saturdays sundays", Weekday, upTo(1, 7, 1)...)
	english("mon tue tues wed thu thur thurs fri sat sun", WeekdayShort, 1, 2, 2, 3, 4, 4, 4, 5, 6, 7)
	english("noon midday midnight", ClockWord, 12*60, 12*60, 0)
	english("first second", Rank, 1, 2)
	english("q1 q2 q3 q4", Quarter, 1, 2, 3, 4)
	english("h1 h2", HalfYear, 1, 2)
	english(`ii iii iv vi vii viii ix xi xii xiii xiv xv xvi xvii xviii xix xx xxi xxii xxiii`, Roman,
		2, 3, 4, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23)
	l.addForeign()
	l.Table.words = l.words
	return &l.Table
}

func upTo(from, to float64, step float64) (values []float64) {
	for v := from; v <= to; v += step {
		values = append(values, v)
	}
	return values
}
