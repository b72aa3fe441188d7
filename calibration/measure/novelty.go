package measure

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"confab/schemas"
)

// Novelty is how much of an answer no source has: two floors that any detector should pass. The shares are NaN for an answer without
// words, or without sources.
type Novelty struct{ Words, Trigrams float64 }

// functionWords say nothing about a source.
const functionWords = " a about after all also an and any are as at be been before but by can could did do does for from had has have he her " +
	"his how i if in into is it its may might no not of on or our over she should so than that the their them then there these they this " +
	"those to was we were what when where which while who will with would you your "

// measureNovelty returns the shares of the answer's content words, and of its runs of three words, that are in no source.
func measureNovelty(answer string, sources []schemas.Source) Novelty {
	words, known, runs := plainWords(answer), map[string]bool{}, map[[3]string]bool{}
	for i := range sources {
		source := plainWords(sources[i].Text)
		for k, w := range source {
			known[w] = true
			if k >= 2 {
				runs[[3]string(source[k-2:])] = true
			}
		}
	}
	if len(words) == 0 || len(known) == 0 {
		return Novelty{math.NaN(), math.NaN()}
	}
	newRuns := 0
	for k := 2; k < len(words); k++ {
		if !runs[[3]string(words[k-2:])] {
			newRuns++
		}
	}
	n := Novelty{Trigrams: float64(newRuns) / float64(max(1, len(words)-2))}
	if content := slices.DeleteFunc(slices.Clone(words), isFunctionWord); len(content) > 0 {
		words = content
	}
	for _, w := range words {
		if !known[w] {
			n.Words += 1 / float64(len(words))
		}
	}
	return n
}

func isFunctionWord(w string) bool { return strings.Contains(functionWords, " "+w+" ") }

// plainWords are the words in lower case; a character of a script without spaces between words is a word.
func plainWords(s string) (words []string) {
	for _, field := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) }) {
		for field != "" {
			end := strings.IndexFunc(field, isWide)
			if end == 0 {
				end = len(string([]rune(field)[:1]))
			} else if end < 0 {
				end = len(field)
			}
			words, field = append(words, field[:end]), field[end:]
		}
	}
	return words
}

func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
