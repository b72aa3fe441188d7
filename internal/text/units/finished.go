package units

import (
	"strings"
	"unicode/utf8"

	"confab/internal/text"
)

// Finished returns the text of an answer that was cut off up to the end of its last finished sentence or line. A text without
// one is returned as it is.
func Finished(s string) string {
	const closing = "\"'”’»)]*_`"
	sentences := text.AppendSentences(nil, s)
	n := len(sentences)
	if n == 0 {
		return s
	}
	last := strings.TrimRight(sentences[n-1].In(s), closing)
	if r, _ := utf8.DecodeLastRuneInString(last); n > 1 && !strings.ContainsRune(".!?。！？", r) {
		n--
	}
	end := int(sentences[n-1].End)
	return s[:len(s)-len(strings.TrimLeft(s[end:], closing))]
}
