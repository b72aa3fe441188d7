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
	l.add("thousand million billion trillion", scale, 1e3, 1e6, 1e9, 1e12)
	l.add("dozen", dozen, 12)
	l.add("half", half, 0.5)
	l.add(`third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
seventeenth eighteenth nineteenth twentieth`, ordinal, upTo(3, 20, 1)...)
	l.add("january february march april may june july august september october november december", month, upTo(1, 12, 1)...)
	l.add("jan feb mar apr jun jul aug sep sept oct nov dec", month, 1, 2, 3, 4, 6, 7, 8, 9, 9, 10, 11, 12)
	l.add("monday tuesday wednesday thursday friday saturday sunday", weekday, upTo(1, 7, 1)...)
	l.add("mondays tuesdays wednesdays thursdays fridays saturdays sundays", weekday, upTo(1, 7, 1)...)
	l.add("noon midday midnight", clockWord, 12*60, 12*60, 0)
	return l
}

// buildUnits reads "dimension: factor=names" rows.
func buildUnits() map[uint64]Unit {
	table := map[uint64]Unit{}
	add := func(d Dimension, rows string) {
		for row := range strings.FieldsSeq(rows) {
			names, factor, _ := strings.Cut(row, "=")
			u := Unit{Dimension: d, Factor: parseFloat(factor)}
			for name := range strings.SplitSeq(names, "|") {
				table[text.Hash(name)] = u
			}
		}
	}
	add(Length, `km|kms|kilometer|kilometers|kilometre|kilometres=1000 meter|meters|metre|metres=1 cm|centimeter|centimeters|centimetre|centimetres=0.01
mm|millimeter|millimeters|millimetre|millimetres=0.001 mile|miles=1609.344 foot|feet|ft=0.3048 inch|inches=0.0254 yard|yards=0.9144`)
	add(Mass, `kg|kgs|kilo|kilos|kilogram|kilograms=1000 g|gram|grams=1 mg|milligram|milligrams=0.001 lb|lbs=453.59237
ounce|ounces|oz=28.349523125 ton|tons|tonne|tonnes=1000000`)
	add(Volume, `liter|liters|litre|litres=1 ml|milliliter|milliliters|millilitre|millilitres=0.001 gallon|gallons=3.785411784
cup|cups=0.2365882365 pint|pints=0.473176473 teaspoon|teaspoons|tsp=0.00492892159 tablespoon|tablespoons|tbsp=0.0147867648`)
	add(Duration, `second|seconds|sec|secs=1 minute|minutes|min|mins=60 hour|hours|hr|hrs=3600 day|days=86400 week|weeks=604800`)
	add(Calendar, `month|months=1 year|years|yr|yrs=12 decade|decades=120 century|centuries=1200`)
	add(Temperature, `degree|degrees=1 celsius=1 fahrenheit=1`)
	add(Speed, `mph=1.609344 kph|kmh=1`)
	add(Energy, `calorie|calories|kcal=1`)
	add(Power, `watt|watts|w=1 kw|kilowatt|kilowatts=1000 mw|megawatt|megawatts=1000000 gw|gigawatt|gigawatts=1000000000`)
	add(Data, `kb=1 mb|megabyte|megabytes=1000 gb|gigabyte|gigabytes=1000000 tb|terabyte|terabytes=1000000000`)
	add(Area, `acre|acres=1 hectare|hectares=2.471054`)
	add(Dollar, `dollar|dollars|usd|buck|bucks=1 cent|cents=0.01`)
	add(Euro, `euro|euros|eur=1`)
	add(Pound, `pound|pounds|gbp=1 pence=0.01`)
	add(Yen, `yen|jpy|yuan|rmb=1`)
	add(Rupee, `rupee|rupees|inr=1`)
	add(Rating, `star|stars=1`)
	return table
}

func buildSenses() map[uint64]Sense {
	table := map[uint64]Sense{}
	for sense, list := range map[Sense]string{
		About:   "about around approximately roughly nearly almost some circa approx estimated close",
		AtLeast: "over above exceeding least plus exceeds exceeded surpassing topped",
		AtMost:  "under below most maximum within",
	} {
		for w := range strings.FieldsSeq(list) {
			table[text.Hash(w)] = sense
		}
	}
	return table
}

// parseFloat parses digits with a point and ignores other characters.
func parseFloat(s string) float64 {
	v, place, fraction := 0.0, 1.0, false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.':
			fraction = true
		case c >= '0' && c <= '9':
			v = v*10 + float64(c-'0')
			if fraction {
				place *= 10
			}
		}
	}
	return v / place
}
