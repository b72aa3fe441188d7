package redact

import (
	"net/netip"
	"regexp"
	"strings"
)

const (
	maxGroup       = 19 // digits of one group
	maxAddress     = 46 // bytes of an IPv6 address
	maxPhoneDigits = 15 // ITU-T E.164
	maxPhone       = 48 // bytes of a phone number
)

// cardForms are the ways in which card numbers are written, in one piece or grouped as on the card. The longest that is valid counts.
//
//nolint:gochecknoglobals // read-only table
var cardForms = []*regexp.Regexp{
	regexp.MustCompile(`^\d{13,19}`), regexp.MustCompile(`^\d{4}[ .-]\d{4}[ .-]\d{4}[ .-]\d{4}[ .-]\d{1,3}`),
	regexp.MustCompile(`^\d{4}[ .-]\d{4}[ .-]\d{4}[ .-]\d{1,7}`), regexp.MustCompile(`^\d{4}[ .-]\d{6}[ .-]\d{4,5}`),
}

// card matches payment card numbers: 13 to 19 digits of a range in use (2221-2720, 3, 4, 5 and 6) that pass the Luhn check.
func (sc *scanner) card(p int) bool {
	if sc.text[p] < '2' || sc.text[p] > '6' || !isDigit(sc.byteAt(p+8)) && !isDigit(sc.byteAt(p+7)) {
		return false
	}
	for _, form := range cardForms {
		s := form.FindString(sc.window(p))
		digits := compact(s)
		if head := digits[:min(4, len(digits))]; len(digits) >= 13 && len(digits) <= 19 && (head >= "2221" && head <= "2720" || head >= "3000") && passesLuhn(digits) && sc.endsNumber(p+len(s)) {
			return sc.add(p, p+len(s), cardLabel)
		}
	}
	return false
}

// compact returns the letters and digits of a number, in upper case.
func compact(s string) string {
	return strings.ToUpper(strings.Map(func(r rune) rune {
		if r < 0x80 && isWordByte(byte(r)) {
			return r
		}
		return -1
	}, s))
}

func passesLuhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			d = d*2/10 + d*2%10
		}
		sum += d
	}
	return sum%10 == 0
}

// ibanLengths lists country and length of the IBAN registry.
const ibanLengths = "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BI27BR29BY28CH21CR22CY28CZ24DE22DJ27DK18DO28EE20EG29ES24FI18FK18FO18FR27" +
	"GB22GE22GI23GL18GR27GT28HN28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21LY25MC27MD24ME22MK19MN20" +
	"MR27MT31MU30NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SO23ST25SV28TL23TN24TR26UA29" +
	"VA22VG24XK20YE30"

// iban matches international bank account numbers: the registered length for the country and remainder 1 modulo 97
// (ISO 13616), in one piece or in groups separated by single spaces or dashes.
func (sc *scanner) iban(p int) bool {
	if !isDigit(sc.byteAt(p+2)) || !isDigit(sc.byteAt(p+3)) {
		return false
	}
	at := strings.Index(ibanLengths, strings.ToUpper(sc.text[p:p+2]))
	if at < 0 || at%4 != 0 {
		return false
	}
	length := number(ibanLengths, at+2, at+4)
	rest, head, n, i := 0, 0, 0, p
	for ; n < length; i++ {
		b := sc.byteAt(i)
		if (b == ' ' || b == '-') && isWordByte(sc.byteAt(i+1)) {
			continue
		}
		v, scale := int(b-'0'), 10
		if isLetter(b) {
			v, scale = int(b|0x20-'a')+10, 100
		} else if !isDigit(b) {
			return false
		}
		if n < 4 {
			head = head*scale + v
		} else {
			rest = (rest*scale + v) % 97
		}
		n++
	}
	// head moves to the end: two letters of two digits each and two digits are six digits.
	if (rest*1_000_000+head)%97 != 1 || !sc.endsNumber(i) {
		return false
	}
	return sc.add(p, i, ibanLabel)
}

// A word that introduces a version or a section, and an IPv4 address.
var (
	versionWord = regexp.MustCompile(`(?i)\b(?:version|ver|release|build|section|chapter|clause|article|firmware) {0,3}$`)
	quad        = regexp.MustCompile(`^(?:(?:25[0-5]|2[0-4]\d|[01]?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|[01]?\d?\d)`)
)

// ipv4 matches dotted quads, except after a word such as "version".
func (sc *scanner) ipv4(p int) bool {
	end := p + len(quad.FindString(sc.window(p)))
	return sc.endsNumber(end) && !versionWord.MatchString(sc.text[max(0, p-14):p]) && sc.add(p, end, ipLabel)
}

// ipv6 matches IPv6 addresses with at least one digit, so that add::bad in code is kept. The first group, from p to end, may be empty.
func (sc *scanner) ipv6(p, end int) bool {
	if end-p > 4 || sc.byteAt(end) != ':' || sc.before(p, 1) == ':' && (sc.before(p, 2) == ':' || isHexDigit(sc.before(p, 2))) {
		return false // or a later part of a longer run
	}
	end = p
	for end < p+maxAddress && (isHexDigit(sc.byteAt(end)) || sc.byteAt(end) == ':' || sc.byteAt(end) == '.') {
		end++
	}
	s := strings.TrimRight(sc.text[p:end], ".")
	if strings.HasSuffix(s, ":") && !strings.HasSuffix(s, "::") {
		s = s[:len(s)-1]
	}
	if colons := strings.Count(s, ":"); colons < 2 || colons < 6 && !strings.Contains(s, "::") || !strings.ContainsFunc(s, isDigitRune) || isWordByte(sc.byteAt(end)) {
		return false
	}
	if a, err := netip.ParseAddr(s); err != nil || !a.Is6() {
		return false
	}
	return sc.add(p, p+len(s), ipLabel)
}

