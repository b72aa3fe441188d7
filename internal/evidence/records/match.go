package records

import (
	"strings"

	"confab/internal/evidence"
	"confab/internal/text"
)

// readWords lists the words of the answer by their first byte.
func (r *Reading) readWords(answer string) {
	for i := range r.x.Answer.Terms {
		t := &r.x.Answer.Terms[i]
		s := answer[t.Start:t.End]
		for a, b := nextWord(s, 0); a < b; a, b = nextWord(s, b) {
			w := word{text: strings.ToLower(s[a:b]), stem: text.Hash(s[a:b]), term: int32(i)}
			if b-a == len(s) && !t.Has(evidence.Numeric) {
				w.stem = t.Key
			}
			if n := len(r.words); n > 0 && (a > 0 || i > 0 && r.x.Answer.Terms[i-1].End == t.Start-1 && answer[t.Start-1] == '-') && b-a < 12 {
				joined := r.words[n-1].text + w.text
				r.words = append(r.words, word{text: joined, stem: text.Hash(joined), term: int32(i)})
			}
			r.words = append(r.words, w)
		}
	}
	clear(r.heads[:])
	r.next = append(r.next[:0], make([]int32, len(r.words))...)
	for i := len(r.words) - 1; i >= 0; i-- {
		head := &r.heads[r.words[i].text[0]]
		r.next[i], *head = *head, int32(i)+1
	}
}

// hitsOf are the terms of the answer that have the part, in order.
func (r *Reading) hitsOf(id int32) []int32 {
	p := &r.parts[id]
	if !p.found {
		p.found = true
		p.hits.First = int32(len(r.hits))
		for i := r.heads[p.text[0]]; i > 0; i = r.next[i-1] {
			if w := &r.words[i-1]; isSame(p, w) {
				if n := len(r.hits); int32(n) == p.hits.First || r.hits[n-1] != w.term {
					r.hits = append(r.hits, w.term)
				}
			}
		}
		p.hits.Last = int32(len(r.hits))
	}
	return r.hits[p.hits.First:p.hits.Last]
}

const (
	minPrefix = 4  // letters of a word that is the beginning of another
	minStem   = 5  // letters that two forms of a word share,
	stemShare = 62 // and percent of the longer one
)

// isSame reports forms or abbreviations of one word.
func isSame(p *part, w *word) bool {
	if p.text == w.text || p.stem == w.stem {
		return true
	}
	a, b := p.text, w.text
	if isDigit(a[0]) {
		return false
	}
	n, short, long := 0, min(len(a), len(b)), max(len(a), len(b))
	for n < short && a[n] == b[n] {
		n++
	}
	if n == short && n >= minPrefix || n >= minStem && 100*n >= stemShare*long {
		return true
	}
	return isAbbreviation(a, b)
}

// isAbbreviation reports a few consonants of a word, in order: "qty", "db".
func isAbbreviation(a, b string) bool {
	if len(a) < 2 || len(a) > 4 || len(b) < len(a)+2 || strings.ContainsAny(a[1:], "aeiou") {
		return false
	}
	k := 0
	for i := 0; i < len(b) && k < len(a); i++ {
		if b[i] == a[k] {
			k++
		}
	}
	return k == len(a)
}
