package fit

import (
	"confab/internal/text"
	"confab/schemas"
)

// Answers of a group with this share of common words, and more, are variants of one text.
const variantShare = 0.7

// markVariants gives a bad answer without spans those of its words that no good variant of the same text has: in sets of
// edited answers the edit is the fault. Where words were only left out, their neighbors are marked. An answer without a good
// variant in its group stays as it is.
func markVariants(rows []schemas.Labelled) {
	type key struct{ set, group string }
	good := map[key][]answerWords{}
	for i := range rows {
		if r := &rows[i]; r.Label == 0 && r.Group != "" {
			if k := (key{r.Dataset, r.Group}); len(good[k]) < maxVariants {
				good[k] = append(good[k], splitAnswer(r.Interaction.Answer))
			}
		}
	}
	for i := range rows {
		r := &rows[i]
		if r.Label != 1 || len(r.Spans) > 0 || r.Group == "" {
			continue
		}
		if list := good[key{r.Dataset, r.Group}]; len(list) > 0 {
			r.Spans = splitAnswer(r.Interaction.Answer).differences(list)
		}
	}
}

// answerWords is an answer as words.
type answerWords struct {
	tokens []text.Token
	counts map[uint64]int
}

func splitAnswer(answer string) answerWords {
	v := answerWords{tokens: text.AppendTokens(nil, answer), counts: map[uint64]int{}}
	for i := range v.tokens {
		v.counts[v.tokens[i].Hash]++
	}
	return v
}

// Bounds of the cost: words of an answer, whose alignment costs the product of two lengths, good answers of a group, and
// those of them that an answer is aligned with.
const (
	maxVariantWords = 400
	maxVariants     = 200
	maxAligned      = 32
)

// isVariant reports whether the answers share most of their words.
func (v *answerWords) isVariant(of *answerWords) bool {
	common := 0
	for word, n := range v.counts {
		common += min(n, of.counts[word])
	}
	longest := max(len(v.tokens), len(of.tokens))
	return longest <= maxVariantWords && float64(common) >= variantShare*float64(longest)
}

// differences are the runs of words that none of the good variants has at that place, else the neighbors of words that all
// of them have in addition.
func (v answerWords) differences(good []answerWords) []schemas.Span {
	held := make([]bool, len(v.tokens))
	leftOut := make([]bool, len(v.tokens)+1) // by the word after the gap: every variant has words there
	for i := range leftOut {
		leftOut[i] = true
	}
	aligned := 0
	for i := range good {
		if aligned < maxAligned && v.isVariant(&good[i]) {
			aligned++
			v.align(&good[i], held, leftOut)
		}
	}
	if aligned == 0 || len(held) == 0 {
		return nil
	}
	if spans := v.runsWithout(held); len(spans) > 0 {
		return spans
	}
	var spans []schemas.Span
	for i, out := range leftOut {
		if out {
			spans = append(spans, v.span(max(i-1, 0), min(i, len(held)-1)))
		}
	}
	return spans
}

// runsWithout are the runs of words that are not held.
func (v *answerWords) runsWithout(held []bool) (spans []schemas.Span) {
	for i := 0; i < len(held); i++ {
		first := i
		for i < len(held) && !held[i] {
			i++
		}
		if i > first {
			spans = append(spans, v.span(first, i-1))
		}
	}
	return spans
}

// span extends from the first to the last of these words.
func (v *answerWords) span(first, last int) schemas.Span {
	return schemas.Span{Start: int(v.tokens[first].Start), End: int(v.tokens[last].End)}
}

// align finds a longest common subsequence with the good variant, marks its words as held, and clears the gaps in which
// the good variant has no words.
func (v *answerWords) align(good *answerWords, held, leftOut []bool) {
	n, m := len(v.tokens), len(good.tokens)
	length := v.commonLengths(good)
	i, k, gap := 0, 0, false
	for i < n {
		switch {
		case k < m && v.tokens[i].Hash == good.tokens[k].Hash:
			held[i] = true
			leftOut[i] = leftOut[i] && gap
			i, k, gap = i+1, k+1, false
		case k < m && length[i][k+1] >= length[i+1][k]:
			k, gap = k+1, true
		default:
			leftOut[i] = false
			i++
		}
	}
	leftOut[n] = leftOut[n] && k < m
}

// commonLengths are the lengths of the longest common subsequences of what follows each pair of words.
func (v *answerWords) commonLengths(good *answerWords) [][]int16 {
	n, m := len(v.tokens), len(good.tokens)
	length := make([][]int16, n+1)
	cells := make([]int16, (n+1)*(m+1))
	for i := range length {
		length[i] = cells[i*(m+1) : (i+1)*(m+1)]
	}
	for i := n - 1; i >= 0; i-- {
		for k := m - 1; k >= 0; k-- {
			if v.tokens[i].Hash == good.tokens[k].Hash {
				length[i][k] = length[i+1][k+1] + 1
			} else {
				length[i][k] = max(length[i+1][k], length[i][k+1])
			}
		}
	}
	return length
}
