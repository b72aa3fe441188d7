package promptsources

import (
	"strings"

	tokens "confab/internal/text"
)

// topic is what the answer speaks of. The passages that an answer was drawn from hold most of its words, and instructions hold
// few. Without an answer nothing is known.
type topic struct {
	answer   string
	answered vocabulary
	list     []tokens.Token
	texts    int
}

// vocabulary holds stems, each with the number of the last text that has it.
type vocabulary map[uint64]int

const fewWords = 3 // of an answer that may be one of any text

// drawn reports a text that holds at least half of the words of the answer, in any language.
func (t *topic) drawn(s string) bool {
	t.read()
	shared := 0
	if len(t.answered) >= fewWords {
		shared = t.shared(t.answered, s)
	}
	return shared >= fewWords && 2*shared >= len(t.answered)
}

// strange reports a text that has hardly a word of the question and of the answer.
func (t *topic) strange(s, question string) bool {
	t.read()
	if len(t.answered) < fewWords || 4*t.shared(t.answered, s) >= len(t.answered) {
		return false
	}
	asked := t.vocabulary(question)
	return len(asked) > 0 && 4*t.shared(asked, s) < len(asked)
}

func (t *topic) read() {
	if t.answered == nil && t.answer != "" {
		t.answered = make(vocabulary)
		if f := readFeatures(t.answer); f.code*4 < f.lines {
			t.answered = t.vocabulary(t.answer)
		}
	}
}

func (t *topic) vocabulary(s string) vocabulary {
	v := make(vocabulary)
	t.each(s, func(stem uint64) { v[stem] = 0 })
	return v
}

func (t *topic) shared(v vocabulary, s string) (n int) {
	t.texts++
	t.each(s, func(stem uint64) {
		if last, ok := v[stem]; ok && last < t.texts {
			v[stem] = t.texts
			n++
		}
	})
	return n
}

// each calls yield with the stems of a text but for stop words.
func (t *topic) each(s string, yield func(uint64)) {
	const longest = 1 << 18
	for line := range strings.Lines(s[:min(len(s), longest)]) {
		t.list = tokens.AppendTokens(t.list[:0], line)
		for _, word := range t.list {
			if !word.Stop() {
				yield(word.Stem)
			}
		}
	}
}
