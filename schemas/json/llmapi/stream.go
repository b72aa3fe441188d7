package llmapi

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"confab/schemas/json/scan"
)

// Unfinished is the finish reason of a stream whose end has not come.
const Unfinished = "unfinished"

// maxIndex bounds the parts of one answer.
const maxIndex = 1 << 10

// IsTranscript reports whether a value looks like the transcript of a stream: the text of server-sent events, a list of events, or a
// line of JSON for each.
func IsTranscript(raw []byte) bool {
	raw = bytes.TrimLeft(raw, "\ufeff \t\r\n")
	if len(raw) == 0 || raw[0] != '[' && raw[0] != '{' {
		return startsEvent.Match(raw)
	}
	if raw[0] == '{' && !bytes.Contains(raw, []byte("}\n{")) && !bytes.Contains(raw, []byte("}\r\n{")) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if raw[0] == '[' {
		_, _ = d.Token()
	}
	var first object
	if d.Decode(&first) != nil {
		return false
	}
	form, _ := partOf(first)
	return form != "" && form != formUnknown
}

// startsEvent matches the beginning of server-sent events.
var startsEvent = regexp.MustCompile(`^(data|event|id|retry)?:`)

// Assemble returns the response of a transcript as its API returns it at once. Of a stream that was cut the finish reason is
// [Unfinished]. The error is a *scan.Error: an event may hold a text that is not read, is of another response, or there is too much.
func Assemble(raw []byte) ([]byte, error) {
	s := stream{whole: object{}}
	for i, event := range eventsOf(raw) {
		if event = bytes.TrimSpace(event); len(event) == 0 || string(event) == "[DONE]" {
			continue // what follows is read, too
		}
		if !s.add(event) {
			return nil, &scan.Error{Reason: scan.ReasonSyntax, Field: fieldAnswer, Detail: "no event of the stream that is known: event " + strconv.Itoa(i+1)}
		}
		if s.large {
			return nil, &scan.Error{Reason: scan.ReasonTooLarge, Field: fieldAnswer, Detail: "an index above " + strconv.Itoa(maxIndex)}
		}
	}
	if s.form == "" {
		return nil, &scan.Error{Reason: scan.ReasonSyntax, Field: fieldAnswer, Detail: "a stream without an event that is known"}
	}
	return s.encode(), nil
}

// eventsOf returns the events of a transcript.
func eventsOf(raw []byte) (events [][]byte) {
	raw = bytes.TrimLeft(raw, "\ufeff \t\r\n")
	var list []json.RawMessage
	if bytes.HasPrefix(raw, []byte("[")) && json.Unmarshal(raw, &list) == nil {
		for _, event := range list {
			events = append(events, event)
		}
		return events
	}
	if bytes.HasPrefix(raw, []byte("{")) {
		return bytes.Split(raw, []byte("\n"))
	}
	lines := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(raw))
	for block := range strings.SplitSeq(lines, "\n\n") {
		var data []string
		for line := range strings.SplitSeq(block, "\n") {
			if value, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, value)
			}
		}
		events = append(events, []byte(strings.Join(data, "\n")))
	}
	return events
}

// stream is a response of which events have come, in the order in which they were written.
type stream struct {
	form     string
	id       any
	whole    object // texts that grow are *strings.Builder
	finished bool
	large    bool
	bad      bool
}

type object = map[string]any

// textOrNaN matches quoted texts, and the numbers that Python writes and JSON does not have.
var textOrNaN = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// add adds an event; false for one that may hold a text that is not read, or is of another response.
func (s *stream) add(event []byte) bool {
	var e object
	if json.Unmarshal(event, &e) != nil {
		event = textOrNaN.ReplaceAllFunc(event, func(match []byte) []byte {
			if match[0] == '"' {
				return match
			}
			return []byte("null")
		})
		if e = nil; json.Unmarshal(event, &e) != nil {
			return false
		}
	}
	form, part := partOf(e)
	if form == "" {
		return e != nil
	}
	if whole, ok := part[wholePart].(object); ok {
		s.form, s.whole, s.finished = form, whole, true
		return true
	}
	id := part["id"]
	if form == formUnknown || s.form != "" && s.form != form || !isEmpty(id) && s.id != nil && id != s.id {
		return false
	}
	if s.form = form; !isEmpty(id) {
		s.id = id
	}
	for name, value := range part {
		s.set(s.whole, name, value, slices.Contains([]string{
			"choices", "candidates", "output", "content", "message", "text", "response", "generation", "outputText", "completion", "generated_text",
		}, name))
	}
	return !s.bad
}

