package llmeval

import (
	_ "embed" // for the questions
	"slices"
	"strings"
	"unicode"
)

//go:embed questions.tsv
var questionsFile string

// Question has one short answer.
type Question struct {
	Text string
	Gold string // part of every right answer: of a person the last name
}

// Questions returns sixty questions: a dozen each about capitals, chemical symbols, years, authors and sums, half of them
// obscure.
func Questions() []Question {
	var list []Question
	for line := range strings.Lines(questionsFile) {
		text, gold, _ := strings.Cut(strings.TrimSpace(line), "\t")
		list = append(list, Question{text, gold})
	}
	return list
}

// Right reports whether the answer contains Gold, word by word, in any case.
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
