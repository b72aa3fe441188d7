package deep

import (
	"regexp"
	"slices"
	"strings"

	"confab/internal/text/units"
)

// refusals are how texts begin that decline to answer, also behind an apology. A refusal that matches none is compared like any answer.
//
//nolint:gochecknoglobals // read-only tables
var (
	refusals = [...]string{
		"i can't ", "i cannot ", "i can not ", "i'm unable", "i am unable", "i'm not able", "i am not able", "as an ai", "i don't know", "i do not know",
		"i won't ", "i will not ", "unfortunately, i ", "ich kann nicht", "ich kann dir", "ich kann ihnen", "je ne peux pas", "no puedo ", "non posso ",
		"我不能", "我无法",
	}
	apologies = [...]string{"i'm sorry", "i am sorry", "sorry", "es tut mir leid", "je suis désolé", "lo siento", "mi dispiace", "抱歉", "对不起", "申し訳"}
	inability = [...]string{"can't", "cannot", "unable", "not able", "kann ich nicht", "kann das nicht", "peux pas", "できません"} // behind an apology
)

// maxRefusal is the length in bytes above which a text is not only a refusal.
const maxRefusal = 400

// IsRefusal reports whether the text declines to answer, or says in any of five languages only that the sources do not know.
func IsRefusal(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) <= maxRefusal && (Declines(text) || units.OnlyAbstains(text))
}

// sentenceEnd parts the apology from what follows.
var sentenceEnd = regexp.MustCompile(`[.!?。]\s+|。|\n`)

// Declines reports whether the text begins as one that declines to answer. An apology alone does not, nor what a later sentence says.
func Declines(text string) bool {
	text = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), "’", "'"))
	begins := func(start string) bool { return strings.HasPrefix(text, start) }
	if slices.ContainsFunc(refusals[:], begins) {
		return true
	} else if !slices.ContainsFunc(apologies[:], begins) {
		return false
	}
	sentences := append(sentenceEnd.Split(text, 3), "")
	has := func(part string) bool { return strings.Contains(sentences[0], part) }
	next := func(start string) bool { return has(start) || strings.HasPrefix(sentences[1], start) }
	return slices.ContainsFunc(refusals[:], next) || slices.ContainsFunc(inability[:], has)
}
