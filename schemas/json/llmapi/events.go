package llmapi

import (
	"maps"
	"slices"
	"strings"
)

const (
	formUnknown = "?"         // an event that may hold a text that is not read
	wholePart   = "\x00whole" // the member of a part that is the response as a whole
)

// partOf returns the API of an event and what it adds to the response: members as the whole response has them. Events without a
// text, such as pings, have no form.
func partOf(e object) (form string, part object) {
	kind := wordOf(e, "type") + wordOf(e, "event_type")
	delta, _ := e["delta"].(object)
	for _, known := range []struct {
		form string
		part func() object
		is   bool
	}{
		{"openai.responses", func() object { return responsesPart(kind, e) }, strings.HasPrefix(kind, "response.")},
		{"anthropic", func() object { return anthropicPart(kind, e, delta) }, slices.Contains([]string{"message_start", "message_delta", "content_block_start", "content_block_delta"}, kind)},
		{"cohere", func() object { return cohereOldPart(e) }, e["event_type"] != nil},
		{"cohere", func() object { return coherePart(e, delta) }, delta["message"] != nil || kind == "message-end"},
		{"vercel", func() object {
			return object{"text": wordOf(e, "delta") + wordOf(e, "textDelta") + wordOf(e, "text"), "steps": []any{}}
		}, kind == "text-delta"},
		{"vercel", func() object { return nil }, kind == "reasoning-delta"},
		{"vercel", func() object {
			return object{"text": "", "steps": []any{object{"tool_calls": []any{e}}}}
		}, kind == "tool-input-available"},
		{"vercel", func() object {
			return object{"text": "", "steps": []any{object{"tool_results": []any{e}}}}
		}, strings.HasPrefix(kind, "tool-output-")},
		{"bedrock.rag", func() object { return agentPart(e) }, has(e, "trace", "chunk")},
		{"openai.assistants", func() object { return assistantsPart(e, delta) }, strings.HasPrefix(wordOf(e, "object"), "thread.message")},
		{"bedrock.converse", func() object { return conversePart(e) }, has(e, "messageStart", "contentBlockStart", "contentBlockDelta", "messageStop")},
		{"gemini", func() object { return numbered(e, "candidates") }, has(e, "candidates", "promptFeedback")},
		{"ollama", func() object { return e }, has(e, "done")},
		{"bedrock.invoke", func() object {
			token, _ := e["token"].(object) // of TGI
			return object{"generated_text": token["text"]}
		}, has(e, "token")},
		{"bedrock.invoke", func() object { return e }, has(e, "generation", "outputText", "completion")},
		{"openai.chat", func() object { return numbered(e, "choices") }, len(listOf(e, "choices")) > 0 || wordOf(e, "object") == "chat.completion.chunk" && listOf(e, "choices") != nil},
	} {
		if known.is {
			return known.form, known.part()
		}
	}
	for _, name := range []string{"delta", "message", "text", "content", "content_block", "output", "output_text", "response", "choice", "choices"} {
		list, isList := e[name].([]any)
		if inner, isObject := e[name].(object); !isEmpty(e[name]) && (!isList || len(list) > 0) && (!isObject || len(inner) > 0) {
			return formUnknown, nil
		}
	}
	return "", nil
}

func has(e object, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return e[name] != nil })
}

func wordOf(e object, name string) string {
	word, _ := e[name].(string)
	return word
}

func listOf(e object, name string) []any {
	list, _ := e[name].([]any)
	return list
}

// indexed is an item of a list in its place.
func indexed(item any, index any) []any {
	o, _ := item.(object)
	if o = maps.Clone(o); o == nil {
		o = object{}
	}
	if o["index"] = index; index == nil {
		o["index"] = 0.0
	}
	return []any{o}
}

// numbered gives an index to the items of a list that have none: their place.
func numbered(e object, name string) object {
	for i, item := range listOf(e, name) {
		if o, ok := item.(object); ok && o["index"] == nil {
			o["index"] = float64(i)
		}
	}
	return e
}

func responsesPart(kind string, e object) object {
	item, _ := e["item"].(object)
	response, _ := e["response"].(object)
	member := "text"
	switch kind {
	case "response.completed", "response.incomplete", "response.failed", "response.done":
		return object{wholePart: response}
	case "response.created":
		return response
	case "response.output_item.done":
		if wordOf(item, "type") != "message" {
			return object{"object": "response", "output": indexed(item, e["output_index"])}
		}
		return object{}
	case "response.refusal.delta":
		member = "refusal"
	case "response.output_text.delta", "response.output_audio_transcript.delta":
	default:
		return object{}
	}
	return object{"object": "response", "output": indexed(object{
		"type": "message", "role": roleAssistant, "content": indexed(object{member: e["delta"]}, e["content_index"]),
	}, e["output_index"])}
}

func anthropicPart(kind string, e, delta object) object {
	switch kind {
	case "message_start":
		message, _ := e["message"].(object)
		return message
	case "message_delta":
		return delta
	case "content_block_start":
		return object{"content": indexed(e["content_block"], e["index"])}
	}
	block := indexed(delta, e["index"])
	o := block[0].(object) //nolint:forcetypeassert // indexed makes it
	if delete(o, "type"); o["thinking"] != nil {
		o["type"] = "thinking"
	}
	if o["partial_json"] != nil {
		o["input"] = o["partial_json"]
		delete(o, "partial_json")
	}
	if o["citation"] != nil {
		o["citations"] = []any{o["citation"]}
		delete(o, "citation")
	}
	return object{"content": block}
}

func coherePart(e, delta object) object {
	message, _ := delta["message"].(object)
	part := object{}
	for name, value := range message {
		if part[name] = value; name == "content" || name == "citations" || name == "tool_calls" {
			if o, ok := value.(object); ok { // one part, citation or call
				part[name] = indexed(o, e["index"])
			}
		}
	}
	return object{"id": e["id"], "message": part, "finish_reason": delta["finish_reason"]}
}

func cohereOldPart(e object) object {
	if response, ok := e["response"].(object); ok {
		return object{wholePart: response}
	}
	part := object{"generation_id": e["generation_id"], "documents": e["documents"]}
	if wordOf(e, "event_type") == "text-generation" {
		part["text"] = e["text"]
	}
	return part
}

// agentPart is an event of an agent of Bedrock: a part of its answer, or what it did.
func agentPart(e object) object {
	chunk, _ := e["chunk"].(object)
	if chunk == nil {
		return nil
	}
	attribution, _ := chunk["attribution"].(object)
	return object{"output": object{"text": chunk["bytes"]}, "citations": attribution["citations"]}
}

func assistantsPart(e, delta object) object {
	if delta == nil && wordOf(e, "status") == "completed" {
		return object{wholePart: e}
	}
	return object{"id": e["id"], "object": "thread.message", "role": roleAssistant, "content": delta["content"]}
}

func conversePart(e object) object {
	message := object{"role": roleAssistant}
	for _, name := range []string{"contentBlockStart", "contentBlockDelta"} {
		if block, ok := e[name].(object); ok {
			inner := block["delta"]
			if inner == nil {
				inner = block["start"]
			}
			message["content"] = indexed(inner, block["contentBlockIndex"])
		}
	}
	stop, _ := e["messageStop"].(object)
	return object{"output": object{"message": message}, "stopReason": stop["stopReason"]}
}
