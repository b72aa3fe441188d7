package promptsources

import (
	"slices"
	"strings"

	tokens "confab/internal/text"
)

// topic is what the question and the answer speak of. The passages that an answer was drawn from hold most of its words, or of those
// of the question, and instructions hold few.
type topic struct {
	answer, question string

	answered, asked vocabulary
	list            []tokens.Token
}

// vocabulary holds the stems of the first words of a text, in order, and which of them another text has.
type vocabulary struct {
	stems []uint64
	seen  []bool
}

const fewWords = 3 // of a text that may be about anything

// drawn reports a text that holds at least half of the words of the answer or of the question, in any language.
func (t *topic) drawn(s, question string) bool {
	few := fewWords
	if endsAsQuestion(question) {
		few--
	}
	t.read(question)
	return t.covers(s, &t.answered, fewWords) || t.covers(s, &t.asked, few)
}

func (t *topic) covers(s string, v *vocabulary, least int) bool {
	if len(v.stems) < least {
		return false
	}
	shared := t.shared(s, v)
	return shared >= least && 2*shared >= len(v.stems)
}

// known reports that there is an answer, and words of it or of the question to look for.
func (t *topic) known(question string) bool {
	t.read(question)
	return t.answer != "" && max(len(t.answered.stems), len(t.asked.stems)) >= fewWords
}

// holdsMost reports a text that holds three of five words of the answer, or four of five of the question.
func (t *topic) holdsMost(s string) bool {
	answered, asked := t.shared(s, &t.answered), t.shared(s, &t.asked)
	return answered >= fewWords && 5*answered >= 3*len(t.answered.stems) || asked >= fewWords && 5*asked >= 4*len(t.asked.stems)
}

// read reads the answer, unless it is code, and a question.
func (t *topic) read(question string) {
	if t.answered.stems == nil && t.answer != "" {
		if f := readFeatures(t.answer); f.code*4 < f.lines {
			t.fill(&t.answered, t.answer)
		}
	}
	if t.question != question {
		t.question = question
		t.fill(&t.asked, question)
	}
}

func (t *topic) fill(v *vocabulary, s string) {
	const most = 200
	v.stems = slices.Grow(v.stems[:0], 32)
	t.each(s, func(stem uint64) bool {
		v.stems = append(v.stems, stem)
		return len(v.stems) < most
	})
	slices.Sort(v.stems)
	v.stems = slices.Compact(v.stems)
}

func (t *topic) shared(s string, v *vocabulary) (n int) {
	v.seen = slices.Grow(v.seen[:0], len(v.stems))[:len(v.stems)]
	clear(v.seen)
	t.each(s, func(stem uint64) bool {
		if at, ok := slices.BinarySearch(v.stems, stem); ok && !v.seen[at] {
			v.seen[at] = true
			n++
		}
		return n < len(v.stems)
	})
	return n
}

// each calls yield with the stems of a text but for stop words until it returns false.
func (t *topic) each(s string, yield func(uint64) bool) {
	const longest = 1 << 18
	t.list = slices.Grow(t.list[:0], 64)
	for line := range strings.Lines(s[:min(len(s), longest)]) {
		t.list = tokens.AppendTokens(t.list[:0], line)
		for _, word := range t.list {
			if !word.Stop() && !yield(word.Stem) {
				return
			}
		}
	}
}
