package technical

import (
	"confab/detectors"
	"confab/internal/names"
)

// MaxMentions is the maximum number of mentions of an answer; further ones are dropped.
const MaxMentions = 64

// Mention is a span of the answer that names something outside it.
type Mention struct {
	Start, End int32
	Kind       Kind
	Ecosystem  names.Ecosystem // of packages and members

	ModuleStart, ModuleEnd int32 // of a member: its module in the answer; both 0 for a global object
}

// Kind says what a mention names.
type Kind uint8

// The kinds of mentions.
const (
	URL Kind = iota
	Mail
	DOI
	ArXiv
	Package
	Python
	Script // an import of JavaScript or TypeScript
	Go
	Rust
	RustStd  // a module of Rust's standard library
	Member   // a member of an imported module, with the name in code before it or without
	Endpoint // a method and a path of HTTP
	Call     // a function with its object
)

// IsName reports whether the mention names a package or a module.
func (k Kind) IsName() bool { return k >= Package }

// Scanner finds the mentions of one answer.
type Scanner struct {
	answer   string
	work     *detectors.Work
	Mentions []Mention
	Full     bool // further mentions were dropped
	blocks   []codeBlock
	bindings []binding
}

// Reset prepares the scanner for another answer.
func (s *Scanner) Reset(answer string, work *detectors.Work) {
	s.answer, s.work, s.Full = answer, work, false
	s.Mentions, s.blocks, s.bindings = s.Mentions[:0], s.blocks[:0], s.bindings[:0]
}

// addMention records a span, once per name.
func (s *Scanner) addMention(kind Kind, start, end int, e names.Ecosystem) {
	if start >= end {
		return
	}
	s.work.Spend(mentionCost + (end-start)/detectors.SearchBytes)
	for i := range s.Mentions {
		m := &s.Mentions[i]
		if m.Kind == kind && m.Ecosystem == e && s.answer[m.Start:m.End] == s.answer[start:end] {
			return
		}
	}
	if len(s.Mentions) == MaxMentions {
		s.Full = true
		return
	}
	s.Mentions = append(s.Mentions, Mention{Start: int32(start), End: int32(end), Kind: kind, Ecosystem: e})
}

// mayContinue charges a step and reports false once the mentions are full or the work has ended.
func (s *Scanner) mayContinue(cost int) bool { return !s.Full && s.work.Spend(cost) }

// isMentioned reports whether a mention covers the offset.
func (s *Scanner) isMentioned(at int) bool {
	s.work.Spend(1 + len(s.Mentions)/detectors.ScanRows)
	for i := range s.Mentions {
		if int(s.Mentions[i].Start) <= at && at < int(s.Mentions[i].End) {
			return true
		}
	}
	return false
}

// StandsAlone reports whether the span is not part of a longer name.
func StandsAlone(text string, start, end int) bool {
	return (start == 0 || !nameByte(text[start-1])) && (end == len(text) || !nameByte(text[end]))
}

func nameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c >= 0x80
}
