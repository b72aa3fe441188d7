package llmapi

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"confab/schemas/json/scan"
)

// completePart is the name of the member of a part that is the response as a whole.
const completePart = "\x00complete"

// partOf returns the API of an event and what it adds to the response: members as the whole response has them. Events without a
// text, such as pings, have no form. The error is an event that may hold a text that is not read.
func partOf(e object) (form string, part object, err *scan.Error) {
	kind := wordOf(e, "type") + wordOf(e, "event_type")
	delta, _ := e["delta"].(object)
	message, _ := delta["message"].(object)
	text, isText := e["delta"].(string)
	switch list, has := e["choices"].([]any); {
	case has && (len(list) > 0 || wordOf(e, "object") == "chat.completion.chunk"):
		return chatPart(e, list)
	case strings.HasPrefix(kind, "response."):
		return "openai.responses", responsesPart(kind, e, text), nil
	case kind == "content_block_start" || kind == "content_block_delta" || kind == "message_start" || kind == "message_delta":
		return "anthropic", anthropicPart(kind, e, delta), nil
	case e["event_type"] != nil:
		return "cohere", cohereOldPart(kind, e), nil
	case message != nil || kind == "message-end":
		return "cohere", coherePart(kind, e, delta, message), nil
	case kind == "text-delta":
		if more := wordOf(e, "textDelta") + wordOf(e, "text"); !isText {
			text = more
		}
		return "vercel", object{"text": text, "steps": []any{}}, nil
	case strings.HasPrefix(wordOf(e, "object"), "thread.message"):
		return "openai.assistants", assistantsPart(e, delta), nil
	}
	if part := conversePart(e); part != nil {
		return "bedrock.converse", part, nil
	}
	for form, names := range map[string][]string{
		"gemini": {"candidates", "promptFeedback"}, "ollama": {"done"}, "bedrock.invoke": {"generation", "outputText", "completion", "tokens_predicted"},
	} {
		if slices.ContainsFunc(names, func(name string) bool { return e[name] != nil }) {
			numberItems(e["candidates"])
			return form, e, nil
		}
	}
	if token, ok := e["token"].(object); ok { // TGI
		return "bedrock.invoke", object{"generated_text": token["text"]}, nil
	}
	for _, name := range []string{"delta", "message", "text", "content", "content_block", "output", "output_text", "response", "completion", "choice", "choices"} {
		if !slices.Contains([]string{"null", "false", `""`, "[]", "{}"}, encoded(e[name])) {
			return "", nil, badEvent()
		}
	}
	return "", nil, nil
}

func encoded(v any) string {
	text, _ := json.Marshal(v)
	return string(text)
}

func wordOf(e object, name string) string {
	word, _ := e[name].(string)
	return word
}

// indexed is an item of a list in its place.
func indexed(o object, index any) []any {
	item := maps.Clone(o)
	if item == nil {
		item = object{}
	}
	if _, ok := index.(json.Number); !ok {
		index = json.Number("0")
	}
	item["index"] = index
	return []any{item}
}

// numberItems gives an index to items that have none: their place.
func numberItems(list any) {
	items, _ := list.([]any)
	for i := range items {
		if o, ok := items[i].(object); ok && o["index"] == nil {
			o["index"] = json.Number(strconv.Itoa(i))
		}
	}
}

// chatPart checks the choices of a chunk: an index that is missing is 0.
func chatPart(e object, list []any) (form string, part object, err *scan.Error) {
	for _, item := range list {
		c, ok := item.(object)
		if !ok {
			return "", nil, badEvent()
		}
		for _, name := range []string{"delta", "message"} {
			if _, isObject := c[name].(object); c[name] != nil && !isObject {
				return "", nil, badEvent()
			}
		}
		if c["index"] == nil {
			c["index"] = json.Number("0") // servers that leave it out send one
		}
		n, _ := c["index"].(json.Number)
		if i, err := strconv.Atoi(n.String()); err == nil && i >= MaxChoices {
			return "", nil, tooLarge()
		}
	}
	return "openai.chat", e, nil
}

func responsesPart(kind string, e object, delta string) object {
	item, _ := e["item"].(object)
	response, _ := e["response"].(object)
	switch kind {
	case "response.completed", "response.incomplete", "response.failed", "response.done":
		return object{completePart: response}
	case "response.output_text.delta", "response.refusal.delta", "response.output_audio_transcript.delta":
		name := "text"
		if kind == "response.refusal.delta" {
			name = "refusal"
		}
		return object{"object": "response", "output": indexed(object{
			"type": "message", "role": roleAssistant, "content": indexed(object{name: delta}, e["content_index"]),
		}, e["output_index"])}
	case "response.output_item.done":
		if wordOf(item, "type") != "message" {
			return object{"object": "response", "output": indexed(item, e["output_index"])}
		}
	case "response.created":
		return response
	}
	return object{}
}

func anthropicPart(kind string, e, delta object) object {
	block, _ := e["content_block"].(object)
	switch kind {
	case "message_start":
		message, _ := e["message"].(object)
		return message
	case "message_delta":
		return delta
	case "content_block_delta":
		block = maps.Clone(delta)
		if block == nil {
			return object{}
		}
		if delete(block, "type"); block["thinking"] != nil {
			block["type"] = "thinking"
		}
		if block["citation"] != nil {
			block["citations"] = []any{block["citation"]}
			delete(block, "citation")
		}
	}
	return object{"content": indexed(block, e["index"])}
}

func coherePart(kind string, e, delta, message object) object {
	part := object{}
	for name, value := range message {
		if o, ok := value.(object); ok { // one part, citation or call
			if part[name] = []any{o}; name == "content" {
				part[name] = indexed(o, e["index"])
			}
		} else if name != "content" {
			part[name] = value
		}
	}
	switch {
	case kind == "message-end":
		return object{"message": object{}, "finish_reason": delta["finish_reason"]}
	case kind == "message-start":
		return object{"id": e["id"], "message": part}
	}
	return object{"message": part}
}

func cohereOldPart(kind string, e object) object {
	if response, ok := e["response"].(object); ok && kind == "stream-end" {
		return object{completePart: response}
	}
	part := object{"is_finished": e["is_finished"]}
	for _, name := range []string{"text", "documents", "generation_id"} {
		if e[name] != nil {
			part[name] = e[name]
		}
	}
	return part
}

func assistantsPart(e, delta object) object {
	if delta == nil && wordOf(e, "status") == "completed" {
		return object{completePart: e}
	}
	part := object{"id": e["id"], "object": "thread.message", "role": roleAssistant}
	if delta != nil {
		part["content"] = delta["content"]
	}
	return part
}

// conversePart is nil for an event that is not of Bedrock's ConverseStream.
func conversePart(e object) object {
	output := func(message object) object { return object{"output": object{"message": message}} }
	for name, value := range e {
		inner, _ := value.(object)
		switch name {
		case "messageStart":
			return output(object{"role": roleAssistant})
		case "contentBlockDelta":
			delta, _ := inner["delta"].(object)
			return output(object{"content": indexed(delta, inner["contentBlockIndex"])})
		case "contentBlockStart":
			start, _ := inner["start"].(object)
			return output(object{"content": indexed(start, inner["contentBlockIndex"])})
		case "messageStop":
			return object{"stopReason": inner["stopReason"]}
		}
	}
	return nil
}
