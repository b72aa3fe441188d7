package llmapi_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json/llmapi"
)

// Only what is surely a request or a response is one.
func TestSides(t *testing.T) {
	const question, answer = `{"role":"user","content":"q"}`, `{"role":"assistant","content":"a"}`
	for raw, want := range map[string][2]bool{
		`{"messages":[` + question + `]}`:          {true, false},
		`[` + question + `]`:                       {true, false},
		`[` + question + `,` + answer + `]`:        {true, true},
		`[` + answer + `]`:                         {false, true},
		`{"choices":[{"message":` + answer + `}]}`: {false, true},
		`"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"`: {false, true},
		`[{"type":"llm","span_id":"s","input":[` + question + `],"output":"a"}]`:  {true, true},
		`"a text that is long enough to be an answer"`:                            {false, false},
		`{"text":"a","id":1}`: {false, false},
		`{"response":{"choices":[{"message":` + answer + `}]}}`: {false, false},
		`[{"type":"doc","content":"a"}]`:                        {false, false},
		`{"id":"m","role":"assistant","content":[]}`:            {false, false},
		`{`: {false, false},
	} {
		request, response := llmapi.Sides([]byte(raw))
		require.Equal(t, want, [2]bool{request, response}, raw)
	}
}
