package schemas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestQuestionOfMessages(t *testing.T) {
	user := schemas.Message{Role: "user", Content: "What is the weather?"}
	call := schemas.Message{Role: "assistant"}
	tool := schemas.Message{Role: "tool", Content: "rain", SourcesEnd: 4}
	around := schemas.Message{Role: "user", Content: "Use A rain B. Why?", SourcesStart: 6, SourcesEnd: 10}
	asked := around
	asked.QuestionStart, asked.QuestionEnd = 14, 18
	for name, c := range map[string]struct {
		messages      []schemas.Message
		before, after string
		asked         string
	}{
		"none":         {nil, "", "", ""},
		"one":          {[]schemas.Message{user}, user.Content, "", user.Content},
		"tools":        {[]schemas.Message{user, call, tool, call, tool}, user.Content, "", user.Content},
		"tool alone":   {[]schemas.Message{tool}, "", "", ""},
		"around":       {[]schemas.Message{around}, "Use A ", " B. Why?", "Use A  B. Why?"},
		"question":     {[]schemas.Message{user, call, asked}, "Why?", "", "Why?"},
		"empty answer": {[]schemas.Message{user, call}, "", "", user.Content},
	} {
		t.Run(name, func(t *testing.T) {
			in := schemas.Interaction{Messages: c.messages}
			before, after := in.Question()
			require.Equal(t, []string{c.before, c.after}, []string{before, after})
			require.Equal(t, c.asked, in.UserQuestion())
		})
	}
}