// phoneForms are the ways in which phone numbers are written. One group of digits without + is kept, because other numbers look the
// same. least and most bound the digits.
//
//nolint:gochecknoglobals // read-only table
var phoneForms = []struct {
	first       string // signs or digits with which it begins
	match       *regexp.Regexp
	least, most int
}{
	{"+", regexp.MustCompile(`^\+\d+`), 10, maxPhoneDigits},
	{"+", regexp.MustCompile(`^\+(?:\(\d+\)[ ./-]?|\d+[ ./-]){2,7}(?:\(\d+\)|\d+)`), 8, maxPhoneDigits},
	{"+", regexp.MustCompile(`^\+(?:\(\d+\)[ /-]?|\d+[ /-])(?:\(\d+\)|\d+)`), 8, maxPhoneDigits},
	{"+", regexp.MustCompile(`^\+(?:\(\d+\)|\d+)\.\d+`), 10, maxPhoneDigits},
	{"0", regexp.MustCompile(`^0\d[ /-]\d{8}`), 10, 10},
	{"0", regexp.MustCompile(`^0\d[ /-]\d{4}[ /-]\d{4}`), 10, 10},
	{"0", regexp.MustCompile(`^0\d(?:[ ./-]\d\d){4}`), 10, 10},
	{"0", regexp.MustCompile(`^00\d{2,3}(?:[ /-]\(?\d+\)?){1,7}`), 10, maxPhoneDigits},
	{"(0", regexp.MustCompile(`^(?:\(0\d{2,4}\)[ /-]?|0\d{2,4}[ /-])(?:\(\d+\)|\d+)(?:[ /-]\d+){0,6}`), 10, 12},
	{"8", regexp.MustCompile(`^8[ -]\(?\d{3}\)?[ -]?\d{3}[ -]\d\d[ -]\d\d`), 11, 11}, // Russia
	{"(", regexp.MustCompile(`^\(\d\d\)[ -]?\d{4,5}[ -]\d{4}`), 10, 11},              // Brazil
	{"(123456789", regexp.MustCompile(`^(?:1[ ./-])?(?:\(\d{3}\)[ ./-]?|\d{3}[ ./-])\d{3}[ ./-]\d{4}`), 10, 11},
}

// phone matches phone numbers; n is the size of the first group of digits, 0 where a sign begins the number.
func (sc *scanner) phone(p, n int) bool {
	first := sc.text[p]
	three := isDigit(sc.byteAt(p+n+2)) && isDigit(sc.byteAt(p+n+3)) // the next group
	if n == 0 || first == '0' && 2 <= n && n <= 5 || three && (n == 3 || n == 1 && (first == '1' || first == '8')) {
		s := sc.text[p:min(len(sc.text), p+maxPhone)]
		longest := 0
		for _, form := range phoneForms {
			if strings.IndexByte(form.first, first) < 0 {
				continue
			}
			for m := form.match.FindString(s); m != ""; {
				digits := digitsOf(m)
				if form.least <= digits && digits <= form.most && sc.endsNumber(p+len(m)) && !sc.listsNumbers(p, m) {
					longest = max(longest, len(m))
					break
				}
				m = strings.TrimRight(strings.TrimRight(m, "0123456789()"), " ./-") // without its last group
				if !form.match.MatchString(m) {
					break
				}
			}
		}
		return sc.add(p, p+longest, phoneLabel)
	}
	return false
}

func digitsOf(s string) (n int) {
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

// roundNumbers are numbers in a list.
var roundNumbers = regexp.MustCompile(`^(?:\d*0(?: |$))+$`)

// listsNumbers reports groups that are rather numbers of their own: pairs next to more pairs, and those that spaces separate, if the
// area code begins with 0 or 1, all are round, or more numbers are next to them.
func (sc *scanner) listsNumbers(p int, s string) bool {
	end := p + len(s)
	lead := strings.TrimLeft(s, "(")
	switch {
	case lead[0] == '+':
		return false
	case lead[0] == '0':
		pairs := len(s) == 14 && !isDigit(s[2]) && !isDigit(s[5])
		return strings.TrimLeft(lead, "0") != "" && !isDigit(strings.TrimLeft(lead, "0")[0]) ||
			pairs && (isDigit(sc.before(p, 2)) && sc.before(p, 1) == s[2] || sc.byteAt(end) == s[2] && isDigit(sc.byteAt(end+1)))
	case strings.ContainsAny(s, "()./-"):
		return false
	}
	return strings.TrimPrefix(s, "1 ")[0] < '2' || roundNumbers.MatchString(s) || sc.before(p, 1) == ' ' && isDigit(sc.before(p, 2)) ||
		sc.byteAt(end) == ' ' && isDigit(sc.byteAt(end+1))
}
