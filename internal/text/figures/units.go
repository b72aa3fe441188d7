package figures

import (
	"strings"

	"confab/internal/text"
)

// buildUnits reads "dimension: factor=names" rows.
//
//nolint:misspell // not only English
func buildUnits() map[uint64]Unit {
	table := map[uint64]Unit{}
	add := func(d Dimension, rows string) {
		for row := range strings.FieldsSeq(rows) {
			names, factor, _ := strings.Cut(row, "=")
			u := Unit{Dimension: d, Factor: ParseDigits(factor)}
			for name := range strings.SplitSeq(names, "|") {
				table[text.Hash(name)] = u
			}
		}
	}
	add(Length, `km|kms|kilometer|kilometers|kilometre|kilometres=1000 m|meter|meters|metre|metres=1 cm|centimeter|centimeters|centimetre|centimetres=0.01
mm|millimeter|millimeters|millimetre|millimetres=0.001 mile|miles|mi=1609.344 foot|feet|ft=0.3048 inch|inches=0.0254 yard|yards|yd|yds=0.9144`)
	add(Mass, `kg|kgs|kilo|kilos|kilogram|kilograms=1000 g|gram|grams|grammes=1 mg|milligram|milligrams=0.001 lb|lbs=453.59237
ounce|ounces|oz=28.349523125 ton|tons|tonne|tonnes=1000000`)
	add(Volume, `l|liter|liters|litre|litres=1 ml|milliliter|milliliters|millilitre|millilitres=0.001 cl=0.01 dl=0.1
gallon|gallons|gal|gals=3.785411784 quart|quarts=0.946352946 cup|cups=0.2365882365 pint|pints=0.473176473
teaspoon|teaspoons|tsp=0.00492892159 tablespoon|tablespoons|tbsp=0.0147867648`)
	add(Duration, `ms|millisecond|milliseconds=0.001 second|seconds|sec|secs|s=1 minute|minutes|min|mins=60 hour|hours|hr|hrs|h=3600
day|days=86400 week|weeks|wk|wks=604800 fortnight=1209600`)
	add(Calendar, `month|months|mo|mos=1 year|years|yr|yrs=12 decade|decades=120 century|centuries=1200`)
	add(Temperature, `degree|degrees=1`)
	add(Celsius, `celsius|centigrade=1`)
	add(Fahrenheit, `fahrenheit=1`)
	add(Speed, `mph=1.609344 kph|kmh=1 knots|knot=1.852`)
	add(Energy, `calorie|calories|kcal=1`)
	add(Electricity, `wh|watt-hours=1 kwh|kilowatt-hour|kilowatt-hours=1000 mwh=1000000 gwh=1000000000`)
	add(Power, `watt|watts|w=1 kw|kilowatt|kilowatts=1000 mw|megawatt|megawatts=1000000 gw|gigawatt|gigawatts=1000000000 hp|horsepower=745.7`)
	add(Data, `kb|kilobytes=1 mb|megabyte|megabytes|mib=1000 gb|gigabyte|gigabytes|gib=1000000 tb|terabyte|terabytes|tib=1000000000 pb|petabytes=1000000000000`)
	add(Frequency, `hz|hertz=1 khz=1000 mhz=1000000 ghz=1000000000`)
	add(Area, `acre|acres=1 hectare|hectares|ha=2.471054`)
	add(Dollar, `dollar|dollars|usd|buck|bucks=1 cent|cents=0.01`)
	add(Euro, `euro|euros|eur=1`)
	add(Pound, `pound|pounds|gbp=1 pence=0.01`)
	add(Yen, `yen|jpy=1`)
	add(Rupee, `rupee|rupees|inr=1`)
	add(Yuan, `yuan|rmb|cny|renminbi=1`)
	add(Franc, `franc|francs|chf=1`)
	add(Krona, `krona|kronor|kroner|sek|nok|dkk=1`)
	add(Ruble, `ruble|rubles|rouble|roubles|rub=1`)
	add(Rating, `star|stars=1`)
	add(Length, `kilometern=1000 metern|metros|metres=1 kilometros=1000 centimetros|zentimeter|zentimetern=0.01 milimetros|millimetern=0.001`)
	add(Mass, `kilogramm|kilogramme|kilogrammes|kilogramos=1000 gramm|gramos=1 tonnen|toneladas|tonnes=1000000`)
	add(Volume, `litern|litros=1`)
	add(Duration, `sekunde|sekunden|segundo|segundos|secondes=1 minuten|minuto|minutos=60 stunde|stunden|std|hora|horas|heure|heures=3600
tage|tagen|dia|dias|jour|jours=86400 woche|wochen|semana|semanas|semaine|semaines=604800`)
	add(Calendar, `monat|monate|monaten|mes|meses|mois=1 jahr|jahre|jahren|ano|anos|ans|annees=12`)
	add(Euro, `d'euros=1 centimes|centimos=0.01`)
	return table
}

