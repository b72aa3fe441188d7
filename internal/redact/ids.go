package redact

// idKind is a kind of national id that is recognised without an announcement: its shape and its check make other texts unlikely.
// In a shape d is a digit, L a letter, X either, and every other byte itself.
type idKind struct {
	name    string
	shapes  []string
	check   func(compact string) bool // letters and digits, in upper case
	example string
}

// Ids whose check is weak are recognised only as their country writes them: grouped.
//
//nolint:gochecknoglobals // read-only table
var idKinds = [...]idKind{
	{"Belgium, rijksregisternummer", []string{"dd.dd.dd-ddd.dd"}, isBelgian, "85.07.30-033.28"},
	{"Brazil, CNPJ", []string{"dd.ddd.ddd/dddd-dd"}, isCNPJ, "11.222.333/0001-81"},
	{"Brazil, CPF", []string{"ddd.ddd.ddd-dd"}, isCPF, "529.982.247-25"},
	{"China, resident id", []string{"dddddddddddddddddX"}, isChinese, "11010519491231002X"},
	{"Czechia and Slovakia, rodné číslo", []string{"dddddd/dddd"}, isCzech, "856216/8923"},
	{"Finland, henkilötunnus", []string{"dddddd-dddX", "dddddd+dddX", "ddddddAdddX"}, isFinnish, "131052-308T"},
	{"France, numéro de sécurité sociale", []string{"ddddddddddddddd", "d dd dd dd ddd ddd dd"}, isFrench, "1 61 11 74 245 245 57"},
	{"Germany, Steuer-ID", []string{"ddddddddddd", "dd ddd ddd ddd"}, isGerman, "86 095 742 719"},
	{"India, Aadhaar", []string{"dddd dddd dddd"}, isAadhaar, "2341 2341 2346"},
	{"India, PAN", []string{"LLLLLddddL"}, isPAN, "ABCPE1234F"},
	{"Italy, codice fiscale", []string{"LLLLLLddLddLdddL"}, isItalian, "RSSMRA85T10A562S"},
	{"Korea, resident registration number", []string{"dddddd-ddddddd"}, isKorean, "880101-1234568"},
	{"Mexico, CURP", []string{"LLLLddddddLLLLLLXd"}, isCURP, "HEGG560427MVZRRL04"},
	{"Norway, fødselsnummer", []string{"ddddddddddd", "dddddd ddddd"}, isNorwegian, "26104633098"},
	{"Spain, DNI", []string{"ddddddddL", "dddddddd-L"}, isSpanish, "12345678Z"},
	{"Spain, NIE", []string{"LdddddddL", "L-ddddddd-L"}, isSpanish, "X1234567L"},
	{"Sweden, personnummer", []string{"dddddd-dddd"}, isSwedish, "811218-9876"},
	{"Switzerland, AHV", []string{"ddd.dddd.dddd.dd"}, isSwiss, "756.9217.0769.85"},
	{"United Kingdom, National Insurance", []string{"LLddddddL", "LL dd dd dd L"}, isBritish, "AB 12 34 56 C"},
}

const (
	minBareID    = 11 // digits of a kind without groups
	maxIDLetters = 6
)

// idShape is a shape of a kind.
type idShape struct {
	shape string
	check func(string) bool
}

// idShapes holds shapes by the digits with which they begin, or the letters, which count behind those.
//
//nolint:gochecknoglobals // read-only table
var idShapes = func() (t [2 * maxGroup][]idShape) {
	for _, k := range idKinds {
		for _, s := range k.shapes {
			n := 0
			for n < len(s) && s[n] == s[0] {
				n++
			}
			if s[0] == 'L' {
				n += maxGroup
			}
			t[n] = append(t[n], idShape{s, k.check})
		}
	}
	return t
}()

// numericID matches a national id that begins with a group of n digits at p.
func (sc *scanner) numericID(p, n int) bool {
	if n >= maxGroup {
		return false
	}
	if n == 2 && sc.before(p, 1) == ' ' && isUpper(sc.before(p, 2)) && isUpper(sc.before(p, 3)) && !isWordByte(sc.before(p, 4)) {
		return sc.nationalID(p-3, maxGroup+n) // AB 12 34 56 C
	}
	return sc.nationalID(p, n)
}

// letteredID matches a national id that begins with the letters of the word.
func (sc *scanner) letteredID(p int) bool {
	n := 0
	for n <= maxIDLetters && isLetter(sc.byteAt(p+n)) {
		n++
	}
	if n == 0 || n > maxIDLetters {
		return false
	}
	return sc.nationalID(p, maxGroup+n)
}

// nationalID matches one of the shapes at p.
func (sc *scanner) nationalID(p, shapes int) bool {
	for _, s := range idShapes[shapes] {
		end := p + len(s.shape)
		if end <= len(sc.text) && fitsShape(sc.text[p:end], s.shape) && sc.endsNumber(end) && s.check(compact(sc.text[p:end])) {
			return sc.add(p, end, idLabel)
		}
	}
	return false
}

func fitsShape(s, shape string) bool {
	for i := range len(s) {
		digit, letter := isDigit(s[i]), isLetter(s[i])
		switch b := shape[i]; {
		case b == 'd' && digit, b == 'L' && letter, b == 'X' && (digit || letter), b != 'd' && b != 'L' && b != 'X' && b == s[i]:
		default:
			return false
		}
	}
	return true
}

// number is the value of the digits of s from i up to j.
func number(s string, i, j int) (n int) {
	for _, b := range []byte(s[i:j]) {
		n = n*10 + int(b-'0')
	}
	return n
}

// weighted is the sum of the digits of s multiplied by the weights.
func weighted(s string, weights ...int) (sum int) {
	for i, w := range weights {
		sum += w * int(s[i]-'0')
	}
	return sum
}

