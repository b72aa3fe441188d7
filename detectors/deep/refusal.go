package deep

import (
	"strings"

	"confab/internal/text/units"
)

// refusals are the openings of texts that decline to answer. A refusal that matches none is compared like any answer.
//
//nolint:gochecknoglobals // a read-only table
var refusals = [...]string{
	"i can't ", "i cannot ", "i can not ", "i'm sorry", "i am sorry", "sorry, ", "i'm unable", "i am unable", "i'm not able",
	"i am not able", "as an ai", "i don't know", "i do not know", "i won't ", "i will not ", "unfortunately, i ",
	"ich kann nicht", "ich kann dir", "ich kann ihnen", "es tut mir leid", "je ne peux pas", "je suis désolé", "no puedo ", "lo siento",
	"non posso ", "mi dispiace", "抱歉", "对不起", "我不能", "我无法", "申し訳",
}

// maxRefusal is the length in bytes above which a text is not only a refusal.
const maxRefusal = 400

// IsRefusal reports whether the text declines to answer, or says in any of five languages only that the sources do not know.
func IsRefusal(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) <= maxRefusal && (Declines(text) || units.OnlyAbstains(text))
}

// Declines reports whether the text begins as one that declines to answer.
func Declines(text string) bool {
	text = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(text), "’", "'"))
	for _, r := range refusals {
		if strings.HasPrefix(text, r) {
			return true
		}
	}
	return false
}
