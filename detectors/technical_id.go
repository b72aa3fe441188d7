package detectors

import (
	"strings"
	"time"
)

// dois finds DOIs that stand alone: with their label, or beginning with 10. and four digits.
func (s *technicalScratch) dois() {
	a := s.answer
	s.labelledDOIs("doi:")
	s.labelledDOIs("DOI:")
	for at := 0; s.open(1); {
		n := strings.Index(a[at:], "10.")
		if n < 0 {
			return
		}
		start := at + n
		at = start + len("10.")
		if start > 0 && (nameByte(a[start-1]) || a[start-1] == '.') || s.within(start) {
			continue
		}
		if digits := registrant(a[start:]); digits >= 4 {
			s.mention(mentionDOI, start, s.urlEnd(start), noEcosystem)
		}
	}
}

func (s *technicalScratch) labelledDOIs(label string) {
	a := s.answer
	for at := 0; s.open(1); {
		n := strings.Index(a[at:], label)
		if n < 0 {
			return
		}
		before := at + n - 1
		at += n + len(label)
		start, _ := trimmed(a, at, min(at+2, len(a)))
		if (before < 0 || !nameByte(a[before])) && start < len(a) && '0' <= a[start] && a[start] <= '9' && !s.within(start) {
			s.mention(mentionDOI, start, s.urlEnd(start), noEcosystem)
		}
	}
}

// registrant is the number of digits between "10." and the slash behind it, parts of a registrant apart; 0 without a
// slash and something behind it.
func registrant(doi string) int {
	rest, ok := strings.CutPrefix(doi, "10.")
	n := digitsAt(rest, 0)
	if !ok || n > 9 {
		return 0
	}
	end := n
	for end < len(rest) && (rest[end] == '.' || digit(rest[end])) {
		end++
	}
	if end+1 >= len(rest) || rest[end] != '/' || !nameByte(rest[end+1]) && strings.IndexByte("(.;:", rest[end+1]) < 0 {
		return 0
	}
	return n
}

