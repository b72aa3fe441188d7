package redact

import (
	"strconv"
	"strings"
)

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
	{"Belgium, rijksregisternummer", []string{"dd.dd.dd-ddd.dd"}, func(s string) bool {
		return isDay(s[2:4], s[4:6]) && (num(s[9:]) == 97-num(s[:9])%97 || num(s[9:]) == 97-num("2"+s[:9])%97)
	}, "85.07.30-033.28"},
	{"Brazil, CNPJ", []string{"dd.ddd.ddd/dddd-dd"}, func(s string) bool {
		return isDigit11(s, 12, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2) && isDigit11(s, 13, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
	}, "11.222.333/0001-81"},
	{"Brazil, CPF", []string{"ddd.ddd.ddd-dd"}, func(s string) bool {
		return num(s) > 0 && isDigit11(s, 9, 10, 9, 8, 7, 6, 5, 4, 3, 2) && isDigit11(s, 10, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2)
	}, "529.982.247-25"},
	{"China, resident id", []string{"dddddddddddddddddX"}, func(s string) bool {
		sum := weighted(s, 7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
		return "1900" <= s[6:10] && s[6:10] < "2100" && isDay(s[10:12], s[12:14]) && s[17] == "10X98765432"[sum%11]
	}, "11010519491231002X"},
	{"Czechia and Slovakia, rodné číslo", []string{"dddddd/dddd"}, func(s string) bool { // women have 50 more, and some people 20
		return isDay(strconv.Itoa(num(s[2:4])%50%20), s[4:6]) && num(s)%11 == 0
	}, "856216/8923"},
	{"Finland, henkilötunnus", []string{"dddddd-dddX", "dddddd+dddX", "ddddddAdddX"}, func(s string) bool {
		n := len(s) - 1
		return isDay(s[2:4], s[:2]) && "0123456789ABCDEFHJKLMNPRSTUVWXY"[num(s[:6]+s[n-3:n])%31] == s[n]
	}, "131052-308T"},
	{"France, numéro de sécurité sociale", []string{"ddddddddddddddd", "d dd dd dd ddd ddd dd"}, func(s string) bool {
		month := num(s[3:5])
		return (s[0] == '1' || s[0] == '2') && (1 <= month && month <= 12 || 20 <= month && month <= 42) && num(s[13:]) == 97-num(s[:13])%97
	}, "1 61 11 74 245 245 57"},
	{"Germany, Steuer-ID", []string{"ddddddddddd", "dd ddd ddd ddd"}, isGerman, "86 095 742 719"},
	{"India, Aadhaar", []string{"dddd dddd dddd"}, isAadhaar, "2341 2341 2346"},
	{"India, PAN", []string{"LLLLLddddL"}, func(s string) bool { return strings.IndexByte("ABCFGHJLPT", s[3]) >= 0 }, "ABCPE1234F"}, // the kind of holder
	{"Italy, codice fiscale", []string{"LLLLLLddLddLdddL"}, isItalian, "RSSMRA85T10A562S"},
	{"Korea, resident registration number", []string{"dddddd-ddddddd"}, func(s string) bool { return isDay(s[2:4], s[4:6]) && '1' <= s[6] && s[6] <= '8' }, "880101-1234568"},
	{"Mexico, CURP", []string{"LLLLddddddLLLLLLXd"}, func(s string) bool { return isDay(s[6:8], s[8:10]) && strings.IndexByte("HMX", s[10]) >= 0 }, "HEGG560427MVZRRL04"},
	{"Norway, fødselsnummer", []string{"ddddddddddd", "dddddd ddddd"}, func(s string) bool {
		return isDay(strconv.Itoa(num(s[2:4])%40), strconv.Itoa(num(s[:2])%40)) && weighted(s, 3, 7, 6, 1, 8, 9, 4, 5, 2, 1)%11 == 0 &&
			weighted(s, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0
	}, "26104633098"},
	{"Spain, DNI", []string{"ddddddddL", "dddddddd-L"}, isSpanish, "12345678Z"},
	{"Spain, NIE", []string{"LdddddddL", "L-ddddddd-L"}, isSpanish, "X1234567L"},
	{"Sweden, personnummer", []string{"dddddd-dddd"}, func(s string) bool { return isDay(s[2:4], strconv.Itoa(num(s[4:6])%60)) && passesLuhn(s) }, "811218-9876"},
	{"Switzerland, AHV", []string{"ddd.dddd.dddd.dd"}, func(s string) bool {
		return s[:3] == "756" && weighted(s, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1)%10 == 0
	}, "756.9217.0769.85"},
	{"United Kingdom, National Insurance", []string{"LLddddddL", "LL dd dd dd L"}, func(s string) bool { // letters that numbers begin and end with
		return strings.IndexByte("DFIQUV", s[0]) < 0 && strings.IndexByte("DFIOQUV", s[1]) < 0 && strings.IndexByte("ABCD", s[8]) >= 0
	}, "AB 12 34 56 C"},
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

// num is the value of digits.
func num(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// weighted is the sum of the digits of s multiplied by the weights.
func weighted(s string, weights ...int) (sum int) {
	for i, w := range weights {
		sum += w * int(s[i]-'0')
	}
	return sum
}

// isDigit11 reports that the byte is the check digit, modulo 11, of the digits with those weights.
func isDigit11(s string, at int, weights ...int) bool {
	return int(s[at]-'0') == weighted(s, weights...)*10%11%10
}

func isDay(month, day string) bool {
	m, d := num(month), num(day)
	return 1 <= m && m <= 12 && 1 <= d && d <= 31
}

// isGerman also requires that of the first ten digits one occurs two or three times, and every other at most once.
func isGerman(s string) bool {
	repeated, product := 0, 10
	for i := range 10 {
		if n := strings.Count(s[:10], s[i:i+1]); n > 3 {
			return false
		} else if n > 1 && strings.IndexByte(s, s[i]) == i {
			repeated++
		}
		sum := (int(s[i]-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	return s[0] != '0' && repeated == 1 && int(s[10]-'0') == (11-product)%10
}

// isAadhaar checks by Verhoeff's algorithm, and leaves out lists of years.
func isAadhaar(s string) bool {
	isYear := func(s string) bool { return s[:2] == "19" || s[:2] == "20" }
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

func isItalian(s string) bool {
	const odd = "BAKPLCQDREVOSFTGUHMINJWZYX" // the letters and digits by their value at odd places
	sum := 0
	for i := range 15 {
		v := int(s[i] - '0')
		if s[i] >= 'A' {
			v = int(s[i] - 'A')
		}
		if i%2 == 0 {
			v = strings.IndexByte(odd, byte('A'+v))
		}
		sum += v
	}
	day := num(s[9:11]) % 40
	return int(s[15]-'A') == sum%26 && 1 <= day && day <= 31
}

func isSpanish(s string) bool {
	first := strings.IndexByte("0123456789XYZ", s[0])
	if first < 0 {
		return false
	}
	return "TRWAGMYFPDXBNJZSQVHLCKE"[num(strconv.Itoa(first%10)+s[1:8])%23] == s[8]
}
