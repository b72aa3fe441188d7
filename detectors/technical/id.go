package technical

import (
	"strings"
	"time"
)

const (
	noteDOIForm    = "no DOI has this form: expected 10., a registrant of four to nine digits, a slash, a name"
	noteDOIFake    = "this looks like a placeholder for a DOI"
	noteArXivForm  = "no arXiv id has this form"
	noteArXivMonth = "an arXiv id begins with year and month; there was no such month"
	noteArXivAhead = "this arXiv id is of a month after the answer"
	noteArXivRange = "arXiv never had so many papers in a month"
)

// identifier assesses the form of a DOI or an arXiv id. at is the time of the answer, zero when unknown.
func identifier(kind Kind, id string, at time.Time) assessment {
	if kind == ArXiv {
		return arXiv(id, at)
	}
	switch {
	case Registrant(id) < 4:
		return assessment{faultMalformed, weightMalformed, noteDOIForm}
	case fakeDOI(id):
		return assessment{faultPlaceholder, weightFakeID, noteDOIFake}
	}
	return assessment{}
}

// fakeDOI reports whether the DOI has a placeholder registrant (10.1234), the one for tests (10.5555), or a placeholder name.
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

// arXiv assesses an id of either form: 2301.01234v2, since April 2007, or hep-th/9901001 before.
func arXiv(id string, at time.Time) assessment {
	id = withoutVersion(id)
	if archive, number, old := strings.Cut(id, "/"); old {
		return oldArXiv(archive, number)
	}
	month, number, _ := strings.Cut(id, ".")
	if len(month) != 4 || !AllDigits(month) || !AllDigits(number) {
		return assessment{faultMalformed, weightMalformed, noteArXivForm}
	}
	yymm := Decimal(month)
	switch n := Decimal(number); {
	case !isMonth(yymm%100) || yymm < 704:
		return assessment{faultMalformed, weightImpossibleDate, noteArXivMonth}
	case len(number) != arXivDigits(yymm) || n == 0:
		return assessment{faultMalformed, weightMalformed, noteArXivForm}
	case isAfterAnswer(yymm, at):
		return assessment{faultMalformed, weightImpossibleDate, noteArXivAhead}
	case n > mostPapers(yymm):
		return assessment{faultMalformed, weightNumberRange, noteArXivRange}
	}
	return assessment{}
}

func withoutVersion(id string) string {
	if v := strings.LastIndexByte(id, 'v'); v > 0 && AllDigits(id[v+1:]) {
		return id[:v]
	}
	return id
}

// arXivDigits returns the length of the number of an id of the month.
func arXivDigits(yymm int) int {
	if yymm < 1501 {
		return 4
	}
	return 5
}

// oldArXiv assesses the parts of an id such as hep-th/9901001, of July 1991 to March 2007.
func oldArXiv(archive, number string) assessment {
	if len(number) != 7 || !AllDigits(number) || archive == "" {
		return assessment{faultMalformed, weightMalformed, noteArXivForm}
	}
	yymm := Decimal(number[:4])
	if isMonth(yymm%100) && (yymm >= 9107 || yymm <= 703) {
		return assessment{}
	}
	return assessment{faultMalformed, weightImpossibleDate, noteArXivMonth}
}

func isMonth(n int) bool { return 1 <= n && n <= 12 }

// isAfterAnswer reports whether the month is after the answer, with one day of tolerance for time zones.
func isAfterAnswer(yymm int, at time.Time) bool {
	if at.IsZero() {
		return false
	}
	at = at.UTC().AddDate(0, 0, 1)
	return 2000+yymm/100 > at.Year() || 2000+yymm/100 == at.Year() && yymm%100 > int(at.Month())
}

// mostPapers returns a bound on the papers of a month: an estimate of our own, about 1.5 times the busiest month until then.
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
