package redact

import (
	"net/netip"
	"strings"
)

const (
	minCardDigits = 13
	maxCardDigits = 19
	maxAddress    = 46 // bytes of an IPv6 address
)

// card matches payment card numbers: 13 to 19 digits of a known issuer range that pass the Luhn check, in one piece or
// grouped as on the card (4-4-4-n, 4-6-5, 4-6-4) by single spaces, dashes or full stops.
func (sc *scanner) card(p int) bool {
	var digits [maxCardDigits]byte
	var groups [5]int
	n, g, i := 0, 0, p
	for n < maxCardDigits && isDigit(sc.byteAt(i)) {
		digits[n] = sc.text[i] - '0'
		n++
		groups[g]++
		i++
		if sep := sc.byteAt(i); (sep == ' ' || sep == '-' || sep == '.') && isDigit(sc.byteAt(i+1)) && g < len(groups)-1 && n < maxCardDigits {
			if end, ok := sc.cardEnd(digits[:n], groups[:g+1], i); ok {
				return sc.found(p, end, "[card]")
			}
			g++
			i++
		}
	}
	if end, ok := sc.cardEnd(digits[:n], groups[:g+1], i); ok {
		return sc.found(p, end, "[card]")
	}
	return false
}

// beginsCard reports whether a group of at least four digits follows the one of four digits at p.
func (sc *scanner) beginsCard(p int) bool {
	if b := sc.byteAt(p + 4); b != ' ' && b != '-' && b != '.' {
		return false
	}
	return isDigit(sc.byteAt(p+8)) && isDigit(sc.byteAt(p+7)) && isDigit(sc.byteAt(p+6)) && isDigit(sc.byteAt(p+5))
}

func (sc *scanner) cardEnd(digits []byte, groups []int, end int) (int, bool) {
	return end, len(digits) >= minCardDigits && cardGroups(groups) && isKnownIssuer(digits) && passesLuhn(digits) && sc.endsNumber(end)
}

func cardGroups(g []int) bool {
	switch len(g) {
	case 1:
		return true
	case 3:
		return g[0] == 4 && g[1] == 6 && (g[2] == 5 || g[2] == 4)
	case 4, 5:
		return g[0] == 4 && g[1] == 4 && g[2] == 4 && g[3] <= 7 && (len(g) == 4 || g[3] == 4 && g[4] <= 3)
	}
	return false
}

// isKnownIssuer reports whether the first digits are in a range in use: 2221-2720, 3, 4, 5 and 6.
func isKnownIssuer(d []byte) bool {
	head := int(d[0])*1000 + int(d[1])*100 + int(d[2])*10 + int(d[3])
	return 2221 <= head && head <= 2720 || 3000 <= head && head < 7000
}

func passesLuhn(digits []byte) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
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

// ibanLength is the length by the letters of the country, 0 for none.
//
//nolint:gochecknoglobals // read-only table
var ibanLength = func() (t [26][26]uint8) {
	for c := 0; c < len(ibanLengths); c += 4 {
		t[ibanLengths[c]-'A'][ibanLengths[c+1]-'A'] = (ibanLengths[c+2]-'0')*10 + ibanLengths[c+3] - '0'
	}
	return t
}()

// iban matches international bank account numbers: the registered length for the country and remainder 1 modulo 97
// (ISO 13616), in one piece or in groups separated by single spaces or dashes.
func (sc *scanner) iban(p int) bool {
	if p+15 > len(sc.text) || !isDigit(sc.text[p+2]) || !isDigit(sc.text[p+3]) {
		return false
	}
	first, second := toUpper(sc.text[p])-'A', toUpper(sc.text[p+1])-'A'
	if first > 'Z'-'A' || second > 'Z'-'A' {
		return false
	}
	length := int(ibanLength[first][second])
	if length == 0 {
		return false
	}
	rest, head, n, i := 0, 0, 0, p
	for ; n < length; i++ {
		b := toUpper(sc.byteAt(i))
		if b == ' ' || b == '-' {
			if !isWordByte(sc.byteAt(i + 1)) {
				return false
			}
			continue
		}
		v, scale := int(b-'0'), 10
		if 'A' <= b && b <= 'Z' {
			v, scale = int(b-'A')+10, 100
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
	return sc.found(p, i, "[iban]")
}

// ipv4 matches dotted quads, except after a word such as "version".
func (sc *scanner) ipv4(p int) bool {
	i := p
	for octet := range 4 {
		if octet > 0 {
			if sc.byteAt(i) != '.' {
				return false
			}
			i++
		}
		start, v := i, 0
		for ; i < start+3 && isDigit(sc.byteAt(i)); i++ {
			v = v*10 + int(sc.text[i]-'0')
		}
		if i == start || v > 255 {
			return false
		}
	}
	if !sc.endsNumber(i) || sc.followsVersionWord(p) {
		return false
	}
	return sc.found(p, i, "[ip]")
}

// followsVersionWord reports whether the word before p introduces a version or a section.
func (sc *scanner) followsVersionWord(p int) bool {
	end := p
	for end > sc.floor && end > p-3 && sc.text[end-1] == ' ' {
		end--
	}
	start := end
	for start > sc.floor && start > end-10 && isWordByte(sc.text[start-1]) {
		start--
	}
	for _, word := range [...]string{
		"version", "ver", "release", "build", "section", "chapter", "clause", "article", "firmware",
	} {
		if strings.EqualFold(sc.text[start:end], word) {
			return true
		}
	}
	return false
}

// ipv6 matches IPv6 addresses with at least one digit, so that add::bad in code is kept.
func (sc *scanner) ipv6(p int) bool {
	group := p
	for group < p+4 && isHexDigit(sc.byteAt(group)) {
		group++
	}
	if sc.byteAt(group) != ':' {
		return false
	}
	if sc.before(p, 1) == ':' && (sc.before(p, 2) == ':' || isHexDigit(sc.before(p, 2))) {
		return false // a later part of a longer run
	}
	s, possible := addressRun(sc.text[p:min(len(sc.text), p+maxAddress)])
	if !possible || isWordByte(sc.byteAt(p+len(s))) {
		return false
	}
	if a, err := netip.ParseAddr(s); err != nil || !a.Is6() {
		return false
	}
	return sc.found(p, p+len(s), "[ip]")
}

// addressRun returns the run of hexadecimal digits, colons and full stops at the start of s, without the signs of a sentence
// at its end, and whether it may be an address. A time of the day has too few colons.
func addressRun(s string) (_ string, possible bool) {
	end, digits, colons, gap, dotted, late := 0, false, 0, false, false, false
	for ; end < len(s); end++ {
		b := s[end]
		if b == '.' {
			dotted = true
			continue
		}
		if b != ':' && !isHexDigit(b) {
			break
		}
		if late { // no group follows a full stop
			return "", false
		}
		if b == ':' {
			late = dotted
			colons++
			gap = gap || end > 0 && s[end-1] == ':'
		}
		digits = digits || isDigit(b)
	}
	if !digits || colons < 2 || colons < 6 && !gap {
		return "", false
	}
	s = strings.TrimRight(s[:end], ".")
	if strings.HasSuffix(s, ":") && !strings.HasSuffix(s, "::") {
		s = s[:len(s)-1]
	}
	return s, true
}
