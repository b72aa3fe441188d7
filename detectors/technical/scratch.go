package technical

import (
	"strings"

	"confab/detectors"
	"confab/detectors/technical/mentions"
)

const (
	maxContextBytes = 200_000 // of the prompt that are searched
	maxContextTexts = 2000    // messages of it
)

// faultyMention is a mention with what is wrong with it.
type faultyMention struct {
	kind     mentions.Kind
	verdict  assessment
	evidence detectors.Evidence
}

// documentScratch is what the technical detector keeps of one document while it reads it.
type documentScratch struct {
	answer  mentions.Scanner
	work    *detectors.Work
	texts   []string // of the context
	faults  []faultyMention
	rows    []detectors.Evidence
	found   [4]int
	wrong   [4]int
	numbers [8]detectors.Measure
}

func (s *documentScratch) reset(answer string, work *detectors.Work) {
	s.answer.Reset(answer, work)
	s.work = work
	s.texts, s.faults, s.rows = s.texts[:0], s.faults[:0], s.rows[:0]
	s.found, s.wrong = [4]int{}, [4]int{}
}

func (s *documentScratch) add(m *mentions.Mention, v assessment) {
	switch v.fault {
	case faultUnknownName:
		s.wrong[0]++
	case faultNearMiss:
		s.wrong[1]++
	case faultNotInContext:
		s.wrong[2]++
	case faultMalformed:
		s.wrong[3]++
	default: // the rest is not counted
	}
	s.faults = append(s.faults, faultyMention{
		kind: m.Kind, verdict: v,
		evidence: detectors.Evidence{Start: int(m.Start), End: int(m.End), Source: -1, Note: v.note},
	})
}

func (s *documentScratch) measures() []detectors.Measure {
	for i, name := range [...]string{"urls", "dois", "packages", "imports"} {
		s.numbers[i] = detectors.Measure{Name: name, Value: float64(s.found[i])}
	}
	for i, name := range [...]string{"unknown_names", "near_misses", "not_in_context", "malformed"} {
		s.numbers[4+i] = detectors.Measure{Name: name, Value: float64(s.wrong[i])}
	}
	return s.numbers[:]
}

// contextTexts is what may vouch for a mention: the sources with their addresses, and the prompt without what the
// model itself said earlier.
type contextTexts struct {
	texts []string
	work  *detectors.Work
}

func (s *documentScratch) context(doc *detectors.Document) contextTexts {
	for i := range doc.Sources() {
		s.texts = append(s.texts, doc.Source(i))
		if uri := doc.Interaction().Sources[i].URI; uri != "" {
			s.texts = append(s.texts, uri)
		}
	}
	left, most := maxContextBytes, len(s.texts)+maxContextTexts
	s.work.Spend(len(doc.Interaction().Messages) / detectors.Glances)
	for i := range doc.Interaction().Messages {
		m := &doc.Interaction().Messages[i]
		if m.Role == "assistant" || m.Content == "" {
			continue
		}
		if len(s.texts) == most {
			break
		}
		part := m.Content[:min(left, len(m.Content))]
		left -= len(part)
		s.texts = append(s.texts, part)
	}
	return contextTexts{s.texts, s.work}
}

// contains reports whether a text of the context has the words, as they stand or in other letters of case, and not as a part
// of a longer name. A part of a path may go on after them.
func (c contextTexts) contains(words string) bool {
	if words == "" {
		return false
	}
	for _, text := range c.texts {
		if c.containsExact(text, words) {
			return true
		}
	}
	for _, text := range c.texts {
		if c.containsFolded(text, words) {
			return true
		}
	}
	return false
}

func (c contextTexts) containsExact(text, words string) bool {
	c.work.Spend(1 + len(text)/detectors.SearchBytes)
	for from := 0; c.work.Spend(1 + len(words)/detectors.SearchBytes); {
		at := strings.Index(text[from:], words)
		if at < 0 {
			return false
		}
		if at += from; mentions.StandsAlone(text, at, at+len(words)) {
			return true
		}
		from = at + 1
	}
	return false
}

func (c contextTexts) containsFolded(text, words string) bool {
	first := words[0]
	if lower := first | 0x20; 'a' <= lower && lower <= 'z' {
		return c.containsFrom(text, words, lower) || c.containsFrom(text, words, lower&^0x20)
	}
	return c.containsFrom(text, words, first)
}

// foldedHead is how many bytes are compared first, where more are to be.
const foldedHead = 64

// containsFrom looks where the text has the first byte.
func (c contextTexts) containsFrom(text, words string, first byte) bool {
	c.work.Spend(1 + len(text)/detectors.SearchBytes)
	for from := 0; from+len(words) <= len(text); {
		at := strings.IndexByte(text[from:], first)
		if at < 0 || from+at+len(words) > len(text) {
			return false
		}
		at += from
		cost := 1
		if len(words) > foldedHead && strings.EqualFold(text[at:at+foldedHead], words[:foldedHead]) {
			cost += len(words) / foldedBytes
		}
		if !c.work.Spend(cost) {
			return false
		}
		if end := at + len(words); strings.EqualFold(text[at:end], words) && mentions.StandsAlone(text, at, end) {
			return true
		}
		from = at + 1
	}
	return false
}