// digitsAt is the number of digits from the offset on.
func digitsAt(s string, at int) int {
	n := 0
	for at+n < len(s) && digit(s[at+n]) {
		n++
	}
	return n
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

// arXivs finds ids with their label: arXiv:2301.01234v2.
func (s *technicalScratch) arXivs() {
	a := s.answer
	const label = "arXiv"
	for at := 0; s.open(1); {
		n := strings.IndexByte(a[at:], ':')
		if n < 0 {
			return
		}
		before := at + n - len(label)
		at += n + 1
		if before < 0 || a[at-2] != 'v' || !strings.EqualFold(a[before:at-1], label) || before > 0 && nameByte(a[before-1]) {
			continue
		}
		start, _ := trimmed(a, at, min(at+2, len(a)))
		if end := s.arXivEnd(start, len(a)); strings.ContainsAny(a[start:end], "0123456789") && !s.within(start) {
			s.mention(mentionArXiv, start, end, noEcosystem)
		}
	}
}

// arXivEnd is where an arXiv id ends that begins at the offset.
func (s *technicalScratch) arXivEnd(start, limit int) int {
	end := start
	for end < limit && (nameByte(s.answer[end]) && s.answer[end] < 0x80 || s.answer[end] == '.' || s.answer[end] == '/') {
		end++
	}
	end = start + len(strings.TrimSuffix(s.answer[start:end], ".pdf"))
	for end > start && strings.IndexByte("./-", s.answer[end-1]) >= 0 {
		end--
	}
	s.work.Spend((end - start) / addressBytes)
	return end
}

// Notes of identifiers, all fixed.
const (
	noteDOIForm    = "no DOI has this form: 10., a registrant of four to nine digits, a slash, a name"
	noteDOIFake    = "this looks like the placeholder of a DOI"
	noteArXivForm  = "no arXiv id has this form"
	noteArXivMonth = "an arXiv id begins with year and month, and there was no such month"
	noteArXivAhead = "this arXiv id is of a month after the answer"
	noteArXivRange = "no month has had so many papers on arXiv"
)

// identifier judges the form of a DOI or an arXiv id. at is the time of the answer, zero for unknown.
func identifier(kind mentionKind, id string, at time.Time) verdict {
	if kind == mentionArXiv {
		return arXiv(id, at)
	}
	switch {
	case registrant(id) < 4:
		return verdict{faultMalformed, weightMalformed, noteDOIForm}
	case fakeDOI(id):
		return verdict{faultPlaceholder, weightFakeID, noteDOIFake}
	}
	return verdict{}
}

// fakeDOI reports whether the DOI is of a registrant that stands for any (10.1234) or for tests (10.5555), or has a name
// that was never meant to be one.
func fakeDOI(id string) bool {
	prefix, name, _ := strings.Cut(id, "/")
	if prefix == "10.1234" || prefix == "10.5555" || prefix == "10.12345" || prefix == "10.9999" {
		return true
	}
	switch name = strings.ToLower(name); {
	case strings.Contains(name, "xxxx"), strings.HasPrefix(name, "example"), strings.Contains(name, "123456789"), name == "xyz123":
		return true
	}
	return false
}

// arXiv judges an id of either form: 2301.01234v2, since April 2007, or hep-th/9901001 before.
func arXiv(id string, at time.Time) verdict {
	id = withoutVersion(id)
	if archive, number, old := strings.Cut(id, "/"); old {
		return oldArXiv(archive, number)
	}
	month, number, _ := strings.Cut(id, ".")
	if len(month) != 4 || !allDigits(month) || !allDigits(number) {
		return verdict{faultMalformed, weightMalformed, noteArXivForm}
	}
	yymm := decimal(month)
	switch n := decimal(number); {
	case !isMonth(yymm%100) || yymm < 704:
		return verdict{faultMalformed, weightImpossibleDate, noteArXivMonth}
	case len(number) != arXivDigits(yymm) || n == 0:
		return verdict{faultMalformed, weightMalformed, noteArXivForm}
	case ahead(yymm, at):
		return verdict{faultMalformed, weightImpossibleDate, noteArXivAhead}
	case n > mostPapers(yymm):
		return verdict{faultMalformed, weightNumberRange, noteArXivRange}
	}
	return verdict{}
}

func withoutVersion(id string) string {
	if v := strings.LastIndexByte(id, 'v'); v > 0 && allDigits(id[v+1:]) {
		return id[:v]
	}
	return id
}

// arXivDigits is how long the number of an id of the month is.
func arXivDigits(yymm int) int {
	if yymm < 1501 {
		return 4
	}
	return 5
}

// oldArXiv judges the parts of an id such as hep-th/9901001, of July 1991 to March 2007.
func oldArXiv(archive, number string) verdict {
	if len(number) != 7 || !allDigits(number) || archive == "" {
		return verdict{faultMalformed, weightMalformed, noteArXivForm}
	}
	yymm := decimal(number[:4])
	if isMonth(yymm%100) && (yymm >= 9107 || yymm <= 703) {
		return verdict{}
	}
	return verdict{faultMalformed, weightImpossibleDate, noteArXivMonth}
}

func isMonth(n int) bool { return 1 <= n && n <= 12 }

// ahead reports whether the month is after the answer, a day of grace for time zones included.
func ahead(yymm int, at time.Time) bool {
	if at.IsZero() {
		return false
	}
	at = at.UTC().AddDate(0, 0, 1)
	return 2000+yymm/100 > at.Year() || 2000+yymm/100 == at.Year() && yymm%100 > int(at.Month())
}

// mostPapers is well above the papers of any month until then: an estimate of our own, about half as much again as the
// busiest month.
func mostPapers(yymm int) int {
	switch {
	case yymm < 1501:
		return 9999
	case yymm < 2001:
		return 22_000
	case yymm < 2401:
		return 35_000
	default:
		return 60_000
	}
}

func allDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// decimal is the value of digits; of very many of them, a very large one.
func decimal(digits string) int {
	n := 0
	for i := range len(digits) {
		n = min(n*10+int(digits[i]-'0'), 1<<30)
	}
	return n
}
