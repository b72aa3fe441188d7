package fit

import (
	"math"

	"confab/internal/text"
	"confab/schemas"
)

// stemFrequencies maps the first 16 bits of a stem's hash to the number of texts with that stem, on a logarithmic
// scale: 255 is the most frequent stem, 0 none. Texts are the distinct sources and the answers.
func stemFrequencies(rows []schemas.Labelled) []byte {
	counts := make([]uint32, 1<<16)
	last := make([]uint32, 1<<16)
	seen := map[string]bool{}
	var tokens []text.Token
	texts := uint32(0)
	count := func(s string) {
		if seen[s] {
			return
		}
		seen[s] = true
		texts++
		tokens = text.AppendTokens(tokens[:0], s)
		for i := range tokens {
			if h := tokens[i].Stem >> 48; last[h] != texts {
				last[h] = texts
				counts[h]++
			}
		}
	}
	for i := range rows {
		count(rows[i].Interaction.Answer)
		for k := range rows[i].Interaction.Sources {
			count(rows[i].Interaction.Sources[k].Text)
		}
	}
	table := make([]byte, len(counts))
	for i, n := range counts {
		table[i] = byte(math.Round(255 * math.Log1p(float64(n)) / math.Log1p(float64(max(texts, 1)))))
	}
	return table
}
