package text

// Claim is a sentence, or what is left of it behind a lead-in, that states something a source could bear out.
type Claim struct {
	Sentence    int32 // index of the sentence it was found in
	Start, End  int32 // bytes of the text
	First, Last int32 // its tokens, half open
}

// MinClaimWords is how many words a claim has at least.
const MinClaimWords = 5

// AppendClaims appends the claims among the sentences of s, whose tokens lie in ranges (see [AppendTokenRanges]). No
// claims are: sentences of fewer than five words, questions, greetings, headings, code, scaffolding ("here is a summary
// in 78 words"), and abstentions ("the passages do not mention it"). Of a sentence with a lead-in ("according to passage
// 2, …") the rest is the claim.
func AppendClaims(dst []Claim, s string, sentences []Span, ranges []Range, tokens []Token) []Claim {
	for i, span := range sentences {
		r := ranges[i]
		if words(tokens[r.First:r.Last]) < MinClaimWords {
			continue
		}
		dst = append(dst, Claim{Sentence: int32(i), Start: span.Start, End: span.End, First: r.First, Last: r.Last})
	}
	return dst
}

// words counts words and numbers; two character pairs count as one word.
func words(tokens []Token) int {
	n := 0
	for i := range tokens {
		if tokens[i].Kind == Gram {
			n++
		} else {
			n += 2
		}
	}
	return n / 2
}
