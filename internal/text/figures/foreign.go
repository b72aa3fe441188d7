package figures

import "strings"

const (
	germanUnits = "ein zwei drei vier fünf sechs sieben acht neun"
	germanTens  = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig"
)

// addForeign adds the words of other languages that are no English words in the table. Articles (ein, un, une) are left out.
//
//nolint:misspell // not English
func (l *tableBuilder) addForeign() {
	add := func(list string, c Class, values ...float64) { l.add(list, Word{Class: c, Foreign: true}, values...) }
	add(`januar februar marz mai juni juli oktober dezember`, MonthOnly, 1, 2, 3, 5, 6, 7, 10, 12)
	add("janvier fevrier mars avril juin juillet aout septembre octobre novembre", MonthOnly, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11)
	add("decem"+"bre", MonthOnly, 12)
	add("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", MonthOnly, upTo(1, 12, 1)...)

	add("montag dienstag mittwoch donnerstag freitag samstag sonntag", Weekday, upTo(1, 7, 1)...)
	add("montags dienstags mittwochs donnerstags freitags samstags sonntags", Weekday, upTo(1, 7, 1)...)
	add("sonnabend sonnabends", Weekday, 6)
	add("lunes martes miércoles jueves viernes sábado domingo sábados domingos", Weekday, 1, 2, 3, 4, 5, 6, 7, 6, 7)
	add("lundi mardi mercredi jeudi vendredi samedi dimanche", Weekday, upTo(1, 7, 1)...)
	add("lundis mardis mercredis jeudis vendredis samedis dimanches", Weekday, upTo(1, 7, 1)...)
	add("mo di mi do fr sa so", WeekdayShort, upTo(1, 7, 1)...)

	add(`zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn
neunzehn`, Small, upTo(2, 19, 1)...)
	add("anderthalb eineinhalb zweieinhalb dreieinhalb", Small, 1.5, 1.5, 2.5, 3.5)
	add(germanTens, Tens, upTo(20, 90, 10)...)
	l.addGerman()

	add("dos tres cuatro cinco seis siete ocho nueve diez", Small, upTo(2, 10, 1)...) // "once" is English
	add("doce trece catorce quince dieciséis diecisiete dieciocho diecinueve", Small, upTo(12, 19, 1)...)
	add("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", Tens, upTo(20, 90, 10)...)
	add("veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve", Small, upTo(21, 29, 1)...)
	add(`cien ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos`, Hundred,
		100, 100, 200, 300, 400, 500, 600, 700, 800, 900)
	add("doscientas trescientas cuatrocientas quinientas seiscientas setecientas ochocientas novecientas", Hundred, upTo(200, 900, 100)...)
	add("docena docenas", Dozen, 12)
	add("quattro cinque sette otto dieci duas quatro sete oito nove dez", Small, 4, 5, 7, 8, 10, 2, 4, 7, 8, 9, 10) // "due" is English, "sei" German
	add("twee drie vijf zes zeven negen tien", Small, 2, 3, 5, 6, 7, 9, 10)

	add(`deux trois quatre cinq six huit neuf dix onze douze treize quatorze quinze seize`, Small,
		2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16)
	add("un une uno una", One, 1)
	add("vingt trente quarante cinquante soixante vingts", Tens, 20, 30, 40, 50, 60, 20)
	add("douzaine douzaines", Dozen, 12)

	add("tausend mil mille", Thousand, 1e3)
	add("millionen milliarde milliarden mio mrd millón millones millions milliard milliards", Scale, 1e6, 1e9, 1e9, 1e6, 1e9, 1e6, 1e6, 1e6, 1e9, 1e9)
}

// addGerman adds the numbers that German writes as one word: zweiundzwanzig, dreihundert, zweihundertfünfzig, viertausend.
func (l *tableBuilder) addGerman() {
	add := func(word string, v float64) { l.add(word, Word{Class: Small, Foreign: true}, v) }
	units := strings.Fields(germanUnits)
	for i, tens := range strings.Fields(germanTens) {
		for k, unit := range units {
			add(unit+"und"+tens, float64(20+10*i+k+1))
		}
		add(tens+"tausend", float64(20+10*i)*1e3)
	}
	add("hundert", 100)
	add("zehntausend", 1e4)
	add("hunderttausend", 1e5)
	for k, unit := range units {
		n := float64(k + 1)
		add(unit+"hundert", n*100)
		add(unit+"hundertfünfzig", n*100+50)
		add(unit+"hunderttausend", n*1e5)
		add(unit+"tausend", n*1e3)
		add(unit+"tausendfünfhundert", n*1e3+500)
	}
}
