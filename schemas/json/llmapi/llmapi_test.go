package llmapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/recordformat"
	"confab/schemas"
)

func empty() *schemas.Interaction {
	return &schemas.Interaction{Temperature: schemas.UnknownTemperature}
}

// call reads a request, unless it is nil, and its response.
func call(request, response []byte, in *schemas.Interaction) (Reading, error) {
	a, err := Read(response)
	if err != nil {
		return Reading{}, err
	}
	if err := a.FillRequest(request, in); err != nil {
		return Reading{}, err
	}
	return a.Fill(0, in)
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

// What is of no form is not read, and what cannot be read is an error: nothing passes as an answer that is none.
func TestUnreadable(t *testing.T) {
	for response, want := range map[string]string{
		`{}`: "", `[]`: "", `null`: "", `7`: "", `true`: "", `{"candidates":""}`: "", `{"choices":7}`: "", `{"output":{}}`: "", `{"generations":[[]]}`: "", `{"data":[1]}`: "", `{"usage":{"error":"x"}}`: "",
		`"<!DOCTYPE html><title>502</title>"`: "", `" <HTML><body>Bad gateway"`: "", `{"output":"<html>"}`: "",
		`{"choices":[{"message":{"content":7}}]}`: "wrong_type in answer", `{"choices":[7]}`: "wrong_type in answer", `{"a":{"b":{"c":["x"]}}}`: "",
		`{"choices":[{"message":{"content":"a","Content":"b"}}]}`: "case_variant", `"{\"choices\":[{\"message\":{\"content\":\"a\",\"Content\":\"b\"}}]}"`: "case_variant",
		`{"choices":[` + strings.Repeat(`{},`, MaxChoices) + `{}]}`: "too_many in answer", strings.Repeat("[", 100) + strings.Repeat("]", 100): "too_deep",
		`{"choices":`: "syntax", `{"choices":[]} x`: "trailing_bytes",
	} {
		in := empty()
		reading, err := Response([]byte(response), in)
		require.Empty(t, in.Answer)
		if want == "" {
			require.NoError(t, err)
			require.False(t, reading.Answered, response)
			require.NotEqual(t, FormText, reading.Form)
		} else {
			require.ErrorContains(t, err, want, response)
		}
	}
}

// A wrong side value costs that value.
func TestWrongSideValues(t *testing.T) {
	in := empty()
	_, err := call([]byte(`{"model":["m"],"temperature":"hot","messages":[{"role":"user","content":"Q"},7],"documents":[7,{"text":"P","score":"high","title":3},null]}`),
		[]byte(`{"id":{},"model":[],"created":"now","choices":[{"message":{"content":"A","annotations":7},"finish_reason":["x"],"logprobs":{"content":[7]}}],"citations":3,"search_results":"P2"}`), in)
	require.NoError(t, err)
	require.Equal(t, "A", in.Answer)
	require.Equal(t, "user:Q", messagesText(in.Messages))
	require.Equal(t, ",,3,P", sourcesText(in.Sources))
	require.Equal(t, []string{"logprobs", "messages.content", "temperature"}, slices.Sorted(slices.Values(in.Malformed)))
	require.Empty(t, in.Logprobs.Values)

	in = empty()
	require.NoError(t, Request([]byte(`{"messages":7}`), in))
	require.Equal(t, []string{"messages"}, in.Malformed)
}

func TestLogprobs(t *testing.T) {
	for _, response := range []string{
		`{"choices":[{"message":{"content":"Paris"},"logprobs":{"content":[{"token":"Par","logprob":-0.5},{"token":"is","logprob":-1}]}}]}`,
		`{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Paris","logprobs":[{"token":"Par","logprob":-0.5},{"token":"is","logprob":-1}]}]}]}`,
	} {
		in := empty()
		_, err := Response([]byte(response), in)
		require.NoError(t, err)
		require.Equal(t, []float32{-0.5, -1}, in.Logprobs.Values)
		require.Equal(t, []int32{0, 3}, in.Logprobs.Offsets)
	}
}

func BenchmarkCall(b *testing.B) {
	for _, c := range apis() {
		if c.name == "chat" || c.name == "anthropic, documents" || c.name == "responses, preamble" || c.name == "langgraph, state" {
			b.Run(c.name, func(b *testing.B) {
				for b.Loop() {
					in := empty()
					_, _ = call([]byte(c.request), []byte(c.response), in)
				}
			})
		}
	}
}

func TestLimits(t *testing.T) {
	in := empty()
	_, err := call([]byte(`{"messages":[`+strings.Repeat(`{"role":"user","content":"x"},`, 10_000)+`7]}`), []byte(`{"answer":"A","context":[`+strings.Repeat(`{"text":"x","score":1},{"text":"y"},`, 10_000)+`7]}`), in)
	require.NoError(t, err)
	require.Len(t, in.Messages, recordformat.MaxMessages)
	require.Len(t, in.Sources, 2)
}