func isDay(month, day int) bool { return 1 <= month && month <= 12 && 1 <= day && day <= 31 }

func isBelgian(s string) bool {
	first, check := number(s, 0, 9), number(s, 9, 11)
	return isDay(number(s, 2, 4), number(s, 4, 6)) && (check == 97-first%97 || check == 97-(2_000_000_000+first)%97)
}

func isCPF(s string) bool {
	digit := func(n int) int { return n * 10 % 11 % 10 }
	return s != "00000000000" && int(s[9]-'0') == digit(weighted(s, 10, 9, 8, 7, 6, 5, 4, 3, 2)) &&
		int(s[10]-'0') == digit(weighted(s, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2))
}

func isCNPJ(s string) bool {
	digit := func(n int) int { return (11 - n%11) % 11 % 10 }
	return int(s[12]-'0') == digit(weighted(s, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) &&
		int(s[13]-'0') == digit(weighted(s, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2))
}

func isChinese(s string) bool {
	sum := weighted(s, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
	year := number(s, 6, 10)
	return 1900 <= year && year < 2100 && isDay(number(s, 10, 12), number(s, 12, 14)) && s[17] == "10X98765432"[sum%11]
}

func isCzech(s string) bool {
	month := number(s, 2, 4) % 50 // women have 50 more, and some people 20
	return isDay(month%20, number(s, 4, 6)) && number(s, 0, 10)%11 == 0
}

func isFinnish(s string) bool {
	serial := s[len(s)-4 : len(s)-1]
	return isDay(number(s, 2, 4), number(s, 0, 2)) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[(number(s, 0, 6)*1000+number(serial, 0, 3))%31] == s[len(s)-1]
}

func isFrench(s string) bool {
	month := number(s, 3, 5)
	return (s[0] == '1' || s[0] == '2') && (1 <= month && month <= 12 || 20 <= month && month <= 42) &&
		number(s, 13, 15) == 97-number(s, 0, 13)%97
}

// isGerman also requires that of the first ten digits one occurs two or three times, and every other at most once.
func isGerman(s string) bool {
	var seen [10]int
	repeated, product := 0, 10
	for i := range 10 {
		d := int(s[i] - '0')
		if seen[d]++; seen[d] == 2 {
			repeated++
		}
		sum := (d + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	for _, n := range seen {
		if n > 3 {
			return false
		}
	}
	return s[0] != '0' && repeated == 1 && int(s[10]-'0') == (11-product)%10
}

// isAadhaar checks by Verhoeff's algorithm, and leaves out lists of years.
func isAadhaar(s string) bool {
	if s[0] < '2' || isYear(s[:4]) && isYear(s[4:8]) && isYear(s[8:]) {
		return false
	}
	const (
		product = "0123456789" + "1234067895" + "2340178956" + "3401289567" + "4012395678" + "5987604321" + "6598710432" + "7659821043" + "8765932104" + "9876543210"
		permute = "0123456789" + "1576283094" + "5803796142" + "8916043527" + "9453126870" + "4286573901" + "2793806415" + "7046913258"
	)
	c := 0
	for i := range len(s) {
		d := int(permute[i%8*10+int(s[len(s)-1-i]-'0')] - '0')
		c = int(product[c*10+d] - '0')
	}
	return c == 0
}

func isYear(s string) bool { return s[:2] == "19" || s[:2] == "20" }

// isPAN checks the letter of the kind of holder.
func isPAN(s string) bool {
	switch s[3] {
	case 'A', 'B', 'C', 'F', 'G', 'H', 'J', 'L', 'P', 'T':
		return true
	}
	return false
}

func isItalian(s string) bool {
	const odd = "BAKPLCQDREVOSFTGUHMINJWZYX" // the letters and digits by their value at odd places
	var values [26]int
	for v, letter := range []byte(odd) {
		values[letter-'A'] = v
	}
	sum := 0
	for i := range 15 {
		v := int(s[i] - '0')
		if s[i] >= 'A' {
			v = int(s[i] - 'A')
		}
		if i%2 == 0 {
			v = values[v]
		}
		sum += v
	}
	day := number(s, 9, 11)
	return int(s[15]-'A') == sum%26 && day%40 >= 1 && day%40 <= 31
}

func isKorean(s string) bool {
	return isDay(number(s, 2, 4), number(s, 4, 6)) && '1' <= s[6] && s[6] <= '8'
}

func isCURP(s string) bool {
	return isDay(number(s, 6, 8), number(s, 8, 10)) && (s[10] == 'H' || s[10] == 'M' || s[10] == 'X')
}

func isNorwegian(s string) bool {
	return isDay(number(s, 2, 4)%40, number(s, 0, 2)%40) && weighted(s, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 &&
		weighted(s, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
}

func isSpanish(s string) bool {
	n := 0
	if isDigit(s[0]) {
		n = number(s, 0, 8)
	} else if first := s[0] - 'X'; first <= 2 {
		n = int(first)*10_000_000 + number(s, 1, 8)
	} else {
		return false
	}
	return "TRWAGMYFPDXBNJZSQVHLCKE"[n%23] == s[8]
}

func isSwedish(s string) bool {
	return isDay(number(s, 2, 4), number(s, 4, 6)%60) && passesLuhn(s)
}

func isSwiss(s string) bool {
	return s[:3] == "756" && weighted(s, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0
}

// isBritish checks the letters that numbers begin and end with.
func isBritish(s string) bool {
	within := func(b byte, set string) bool {
		for i := range len(set) {
			if set[i] == b {
				return true
			}
		}
		return false
	}
	return !within(s[0], "DFIQUV") && !within(s[1], "DFIOQUV") && within(s[8], "ABCD")
}
