package sampling

import (
	"slices"
	"strings"

	"confab/schemas"
)

// maxQuestion is the number of bytes read at the end of a message: long prompts end with the question.
const maxQuestion = 400

// Words that ask for a fact, alone or after "how" and "what".
var (
	factWords = []string{"when", "who", "whose", "whom", "where", "which"}      //nolint:gochecknoglobals // a read-only table
	howWords  = []string{"many", "much", "old", "long", "far", "tall", "often"} //nolint:gochecknoglobals // a read-only table
	whatWords = []string{                                                       //nolint:gochecknoglobals // a read-only table
		"year", "date", "day", "time", "number", "percentage", "percent", "price", "cost", "amount", "rate", "dose", "dosage",
		"name", "address", "city", "country", "limit", "deadline", "version",
	}
)

// asksForFacts reports whether the user's last message asks, in English, for a figure, a date, a person or a place. It
// does not allocate.
func asksForFacts(messages []schemas.Message) bool {
	for _, m := range slices.Backward(messages) {
		if strings.EqualFold(m.Role, "user") {
			before, after := m.Question()
			return factQuestion(before) || factQuestion(after)
		}
	}
	return false
}

func factQuestion(text string) bool {
	end := strings.LastIndexByte(text, '?')
	if end < 0 {
		return false
	}
	text = text[max(0, end-maxQuestion):end]
	if cut := strings.LastIndexAny(text, ".!?\n"); cut >= 0 { // the last sentence alone
		text = text[cut+1:]
	}
	const what, how = 1, 2
	after := 0
	for text != "" {
		var word string
		word, text = nextWord(text)
		switch {
		case word == "":
		case containsFold(factWords, word), after == how && containsFold(howWords, word), after == what && containsFold(whatWords, word):
			return true
		case strings.EqualFold(word, "how"):
			after = how
		case strings.EqualFold(word, "what"):
			after = what
		case after == how:
			after = 0 // "how many" are adjacent, "what is the price" need not be
		}
	}
	return false
}

// nextWord splits off the first run of letters.
func nextWord(text string) (word, rest string) {
	letter := func(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 }
	start := 0
	for start < len(text) && !letter(text[start]) {
		start++
	}
	end := start
	for end < len(text) && letter(text[end]) {
		end++
	}
	return text[start:end], text[end:]
}

func containsFold(words []string, word string) bool {
	for _, w := range words {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
