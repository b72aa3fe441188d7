package redact

import "strings"

// lookahead remembers what was read ahead of the scan, so that each question reads every byte once.
type lookahead struct {
	mail    int // behind the next @, behind the text if there is none; 0 before the first question
	escaped int // the same for the next %40, an escaped @
	digit   run // up to the next digit, without it

	announced match // the next announced value; empty if the text up to searched has none
	searched  int
	runs      [runKinds]run // of the sets that value and assignment read
	long      bool          // a long run was read
}

// longRun is the length from which a run is long. Without one, a matcher reads less than twice as many bytes.
const longRun = 1024

// readAhead notes a run that a matcher read.
func (a *lookahead) readAhead(from, end int) { a.long = a.long || end-from > longRun }

// run is a run of bytes of a set.
type run struct {
	start, end int
	trimmed    int // end without trailing full stops; at most start if it has nothing else
}

const (
	base64Run = iota
	tokenRun
	runKinds
)

// mayHoldMail reports whether an @ follows, escaped or not.
func (sc *scanner) mayHoldMail(p int) bool {
	if p >= sc.ahead.mail {
		sc.ahead.mail = sc.behind("@", p)
	}
	if p >= sc.ahead.escaped {
		sc.ahead.escaped = sc.behind(escapedAt, p)
	}
	return min(sc.ahead.mail, sc.ahead.escaped) <= len(sc.text)
}

// behind is where the next sign at or after p ends; behind the text if there is none.
func (sc *scanner) behind(sign string, p int) int {
	if at := strings.Index(sc.text[p:], sign); at >= 0 {
		return p + at + len(sign)
	}
	return len(sc.text) + 1
}

// nextDigit returns the place of the first digit at or after p, the length of the text if there is none.
func (sc *scanner) nextDigit(p int) int {
	known := &sc.ahead.digit
	if known.start <= p && p < known.end {
		return known.end
	}
	at := p
	for at < len(sc.text) && !isDigit(sc.text[at]) {
		if at == known.start && at < known.end {
			at = known.end
			break
		}
		at++
	}
	*known = run{start: p, end: at}
	return at
}

// runAt returns the run of bytes of the kind at p.
func (sc *scanner) runAt(p, kind int) run {
	known := &sc.ahead.runs[kind]
	if known.start <= p && p < known.end {
		return *known
	}
	r := run{p, p, p}
	for r.end < len(sc.text) && byteSets[sc.text[r.end]]&runSets[kind] != 0 {
		if r.end == known.start && r.end < known.end {
			r.end = known.end
			if known.trimmed > known.start {
				r.trimmed = known.trimmed
			}
			break
		}
		r.end++
		if sc.text[r.end-1] != '.' {
			r.trimmed = r.end
		}
	}
	*known = r
	sc.ahead.readAhead(p, r.end)
	return r
}
