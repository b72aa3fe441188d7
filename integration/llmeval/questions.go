package llmeval

import (
	_ "embed" // the questions are a file that people can read
	"slices"
	"strings"
	"unicode"
)

//go:embed questions.tsv
var questionsFile string

// Question has one short answer.
type Question struct {
	Text string
	Gold string // what a right answer contains: of a person the last name
}

// Questions are sixty of our own: a dozen each of capitals, chemical symbols, years, authors and sums, half of them obscure.
func Questions() []Question {
	var list []Question
	for line := range strings.Lines(questionsFile) {
		text, gold, _ := strings.Cut(strings.TrimSpace(line), "\t")
		list = append(list, Question{text, gold})
	}
	return list
}

// Right says whether the answer contains what it should, word by word. Letter case does not count.
func (q Question) Right(answer string) bool {
	said, want := splitWords(answer), splitWords(q.Gold)
	for i := 0; i+len(want) <= len(said); i++ {
		if slices.Equal(said[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

func splitWords(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
