package technical

import (
	"strings"

	"confab/detectors"
	"confab/detectors/technical/mentions"
)

const (
	maxContextBytes = 200_000 // of the prompt that is searched
	maxContextTexts = 2000    // messages of it
)

// faultyMention is a mention with a fault.
type faultyMention struct {
	kind       mentions.Kind
	assessment assessment
	evidence   detectors.Evidence
}

// documentScratch holds the detector's working data for one document; its storage is reused.
type documentScratch struct {
	answer  mentions.Scanner
	work    *detectors.Work
	texts   []string // of the context
	faults  []faultyMention
	rows    []detectors.Evidence
	names   listedNames
	found   [6]int
	wrong   [4]int
	numbers [10]detectors.Measure
}

func (s *documentScratch) reset(answer string, work *detectors.Work) {
	s.answer.Reset(answer, work)
	s.work = work
	s.texts, s.faults, s.rows = s.texts[:0], s.faults[:0], s.rows[:0]
	s.found, s.wrong = [6]int{}, [4]int{}
	s.names.read, s.names.endpoints, s.names.calls = false, s.names.endpoints[:0], s.names.calls[:0]
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
	default: // others are not counted
	}
	s.faults = append(s.faults, faultyMention{
		kind: m.Kind, assessment: v,
		evidence: detectors.Evidence{Start: int(m.Start), End: int(m.End), Source: -1, Note: v.note},
	})
}

func (s *documentScratch) measures() []detectors.Measure {
	for i, name := range [...]string{"urls", "dois", "packages", "imports", "members", "calls"} {
		s.numbers[i] = detectors.Measure{Name: name, Value: float64(s.found[i])}
	}
	for i, name := range [...]string{"unknown_names", "near_misses", "not_in_context", "malformed"} {
		s.numbers[6+i] = detectors.Measure{Name: name, Value: float64(s.wrong[i])}
	}
	return s.numbers[:]
}

// contextTexts are the texts that can confirm a mention: the sources with their addresses, and the prompt without the
// assistant's turns.
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
	s.work.Spend(len(doc.Interaction().Messages) / detectors.ScanRows)
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

// contains reports whether a text of the context contains the words in any letter case, not as part of a longer name. A path
// may continue after them.
func (t contextTexts) contains(words string) bool {
	if words == "" {
		return false
	}
	for _, text := range t.texts {
		if t.containsExact(text, words) {
			return true
		}
	}
	for _, text := range t.texts {
		if t.containsFolded(text, words) {
			return true
		}
	}
	return false
}

func (t contextTexts) containsExact(text, words string) bool {
	t.work.Spend(1 + len(text)/detectors.SearchBytes)
	for from := 0; t.work.Spend(1 + len(words)/detectors.SearchBytes); {
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

func (t contextTexts) containsFolded(text, words string) bool {
	first := words[0]
	if lower := first | 0x20; 'a' <= lower && lower <= 'z' {
		return t.containsFrom(text, words, lower) || t.containsFrom(text, words, lower&^0x20)
	}
	return t.containsFrom(text, words, first)
}

// foldedHead is the number of bytes that are compared first when words are longer.
const foldedHead = 64

// containsFrom compares case-insensitively at each occurrence of the first byte.
func (t contextTexts) containsFrom(text, words string, first byte) bool {
	t.work.Spend(1 + len(text)/detectors.SearchBytes)
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
		if !t.work.Spend(cost) {
			return false
		}
		if end := at + len(words); strings.EqualFold(text[at:end], words) && mentions.StandsAlone(text, at, end) {
			return true
		}
		from = at + 1
	}
	return false
}
