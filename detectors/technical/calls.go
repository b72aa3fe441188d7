package technical

import (
	"iter"
	"strings"
)

// methods are the HTTP methods before the path of an endpoint.
func methods() [5]string { return [...]string{"GET /", "POST /", "PUT /", "PATCH /", "DELETE /"} }

// EndpointsIn yields the endpoints that a text names, such as "GET /v1/users/{id}", as bytes of the text. Query strings are
// left out.
func EndpointsIn(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for _, method := range methods() {
			for at := 0; ; {
				n := strings.Index(text[at:], method)
				if n < 0 {
					break
				}
				start := at + n
				at = start + len(method)
				if start > 0 && nameByte(text[start-1]) {
					continue
				}
				end := at + CutAny(text[at:], " \t\r\n`'\"?,;)]|*#\\")
				for end > at && strings.IndexByte(".:/", text[end-1]) >= 0 {
					end--
				}
				if end > at && !yield(start, end) {
					return
				}
				at = end
			}
		}
	}
}

// CallsIn yields the functions that a text calls or describes, as bytes of the text: names before an opening parenthesis
// that contain a dot, an underscore or an inner capital.
func CallsIn(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for at := 0; ; at++ {
			n := strings.IndexByte(text[at:], '(')
			if n < 0 {
				return
			}
			at += n
			start := nameBefore(text, at)
			if name := text[start:at]; name != "" && !isDigit(name[0]) && isCompound(name) && !yield(start, at) {
				return
			}
		}
	}
}

// nameBefore returns the start of the dotted name that ends at the offset.
func nameBefore(text string, at int) int {
	start := at
	for start > 0 && (identifierByte(text[start-1]) || text[start-1] == '.' && start < at) {
		start--
	}
	for start < at && text[start] == '.' {
		start++
	}
	return start
}

// isCompound reports whether a name has a form that prose does not have.
func isCompound(name string) bool {
	for i := 1; i < len(name); i++ {
		if c := name[i]; c == '.' || c == '_' || 'A' <= c && c <= 'Z' && 'a' <= name[i-1] && name[i-1] <= 'z' {
			return true
		}
	}
	return false
}

// endpoints records the HTTP endpoints of the answer.
func (s *Scanner) endpoints() {
	for start, end := range EndpointsIn(s.answer) {
		if !s.mayContinue(1) {
			return
		}
		s.addMention(Endpoint, start, end, noEcosystem)
	}
}

// calls records the functions that the answer calls in code: in fenced blocks and in inline code.
func (s *Scanner) calls() {
	at := 0
	for _, b := range s.blocks {
		s.inlineCalls(at, b.start)
		s.callsOf(b.start, b.end)
		at = b.end
	}
	s.inlineCalls(at, len(s.answer))
}

// inlineCalls records the calls between backticks. A line ends inline code.
func (s *Scanner) inlineCalls(at, end int) {
	inside := false
	for at < end && s.mayContinue(1) {
		n := strings.IndexAny(s.answer[at:end], "`\n")
		if n < 0 {
			return
		}
		if s.answer[at+n] == '\n' {
			inside = false
		} else {
			if inside {
				s.callsOf(at, at+n)
			}
			inside = !inside
		}
		at += n + 1
	}
}

// callsOf records the calls in these bytes.
func (s *Scanner) callsOf(from, to int) {
	for start, end := range CallsIn(s.answer[from:to]) {
		if !s.mayContinue(1) {
			return
		}
		s.addMention(Call, from+start, from+end, noEcosystem)
	}
}
