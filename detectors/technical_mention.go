package detectors

import (
	"confab/internal/names"
)

// maxMentions are judged; the rest is truncated.
const maxMentions = 64

// mention is a place of the answer that names something outside it.
type mention struct {
	start, end int32
	kind       mentionKind
	ecosystem  names.Ecosystem // of packages
}

// mentionKind is what a mention names.
type mentionKind uint8

// What a mention can name.
const (
	mentionURL mentionKind = iota
	mentionMail
	mentionDOI
	mentionArXiv
	mentionPackage
	mentionPython
	mentionScript // an import of JavaScript or TypeScript
	mentionGo
	mentionRust
	mentionRustStd // a module of Rust's standard library
)

// isName reports whether the mention names a package or a module.
func (k mentionKind) isName() bool { return k >= mentionPackage }

// mentionScan finds the mentions of one answer.
type mentionScan struct {
	answer   string
	work     *Work
	mentions []mention
	full     bool // there were more mentions
	blocks   []codeBlock
}

// reset points the scan at another answer.
func (s *mentionScan) reset(answer string, work *Work) {
	s.answer, s.work, s.full = answer, work, false
	s.mentions, s.blocks = s.mentions[:0], s.blocks[:0]
}

// mention notes a place, once for each name.
func (s *mentionScan) mention(kind mentionKind, start, end int, e names.Ecosystem) {
	if start >= end {
		return
	}
	s.work.Spend(mentionCost + (end-start)/SearchBytes)
	for i := range s.mentions {
		m := &s.mentions[i]
		if m.kind == kind && m.ecosystem == e && s.answer[m.start:m.end] == s.answer[start:end] {
			return
		}
	}
	if len(s.mentions) == maxMentions {
		s.full = true
		return
	}
	s.mentions = append(s.mentions, mention{start: int32(start), end: int32(end), kind: kind, ecosystem: e})
}

// open charges a step and reports whether it can find anything: not once the mentions are full or the work has ended.
func (s *mentionScan) open(cost int) bool { return !s.full && s.work.Spend(cost) }

// within reports whether a mention covers the offset.
func (s *mentionScan) within(at int) bool {
	s.work.Spend(1 + len(s.mentions)/Glances)
	for i := range s.mentions {
		if int(s.mentions[i].start) <= at && at < int(s.mentions[i].end) {
			return true
		}
	}
	return false
}

// standsAlone reports whether the bytes are not cut out of a longer name.
func standsAlone(text string, start, end int) bool {
	return (start == 0 || !nameByte(text[start-1])) && (end == len(text) || !nameByte(text[end]))
}

func nameByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c >= 0x80
}
