package deep

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An apology is a refusal where it, or the sentence after it, says that the assistant cannot.
func TestIsRefusal(t *testing.T) {
	for text, is := range map[string]bool{
		"I can't help with that.": true, "I'm sorry, but that is not something I'm able to do. I cannot do it.": true, "Sorry, this cannot be answered from the sources.": true,
		"I'm sorry to hear that. I can't help with tax questions.": true, "Es tut mir leid, das kann ich nicht beantworten.": true,
		"I'm sorry to hear that. Please block the card right away: 1. Open the app. 2. Tap Block. Blocked cards cannot be used again.": false,
		"Sorry for the wait! Your order leaves today.": false, "The card cannot be used abroad.": false,
	} {
		require.Equal(t, is, IsRefusal(text), text)
	}
}
