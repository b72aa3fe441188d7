package llmapi

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

func delta(content, finish string, more ...string) string {
	end := "null"
	if finish != "" {
		end = `"` + finish + `"`
	}
	return fmt.Sprintf(`{"id":"c-1","object":"chat.completion.chunk","created":1795255201,"model":"m","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]%s}`,
		content, end, strings.Join(more, ""))
}

// sse is a transcript of events.
func sse(events ...string) string { return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n" }

// transcripts are streams of every API. The answer is "Paris, France.", unless it is named.
func transcripts() map[string]struct{ form, text, finish string } {
	type stream = struct{ form, text, finish string }
	return map[string]stream{
		"chat":                           {"openai.chat", sse(delta("Paris", ""), delta(", France.", ""), delta("", "stop"), "[DONE]"), "stop"},
		"chat, cut off":                  {"openai.chat", sse(delta("Paris", ""), delta(", France.", "")), Unfinished},
		"chat, usage":                    {"openai.chat", sse(delta("Paris, France.", "stop"), `{"id":"c-1","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":7}}`), "stop"},
		"chat, texts":                    {"openai.chat", sse(`{"id":"c-1","choices":[{"index":0,"delta":"Paris, "}]}`, `{"id":"c-1","choices":[{"index":0,"delta":"France."}]}`, delta("", "stop")), "stop"},
		"chat, second choice first":      {"openai.chat", sse(`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":1,"delta":{"content":"Rome"},"finish_reason":"stop"},{"index":0,"delta":{"content":"Paris, France."}}]}`), Unfinished},
		"chat, whole message at the end": {"openai.chat", sse(delta("Paris, France.", ""), `{"id":"c-1","choices":[{"index":0,"message":{"role":"assistant","content":"Paris, France."},"finish_reason":"stop"}]}`), "stop"},
		"chat, parts":                    {"openai.chat", sse(delta("", ""), `{"id":"c-1","choices":[{"delta":{"content":[{"type":"text","text":"Paris, "}]}}]}`, `{"id":"c-1","choices":[{"delta":{"content":[{"type":"text","text":"France."}]}}]}`, delta("", "stop")), "stop"},
		"chat, text":                     {"openai.chat", sse(`{"object":"text_completion","choices":[{"index":0,"text":"Paris, "}]}`, `{"object":"text_completion","choices":[{"index":0,"text":"France.","finish_reason":"length"}]}`), "length"},
		"chat, list":                     {"openai.chat", "[" + delta("Paris, ", "") + "," + delta("France.", "stop") + "]", "stop"},
		"responses":                      {"openai.responses", sse(`{"type":"response.created","response":{"id":"r","object":"response","output":[],"status":"in_progress"}}`, `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Par"}`, `{"type":"response.completed","response":{"id":"r","object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Paris, France."}]}]}}`), ""},
		"responses, empty at the end":    {"openai.responses", sse(`{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"Paris, France."}`, `{"type":"response.completed","response":{"id":"r","object":"response","output":[]}}`), ""},
		"responses, cut":                 {"openai.responses", sse(`{"type":"response.created","response":{"id":"r","object":"response","output":[]}}`, `{"type":"response.output_item.done","output_index":0,"item":{"type":"file_search_call","results":[{"file_id":"f","text":"P"}]}}`, `{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"Paris, "}`, `{"type":"response.output_text.delta","output_index":1,"content_index":0,"delta":"France."}`), Unfinished},
		"anthropic":                      {"anthropic", sse(`{"type":"message_start","message":{"id":"r","type":"message","role":"assistant","content":[],"stop_reason":null}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}`, `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`, `{"type":"ping"}`, `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Paris, "}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"P"}}}`, `{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"France."}}`, `{"type":"content_block_stop","index":1}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`), "end_turn"},
		"anthropic, list":                {"anthropic", `[{"type":"message_start","message":{"id":"r","type":"message","role":"assistant","content":[]}},{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Paris, "}},{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"France."}},{"type":"message_stop"}]`, Unfinished},
		"gemini":                         {"gemini", sse(`{"candidates":[{"content":{"role":"model","parts":[{"text":"hm","thought":true}]}}],"responseId":"g"}`, `{"candidates":[{"content":{"role":"model","parts":[{"text":"Paris, "}]}}],"responseId":"g"}`, `{"candidates":[{"content":{"role":"model","parts":[{"text":"France."}]},"finishReason":"STOP"}],"responseId":"g"}`), "stop"},
		"gemini, list":                   {"gemini", `[{"candidates":[{"content":{"role":"model","parts":[{"text":"Paris, "}]},"index":0}]},{"candidates":[{"content":{"role":"model","parts":[{"text":"France."}]},"index":0,"finishReason":"STOP"}]}]`, "stop"},
		"cohere 1":                       {"cohere", "{\"event_type\":\"stream-start\",\"is_finished\":false,\"generation_id\":\"g\"}\n{\"event_type\":\"text-generation\",\"is_finished\":false,\"text\":\"Paris\"}\n{\"event_type\":\"stream-end\",\"is_finished\":true,\"finish_reason\":\"COMPLETE\",\"response\":{\"text\":\"Paris, France.\",\"generation_id\":\"g\",\"finish_reason\":\"COMPLETE\"}}\n", "complete"},
		"cohere 1, cut":                  {"cohere", sse(`{"event_type":"text-generation","is_finished":false,"text":"Paris, "}`, `{"event_type":"text-generation","is_finished":false,"text":"France."}`), Unfinished},
		"cohere 2":                       {"cohere", sse(`{"type":"message-start","id":"r","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}`, `{"type":"content-start","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}`, `{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Paris, "}}}}`, `{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"France."}}}}`, `{"type":"content-end","index":0}`, `{"type":"citation-start","index":0,"delta":{"message":{"citations":{"start":0,"text":"Paris","sources":[{"type":"document","id":"d","document":{"snippet":"P"}}]}}}}`, `{"type":"message-end","delta":{"finish_reason":"COMPLETE","usage":{}}}`), "complete"},
		"ollama chat":                    {"ollama", "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Paris, \"},\"done\":false}\n{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"France.\"},\"done\":false}\n{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n", "stop"},
		"ollama generate":                {"ollama", "{\"model\":\"m\",\"response\":\"Paris, \",\"done\":false}\r\n{\"model\":\"m\",\"response\":\"France.\",\"done\":true,\"done_reason\":\"length\",\"context\":[1]}", "length"},
		"converse":                       {"bedrock.converse", `[{"messageStart":{"role":"assistant"}},{"contentBlockDelta":{"delta":{"text":"Paris, "},"contentBlockIndex":0}},{"contentBlockDelta":{"delta":{"text":"France."},"contentBlockIndex":0}},{"contentBlockStop":{"contentBlockIndex":0}},{"messageStop":{"stopReason":"end_turn"}},{"metadata":{"usage":{}}}]`, "end_turn"},
		"llama":                          {"bedrock.invoke", `[{"generation":"Paris, ","stop_reason":null},{"generation":"France.","stop_reason":"stop"}]`, "stop"},
		"titan":                          {"bedrock.invoke", `[{"outputText":"Paris, ","index":0,"completionReason":null},{"outputText":"France.","index":0,"completionReason":"FINISH"}]`, "finish"},
		"tgi":                            {"bedrock.invoke", sse(`{"index":1,"token":{"id":1,"text":"Paris, "},"generated_text":null}`, `{"index":2,"token":{"id":2,"text":"France."},"generated_text":"Paris, France."}`), Unfinished},
		"vercel":                         {"vercel", sse(`{"type":"start"}`, `{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"Paris, "}`, `{"type":"text-delta","id":"0","delta":"France."}`, `{"type":"finish"}`, "[DONE]"), Unfinished},
		"assistants":                     {"openai.assistants", sse(`{"id":"t","object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":"Paris, "}}]}}`, `{"id":"t","object":"thread.message.delta","delta":{"content":[{"index":0,"type":"text","text":{"value":"France."}}]}}`), Unfinished},
	}
}

func TestTranscripts(t *testing.T) {
	quoted := func(text string) []byte {
		raw, err := json.Marshal(text)
		require.NoError(t, err)
		return raw
	}
	for name, c := range transcripts() {
		t.Run(name, func(t *testing.T) {
			for _, raw := range [][]byte{[]byte(c.text), quoted(c.text)} {
				in := empty()
				r, err := Response(raw, in)
				require.NoError(t, err)
				require.Equal(t, c.form, r.Form)
				require.True(t, r.Answered)
				require.Equal(t, "Paris, France.", in.Answer)
				require.Equal(t, c.finish, in.FinishReason)
				require.True(t, in.Streamed)
			}
		})
	}
}

func TestTranscriptsOfEvents(t *testing.T) {
	a, b, end := delta("Par", ""), delta("is", ""), delta("", "stop")
	for name, text := range map[string]string{
		"carriage returns":    strings.ReplaceAll(sse(a, b, end, "[DONE]"), "\n", "\r\n"),
		"comments and fields": ": ping\n\nevent: x\nid: 3\nretry: 10\ndata: " + a + "\n\n: ping\n\ndata:" + b + "\n\ndata: " + end + "\n\n",
		"data over lines":     "data: " + strings.Replace(a, `,"model"`, ",\ndata: \"model\"", 1) + "\n\ndata: " + b + "\n\ndata: " + end + "\n\n",
		"no empty line":       "data: " + a + "\n\ndata: " + b + "\n\ndata: " + end,
		"byte order mark":     "\ufeff" + sse(a, b, end),
		"id first":            "id: 1\ndata: " + a + "\n\nretry: 5\ndata: " + b + "\n\ndata: " + end + "\n\n",
		"pings and filters":   "event: ping\ndata: {}\n\ndata: {\"id\":\"\",\"object\":\"\",\"choices\":[],\"prompt_filter_results\":[]}\n\ndata: \n\ndata: {\"type\":\"ping\"}\n\n" + sse(a, b, end, `{"error":{}}`),
		"without a type":      strings.ReplaceAll(sse(a, b, end), `,"object":"chat.completion.chunk"`, ""),
		"behind DONE":         sse(a, b, end, "[DONE]", `{"usage":{}}`, "[DONE]"),
		"members beside":      sse(strings.Replace(a, "{", `{"request":{"messages":[]},"sources":["x"],`, 1), b, end),
	} {
		t.Run(name, func(t *testing.T) {
			require.True(t, IsTranscript([]byte(text)))
			in := empty()
			_, err := Response([]byte(text), in)
			require.NoError(t, err)
			require.Equal(t, "Paris", in.Answer)
			require.Equal(t, "c-1", in.ID)
			require.Equal(t, "stop", in.FinishReason)
		})
	}
	require.False(t, IsTranscript([]byte(`{"answer": "data: x"}`)))
	require.False(t, IsTranscript([]byte(`[{"role":"user","content":"data: x"}]`)))
}

func TestTranscriptKeepsMembers(t *testing.T) {
	raw, err := Assemble([]byte(sse(
		delta("a", "", `,"request":{"messages":[1]},"usage":null,"sources":["x"]`),
		`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant"},"logprobs":{"content":[{"token":"a"}]}}],"usage":{"total_tokens":3}}`,
		`{"id":"c-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"refusal":"No."},"finish_reason":"stop","logprobs":{"content":[{"token":"b"}]}}]}`,
	)))
	require.NoError(t, err)
	require.JSONEq(t, `{"id":"c-1","object":"chat.completion","created":1795255201,"model":"m","request":{"messages":[1]},"sources":["x"],"usage":{"total_tokens":3},
		"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"a","refusal":"No."},"logprobs":{"content":[{"token":"a"},{"token":"b"}]}}]}`, string(raw))
}

func TestTranscriptRefuses(t *testing.T) {
	a, b := delta("a", ""), delta("b", "")
	for text, reason := range map[string]string{
		"[]":               "",
		"data: [DONE]\n\n": scan.ReasonSyntax,
		"data: nonsense":   scan.ReasonSyntax,
		"data: {}\n\n":     scan.ReasonSyntax,
		sse(a, strings.Replace(b, "c-1", "c-2", 1)):                              scan.ReasonSyntax,
		sse(a, strings.Replace(b, `"id":"c-1"`, `"id":7`, 1)):                    scan.ReasonSyntax,
		sse(a, `"chat.completion.chunk"`):                                        scan.ReasonSyntax,
		sse(a, `{"id":"c-1","object":"chat.completion.chunk","choices":"all"}`):  scan.ReasonSyntax,
		sse(a, `{"id":"c-1","choices":[{"index":"0","delta":{"content":"b"}}]}`): scan.ReasonSyntax,
		sse(a, `{"id":"c-1","choices":[{"index":0.5,"delta":{"content":"b"}}]}`): scan.ReasonSyntax,
		sse(a, `{"type":"response.output_text.delta","delta":"b"}`):              scan.ReasonSyntax,
		sse(a, `{"type":"of.another.api","content":"b"}`):                        scan.ReasonSyntax,
		sse(a, `{"id":"c-1","choices":[{"index":1000000}]}`):                     scan.ReasonTooLarge,
		"[" + a + `,"b"]`: scan.ReasonSyntax,
		sse(strings.Replace(a, `"c-1"`, "{}", 1), strings.Replace(b, `"c-1"`, "{}", 1), "x"): scan.ReasonSyntax,
	} {
		_, err := Assemble([]byte(text))
		if reason == "" {
			require.False(t, IsTranscript([]byte(text)))
			continue
		}
		var bad *scan.Error
		require.ErrorAs(t, err, &bad, text)
		require.Equal(t, reason, bad.Reason)
	}
}

// Streams of every API join the arguments of a call.
func TestTranscriptsOfCalls(t *testing.T) {
	for name, text := range map[string]string{
		"chat": sse(`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"1","type":"function","function":{"name":"f","arguments":""}}]}}]}`,
			`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}}]}`,
			`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":":7}"}}]}}]}`,
			`{"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`),
		"responses": sse(`{"type":"response.created","response":{"id":"r","object":"response","output":[]}}`, `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"1","name":"f","arguments":"{\"a\":7}"}}`),
		"anthropic": sse(`{"type":"message_start","message":{"id":"r","type":"message","role":"assistant","content":[]}}`, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"1","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":":7}"}}`, `{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`),
		"converse": `[{"messageStart":{"role":"assistant"}},{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"1","name":"f"}},"contentBlockIndex":0}},{"contentBlockDelta":{"delta":{"toolUse":{"input":"{\"a\""}},"contentBlockIndex":0}},{"contentBlockDelta":{"delta":{"toolUse":{"input":":7}"}},"contentBlockIndex":0}},{"messageStop":{"stopReason":"tool_use"}}]`,
		"cohere": sse(`{"type":"message-start","id":"r","delta":{"message":{"role":"assistant","content":[],"tool_plan":"","tool_calls":[],"citations":[]}}}`, `{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"1","type":"function","function":{"name":"f","arguments":""}}}}}`,
			`{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":"{\"a\""}}}}}`, `{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":":7}"}}}}}`, `{"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}`),
		"gemini": sse(`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"a":7}}}]},"finishReason":"STOP"}]}`),
		"ollama": "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":{\"a\":7}}}]},\"done\":false}\n{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true}\n",
		"vercel": sse(`{"type":"tool-input-available","toolCallId":"1","toolName":"f","input":{"a":7}}`, `{"type":"text-delta","id":"0","delta":"A"}`, `{"type":"finish"}`),
	} {
		in := empty()
		_, err := Response([]byte(text), in)
		require.NoError(t, err, name)
		require.Equal(t, []schemas.ToolCall{{ID: "1", Name: "f", Arguments: `{"a":7}`}}, in.Calls, name)
	}
}
