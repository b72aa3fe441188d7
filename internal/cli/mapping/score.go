package mapping

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// The weights of what speaks for a place. Names say most; what texts share decides between places whose names say nothing.
const (
	nameWeight    = 1.5
	sizeWeight    = 1
	overlapWeight = 3
	apiWeight     = 1.5
	constant      = 2   // against a text that is the same in most records
	innerItem     = 0.4 // against one of several items of a list
	leastQuestion = 0.3
	leastSources  = 0.8

	leastShared    = 0.3 // of the words of answers in texts as short as titles
	leastWords     = 7
	leastSentences = 0.4 // the share of texts that are sentences

	unsure = 0.8 // a lead that leaves a doubt
	most   = 8   // candidates of a role that are compared with others
)

// facts are what the texts of a candidate look like.
type facts struct {
	present, sentences, asks, distinct float64 // shares
	words                              float64 // on the average
}

func (c *candidate) facts() (f facts) {
	n, distinct := 0.0, map[string]bool{}
	for _, t := range c.texts {
		if t = strings.TrimSpace(t); t == "" || t[0] == '{' { // of a tool
			continue
		}
		n++
		distinct[t] = true
		f.words += float64(len(strings.Fields(t)) + strings.Count(t, "")/12*boolToInt(strings.IndexFunc(t, wide) >= 0))
		if isSentence(t) {
			f.sentences++
		}
		if strings.ContainsAny(t[max(0, len(t)-4):], "?？") {
			f.asks++
		}
	}
	f.present = n / float64(max(1, len(c.texts)))
	n = max(1, n)
	f.words, f.sentences, f.asks, f.distinct = f.words/n, f.sentences/n, f.asks/n, float64(len(distinct))/n
	return f
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// size is between 0 and 1 by the number of words.
func (f facts) size(full float64) float64 { return min(1, math.Sqrt(f.words/full)) }

// repeats is the cost of a text that many records share.
func (f facts) repeats(records int) float64 {
	if count := f.distinct * f.present * float64(records); records < 3 || f.distinct > 0.1 && count > 1.5 { // answers of a support bot repeat, too
		return 0
	}
	return constant
}

// items are the steps into lists of several kinds of items.
func inner(path []step) (n float64) {
	for _, st := range path {
		if st.item {
			n++
		}
	}
	return n
}

// score sets the score of a candidate for a role; false where it cannot have it.
func (c *candidate) rate(r role) bool {
	f := c.facts()
	if f.present < 0.05 || f.sentences < leastSentences {
		return false
	}
	c.brief = f.words < leastWords
	c.score = nameWeight*named(c.steps, r) + f.present - 0.05*float64(len(c.steps))
	if c.api != "" && len(c.steps) > 0 {
		c.score += apiWeight
	}
	switch r {
	case answer:
		c.score += sizeWeight*f.size(12) - f.asks - 2*f.repeats(len(c.texts)) - innerItem*inner(c.steps)
	case question:
		c.score += 1.5*f.asks - f.repeats(len(c.texts)) - innerItem*inner(c.steps) - f.present
	case sources:
		c.score += sizeWeight*f.size(20) + float64(boolToInt(c.list)) - f.asks - f.present
	case nothing, roles:
		return false
	}
	return true
}

// ranked are the best candidates of a role, the best first.
func ranked(all []*candidate, r role) (best []*candidate) {
	for _, c := range all {
		if rated := *c; rated.rate(r) {
			best = append(best, &rated)
		}
	}
	slices.SortStableFunc(best, func(a, b *candidate) int { return cmp.Compare(b.score, a.score) })
	return best[:min(most, len(best))]
}

// choice is one answer with what it was given.
type choice struct{ answer, question, sources *candidate }

// score rates a choice by its parts and by the words they share.
func (c choice) score() float64 {
	total := c.answer.score
	if c.question != nil {
		if same(c.answer, c.question) {
			return math.Inf(-1)
		}
		total += c.question.score - leastQuestion
	}
	if c.sources != nil {
		if c.sources.conflicts(c.answer) || c.question != nil && c.sources.conflicts(c.question) {
			return math.Inf(-1)
		}
		shared := c.shared()
		total += c.sources.score - leastSources + overlapWeight*shared + 0.01*float64(len(c.sources.from)) // of two that tell as much the longer
		if c.sources.brief && shared < leastShared {
			total -= constant // a title
		}
	}
	return total
}

// conflicts reports whether sources hold what another candidate reads, or lie in a request or a response whose sources are read with it.
func (c *candidate) conflicts(with *candidate) bool {
	if with.sourced || with.api != "" && len(with.steps) > 0 && c.lies(with) {
		return true
	}
	n, lines := 0, 0
	for i, t := range with.texts {
		if t != "" {
			n++
			lines += boolToInt(strings.Contains("\n"+c.texts[i]+"\n", "\n"+t+"\n"))
		}
	}
	return 2*lines > n || same(c, with)
}

// same reports whether two candidates read mostly the same text.
func same(a, b *candidate) bool {
	if a.entry == b.entry || slices.ContainsFunc(a.from, func(p *place) bool { return slices.Contains(b.from, p) }) {
		return true
	}
	n, equal := 0, 0
	for i := range a.texts {
		if a.texts[i] != "" || b.texts[i] != "" {
			n++
			equal += boolToInt(a.texts[i] == b.texts[i])
		}
	}
	return 2*equal > n
}

// shared is the share of the answer's words that the sources have, on the average, less that of the sources' words in the answer.
func (c choice) shared() (sum float64) {
	n := 0.0
	for i := range c.answer.texts {
		if c.answer.texts[i] != "" {
			n++
			has, shared := c.sources.wordsOf(i), 0
			for word := range c.answer.wordsOf(i) {
				shared += boolToInt(has[word])
			}
			sum += float64(shared) / float64(max(1, len(c.answer.wordsOf(i))))
		}
	}
	return sum / max(1, n)
}

// choose returns the best choice; false where nothing looks like an answer.
func choose(answers, questions, passages []*candidate) (best choice, ok bool) {
	top := math.Inf(-1)
	for _, a := range answers {
		for _, q := range append(questions, nil) {
			for _, s := range append(passages, nil) {
				c := choice{a, q, s}
				if score := c.score(); score > top {
					best, top = c, score
				}
			}
		}
	}
	return best, best.answer != nil && best.answer.score > 0
}
