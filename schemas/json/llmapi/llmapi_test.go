package llmapi

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func empty() *schemas.Interaction {
	return &schemas.Interaction{Temperature: schemas.UnknownTemperature}
}

func TestOpenAIChat(t *testing.T) {
	in := empty()
	require.NoError(t, Request([]byte(`{"model":"m","temperature":0.2,"messages":[{"role":"system","content":"S"},{"role":"user","content":[{"type":"text","text":"Q"},{"type":"image_url","image_url":{"url":"x"}}]},{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1","content":"R"}]}`), in))
	require.Equal(t, []schemas.Message{{Role: "system", Content: "S"}, {Role: "user", Content: "Q"}, {Role: "assistant"}, {Role: "tool", Content: "R"}}, in.Messages)
	r, err := Response([]byte(`{"id":"c-1","object":"chat.completion","created":1795255201,"model":"m-2","choices":[{"index":0,"message":{"role":"assistant","content":"A"},"finish_reason":"stop"}]}`), in)
	require.NoError(t, err)
	require.Equal(t, Reading{Form: "openai.chat", Answered: true}, r)
	require.Equal(t, "A", in.Answer)
	require.Equal(t, "c-1", in.ID)
	require.Equal(t, "m", in.Model)
	require.Equal(t, "stop", in.FinishReason)
}
