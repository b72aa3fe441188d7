package text

// Span is a half-open range of bytes of a text.
type Span struct{ Start, End int32 }

// In is the part of s that the span covers.
func (p Span) In(s string) string { return s[p.Start:p.End] }

// Between is the part of s from the end of one token or figure to the start of a later one; "" where they overlap, as pairs
// of ideographs do.
func Between(s string, end, start int32) string { return s[end:max(start, end)] }

// Range is a half-open range of indices, of tokens or of sentences.
type Range struct{ First, Last int32 }

// Len is the number of indices in the range.
func (r Range) Len() int { return int(r.Last - r.First) }

// AppendTokenRanges appends, for each of the ordered sentences, the range of the ordered tokens that start within it.
func AppendTokenRanges(dst []Range, sentences []Span, tokens []Token) []Range {
	next := int32(0)
	for _, s := range sentences {
		for int(next) < len(tokens) && tokens[next].Start < s.Start {
			next++
		}
		first := next
		for int(next) < len(tokens) && tokens[next].Start < s.End {
			next++
		}
		dst = append(dst, Range{First: first, Last: next})
	}
	return dst
}

// Cut shortens s to at most limit bytes without splitting a character, and reports whether s was longer.
func Cut(s string, limit int) (string, bool) {
	if len(s) <= limit {
		return s, false
	}
	for limit > 0 && s[limit]&0xC0 == 0x80 {
		limit--
	}
	return s[:limit], true
}
