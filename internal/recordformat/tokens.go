package recordformat

import (
	"strings"

	"confab/schemas"
)

// TokenTexts collects the texts of tokens in order while log probabilities are read, to compute offsets.
type TokenTexts struct {
	Text    []byte
	Unknown bool // a token had no text
}

// Reset removes all texts.
func (t *TokenTexts) Reset() { t.Text, t.Unknown = t.Text[:0], false }

// AlignOffsets converts offsets in the tokens' text to offsets in the answer, or drops them where the texts differ.
// Tokens may have leading white space that the answer lacks, end before it, or continue past its end.
func (t *TokenTexts) AlignOffsets(l *schemas.Logprobs, answer string) {
	text := StringView(t.Text)
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	if strings.HasPrefix(answer, text) {
		lead = 0
	}
	text = text[lead:]
	fits := strings.HasPrefix(answer, text) || (answer != "" && strings.HasPrefix(text, answer))
	if t.Unknown || text == "" || !fits {
		l.Offsets = l.Offsets[:0]
		return
	}
	for i, at := range l.Offsets {
		l.Offsets[i] = min(max(at-int32(lead), 0), int32(len(answer)))
	}
}