func isEmpty(v any) bool { return v == nil || v == "" || v == false }

// set adds the value of a member: to the one that came before if it grows, else in its place.
func (s *stream) set(to object, name string, value any, grows bool) {
	switch value := value.(type) {
	case nil:
		return
	case string:
		to[name] = setText(to[name], name, value, grows)
	case object:
		into, ok := to[name].(object)
		if !ok || !grows {
			into = object{}
		}
		for name, member := range value {
			s.set(into, name, member, true)
		}
		to[name] = into
	case []any:
		list, ok := to[name].([]any)
		if text, isText := to[name].(*strings.Builder); isText && text.Len() > 0 {
			list = []any{object{"type": "text", "text": text}}
		} else if !ok || !grows {
			list = []any{}
		}
		for _, item := range value {
			list = s.extend(list, item)
		}
		to[name] = list
	default:
		to[name] = value
	}
	s.finished = s.finished || name == "done" && value == true ||
		slices.Contains([]string{"finish_reason", "stop_reason", "finishReason", "stopReason", "completionReason", "done_reason"}, name)
}

// setText is a text with the next part of it, or a new one.
func setText(old any, name, value string, grows bool) any {
	isPart := grows && slices.Contains([]string{
		"content", "text", "refusal", "transcript", "reasoning_content", "reasoning", "thinking", "response", "generation", "outputText",
		"completion", "generated_text", "value",
	}, name)
	switch old := old.(type) {
	case *strings.Builder:
		old.WriteString(value)
		return old
	case []any: // a content of parts
		if isPart && value != "" {
			return append(old, object{"type": "text", "text": value})
		}
		return old
	}
	if isPart {
		b := new(strings.Builder)
		b.WriteString(value)
		return b
	}
	if value == "" && old != nil {
		return old
	}
	return value
}

// extend adds an item to a list: to the item with its index, or behind the last one. Texts that follow each other are one.
func (s *stream) extend(list []any, item any) []any {
	o, ok := item.(object)
	if !ok {
		return append(list, item)
	}
	at := len(list)
	if index := o["index"]; index != nil {
		n, isNumber := index.(float64)
		if at = int(n); !isNumber || float64(at) != n || at < 0 {
			s.bad = true
			return list
		}
	} else if at > 0 && continues(list[at-1], o) {
		at--
	}
	if s.large = s.large || at > maxIndex && o["index"] != nil; s.large {
		return list
	}
	for len(list) <= at {
		list = append(list, nil)
	}
	into, ok := list[at].(object)
	if !ok {
		into = object{}
	}
	list[at] = into
	for name, value := range o {
		s.set(into, name, value, true)
	}
	return list
}

// continues reports a part with the next piece of a text.
func continues(last any, o object) bool {
	before, ok := last.(object)
	if _, isText := o["text"].(string); !ok || !isText || len(before) != len(o) {
		return false
	}
	for name, value := range o {
		_, isWord := value.(string)
		_, isBool := value.(bool)
		if old, has := before[name]; !has || name != "text" && (!isWord && !isBool || old != value) {
			return false
		}
	}
	return true
}

// encode returns the response in JSON.
func (s *stream) encode() []byte {
	choices, _ := s.whole["choices"].([]any)
	for _, c := range choices {
		c, _ := c.(object)
		if delta, ok := c["delta"]; ok && c["message"] == nil {
			c["message"] = delta
		}
		if delete(c, "delta"); c != nil && c["finish_reason"] == nil {
			c["finish_reason"] = Unfinished
		}
	}
	if s.form == "openai.chat" {
		s.whole["object"] = "chat.completion"
	} else if !s.finished {
		s.whole["finish_reason"] = Unfinished
	}
	text, _ := json.Marshal(built(s.whole)) // of maps, lists, texts and numbers there is always JSON
	return text
}

// built is a value with its texts as strings, without gaps in its lists.
func built(v any) any {
	switch v := v.(type) {
	case *strings.Builder:
		return v.String()
	case object:
		for name := range v {
			v[name] = built(v[name])
		}
	case []any:
		v = slices.DeleteFunc(v, func(item any) bool { return item == nil })
		for i := range v {
			v[i] = built(v[i])
		}
		return v
	}
	return v
}