// isCurrency reports the dimensions of money.
func isCurrency(d Dimension) bool { return d >= Dollar && d <= Ruble }

// acresPerSquareMeter converts square meters to the base unit of areas.
const acresPerSquareMeter = 0.000247105381

//nolint:gochecknoglobals // read-only
var (
	hashUhr, hashProzent        = text.Hash("uhr"), text.Hash("prozent")
	hashPour, hashPor           = text.Hash("pour"), text.Hash("por")
	hashCiento, hashAls         = text.Hash("ciento"), text.Hash("als")
	hashJust                    = text.Hash("just")
	hashSquare, hashSq          = text.Hash("square"), text.Hash("sq")
	hashHour, hashH, hashHours  = text.Hash("hour"), text.Hash("h"), text.Hash("hours")
	hashSecond, hashS, hashIn   = text.Hash("second"), text.Hash("s"), text.Hash("in")
	hashM, hashMM, hashC, hashF = text.Hash("m"), text.Hash("mm"), text.Hash("c"), text.Hash("f")
	currencyNations             = text.HashSet("us u.s. american canadian australian swiss british japanese indian chinese")
	inchWords                   = text.HashSet("across wide tall long high deep thick diagonal screen by x")
)

// unit reads the word after the number if it is a unit.
func (p *scanner) unit(f *Figure, last int) int {
	if last >= len(p.tokens) || !isWordGap(p.gap(last-1)) {
		return last
	}
	h := p.tokens[last].Hash
	if h == hashPercent || h == hashPercentage || h == hashProzent || (h == hashPer || h == hashPour) && p.hash(last+1) == hashCent ||
		h == hashPor && p.hash(last+1) == hashCiento {
		f.Kind = Percent
		if h == hashPour || h == hashPor {
			last++
		}
		return last + 1
	}
	if h == hashDe && f.Scaled && isCurrency(units[p.hash(last+1)].Dimension) { // millones de euros
		last++
		h = p.hash(last)
	}
	u, ok := units[h]
	switch {
	case f.Unit.Dimension != None:
		return last
	case h == hashIn && inchWords.Has(p.hash(last+1)):
		u, ok = Unit{Length, 0.0254}, true
	case h == hashSquare || h == hashSq:
		if side := units[p.hash(last+1)]; side.Dimension == Length {
			f.Unit = Unit{Area, side.Factor * side.Factor * acresPerSquareMeter}
			return last + 2
		}
	case currencyNations.Has(h) && isCurrency(units[p.hash(last+1)].Dimension):
		last++
		u, ok = units[p.hash(last)], true
	}
	if !ok {
		return last
	}
	f.Unit = u
	return p.compoundUnit(f, last+1)
}

// compoundUnit reads what follows a unit: "degrees Celsius", "km/h", "m²", "pounds" of money.
func (p *scanner) compoundUnit(f *Figure, last int) int {
	switch u := f.Unit; {
	case isCurrency(u.Dimension):
		f.Kind = Money
	case u.Dimension == Temperature:
		return p.degrees(f, last)
	case u.Dimension != Length:
	case strings.HasPrefix(p.after(last-1, 2), "²"):
		f.Unit = Unit{Area, u.Factor * u.Factor * acresPerSquareMeter}
	case p.gap(last-1) == "/" || p.hash(last) == hashPer:
		at := last
		if p.hash(last) == hashPer {
			at++
		}
		switch p.hash(at) {
		case hashH, hashHour:
			f.Unit = Unit{Speed, u.Factor / 1000}
			return at + 1
		case hashS, hashSecond:
			f.Unit = Unit{Speed, u.Factor * 3.6}
			return at + 1
		}
	}
	return last
}

// degrees reads the scale of a temperature.
func (p *scanner) degrees(f *Figure, last int) int {
	f.Unit = Unit{Temperature, 1}
	if gap := p.gap(last - 1); last >= len(p.tokens) || strings.TrimLeft(gap, " \u00A0") != "°" && !isWordGap(gap) {
		return last
	}
	switch u := units[p.hash(last)]; {
	case u.Dimension == Celsius, p.hash(last) == hashC:
		f.Unit = Unit{Celsius, 1}
	case u.Dimension == Fahrenheit, p.hash(last) == hashF:
		f.Unit = Unit{Fahrenheit, 1}
	default:
		return last
	}
	return last + 1
}

// UnitNamed returns the unit that a word names, such as "kg", "hours" or "usd"; ok is false for another word.
func UnitNamed(word *text.Token) (u Unit, ok bool) {
	u, ok = units[word.Hash]
	return u, ok
}
