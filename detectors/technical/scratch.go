package technical

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/detectors"
)

const (
	maxContextBytes = 200_000 // of the prompt that is searched
	maxContextTexts = 2000    // messages of it
)

// faultyMention is a mention with a fault.
type faultyMention struct {
	kind       Kind
	assessment assessment
	evidence   detectors.Evidence
}

// documentScratch holds the detector's working data for one document; its storage is reused.
type documentScratch struct {
	answer  Scanner
	work    *detectors.Work
	texts   []string // of the context
	folded  foldedTexts
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

func (s *documentScratch) add(m *Mention, v assessment) {
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
	texts  []string
	folded *foldedTexts
	work   *detectors.Work
}

// foldedTexts are the texts in lower case, from the first search that needs them on. Every character keeps its place.
type foldedTexts struct {
	all   []byte
	ends  []int // of the texts in all
	words []byte
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
	s.folded.all, s.folded.ends = s.folded.all[:0], s.folded.ends[:0]
	return contextTexts{s.texts, &s.folded, s.work}
}

// contains reports whether a text of the context contains the words in any letter case, not as part of a longer name. A path
// may continue after them.
func (t contextTexts) contains(words string) bool {
	if words == "" {
		return false
	}
	if len(t.folded.ends) > 0 { // they have the words in every letter case
		return t.containsFolded(words)
	}
	for _, text := range t.texts {
		if t.search(text, len(words), func(from int) int { return strings.Index(text[from:], words) }) {
			return true
		}
	}
	return t.containsFolded(words)
}

// search reports whether one of the places that find returns, counted from from, is not part of a longer name. length is that
// of the words.
func (t contextTexts) search(text string, length int, find func(from int) int) bool {
	t.work.Spend(1 + len(text)/detectors.SearchBytes)
	for from := 0; t.work.Spend(1 + length/detectors.SearchBytes); {
		at := find(from)
		if at < 0 {
			return false
		}
		if at += from; StandsAlone(text, at, at+length) {
			return true
		}
		from = at + 1
	}
	return false
}

func (t contextTexts) containsFolded(words string) bool {
	f := t.folded
	if len(f.ends) == 0 {
		for _, text := range t.texts {
			t.work.Spend(1 + len(text)/foldedBytes)
			f.all = appendFolded(f.all, text)
			f.ends = append(f.ends, len(f.all))
		}
	}
	t.work.Spend(1 + len(words)/foldedBytes)
	f.words = appendFolded(f.words[:0], words)
	start := 0
	for i, text := range t.texts {
		folded := f.all[start:f.ends[i]]
		if t.search(text, len(words), func(from int) int { return bytes.Index(folded[from:], f.words) }) {
			return true
		}
		start = f.ends[i]
	}
	return false
}

// appendFolded appends s with each letter as the least of its case forms that have as many bytes.
func appendFolded(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if least := leastFold(r, size); least != r {
			dst = utf8.AppendRune(dst, least)
		} else {
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return dst
}

// leastFold is the least case form of r that has size bytes in UTF-8, as r does.
func leastFold(r rune, size int) rune {
	if 0x2E80 <= r && r < 0xA640 { // Chinese, Japanese: no letter case
		return r
	}
	least := r
	for form := unicode.SimpleFold(r); form != r; form = unicode.SimpleFold(form) {
		if form < least && utf8.RuneLen(form) == size {
			least = form
		}
	}
	return least
}
