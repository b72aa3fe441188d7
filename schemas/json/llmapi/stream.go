package llmapi

import (
	"bytes"
	"cmp"
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
		return startsEvent.Match(raw) && holdsEvent.Match(raw)
	}
	if raw[0] == '{' && !bytes.Contains(raw, []byte("}\n{")) && !bytes.Contains(raw, []byte("}\r\n{")) || startsMessages.Match(raw) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if raw[0] == '[' {
		_, _ = d.Token()
	}
	var first object
	_ = d.Decode(&first) // nothing is no event
	form, _ := partOf(first)
	return form != "" && form != formUnknown
}

// startsEvent matches the beginning of server-sent events, holdsEvent one with JSON: a text may begin alike. startsMessages matches
// the most frequent other list, only to be fast.
var (
	startsEvent    = regexp.MustCompile(`^(data|event|id|retry)?:`)
	holdsEvent     = regexp.MustCompile(`(?:^|[\r\n])data:\s*[\[{]`)
	startsMessages = regexp.MustCompile(`^\[\{"(role|parts|content)"`)
)

// Assemble returns the response of a transcript as its API returns it at once. Of a stream that was cut the finish reason is
// [Unfinished]. The error is a *scan.Error: an event may hold a text that is not read, is of another response, or there is too much.
func Assemble(raw []byte) ([]byte, error) {
	s := stream{whole: object{}}
	bad := func(reason, detail string) ([]byte, error) {
		return nil, &scan.Error{Reason: reason, Field: fieldAnswer, Detail: detail}
	}
	for i, event := range eventsOf(raw) {
		if event = bytes.TrimSpace(event); len(event) == 0 || string(event) == "[DONE]" {
			continue // what follows is read, too
		}
		if !s.add(event) {
			return bad(scan.ReasonSyntax, "no event of the stream that is known: event "+strconv.Itoa(i+1))
		}
		if s.large {
			return bad(scan.ReasonTooLarge, "an index above "+strconv.Itoa(maxIndex))
		}
	}
	if s.form == "" {
		return bad(scan.ReasonSyntax, "a stream without an event that is known")
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
	id       string
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
	e := decode(event)
	form, part := partOf(e)
	if form == "" {
		return e != nil
	}
	id := wordOf(part, "id")
	if n, ok := part["id"].(float64); ok {
		id = strconv.FormatFloat(n, 'g', -1, 64)
	}
	if form == formUnknown || s.form != "" && s.form != form || id != "" && s.id != "" && id != s.id {
		return false
	}
	s.form, s.id = form, cmp.Or(id, s.id)
	if whole, ok := part[wholePart].(object); ok {
		keepSent(whole, s.whole)
		s.whole, s.finished = whole, true
		return true
	}
	for name, value := range part {
		s.set(s.whole, name, value, slices.Contains([]string{
			"choices", "candidates", "output", "content", "message", "text", "response", "generation", "outputText", "completion", "generated_text", "steps",
		}, name))
	}
	return !s.bad
}

// keepSent adds what was sent before to a response at the end, where some servers leave it out.
func keepSent(whole, before object) {
	for name, value := range before {
		if list, ok := whole[name].([]any); isEmpty(whole[name]) || ok && len(list) == 0 {
			whole[name] = value
		}
	}
}

// decode reads an event, nil for what is no object. NaN, Infinity and -Infinity are null.
func decode(event []byte) (e object) {
	if json.Unmarshal(event, &e) == nil {
		return e
	}
	if e = nil; json.Unmarshal(WithoutNaN(event), &e) != nil {
		return nil
	}
	return e
}

// WithoutNaN returns JSON with null for what Python writes for a number and JSON does not know.
func WithoutNaN(raw []byte) []byte {
	return textOrNaN.ReplaceAllFunc(raw, func(match []byte) []byte {
		if match[0] == '"' {
			return match
		}
		return []byte("null")
	})
}

func isEmpty(v any) bool { return v == nil || v == "" || v == false }

// set adds the value of a member: to the one that came before if it grows, else in its place.
func (s *stream) set(to object, name string, value any, grows bool) {
	s.finished = s.finished || isEnd(name, value)
	switch value := value.(type) {
	case nil:
	case string:
		to[name] = setText(to[name], name, value, grows)
	case object:
		into, ok := to[name].(object)
		if !ok || !grows {
			into = object{}
		}
		if b, isText := to[name].(*strings.Builder); isText { // a delta that is a text
			into["content"] = b
		}
		s.merge(into, value)
		to[name] = into
	case []any:
		list := listBefore(to[name], grows)
		for _, item := range value {
			list = s.extend(list, item)
		}
		to[name] = list
	default:
		to[name] = value
	}
}

func (s *stream) merge(to, members object) {
	for name, value := range members {
		s.set(to, name, value, true)
	}
}

// isEnd reports a member that says why an answer ended.
func isEnd(name string, value any) bool {
	return name == "done" && value == true || value != nil &&
		slices.Contains([]string{"finish_reason", "stop_reason", "finishReason", "stopReason", "completionReason", "done_reason"}, name)
}

// setText is a text with the next part of it, or a new one.
func setText(old any, name, value string, grows bool) any {
	isPart := grows && slices.Contains([]string{
		"content", "text", "refusal", "transcript", "reasoning_content", "reasoning", "thinking", "response", "generation", "outputText",
		"completion", "generated_text", "value", "arguments", "input", "tool_plan", "delta", "message",
	}, name)
	if list, ok := old.([]any); ok && isPart { // a content of parts
		return appendText(list, value)
	}
	if !isPart {
		if value == "" && old != nil {
			return old
		}
		return value
	}
	b, ok := old.(*strings.Builder)
	if !ok {
		b = new(strings.Builder)
	}
	b.WriteString(value)
	return b
}

// listBefore is a list to extend; a text before parts is a part.
func listBefore(old any, grows bool) []any {
	if b, ok := old.(*strings.Builder); ok {
		return appendText([]any{}, b.String())
	}
	if list, ok := old.([]any); ok && grows {
		return list
	}
	return []any{}
}

func appendText(list []any, text string) []any {
	if text == "" {
		return list
	}
	return append(list, object{"type": "text", "text": text})
}

// extend adds an item to a list: to the item with its index, or behind the last one. Texts that follow each other are one.
func (s *stream) extend(list []any, item any) []any {
	o, ok := item.(object)
	if !ok {
		return append(list, item)
	}
	at := len(list)
	if index := o["index"]; index != nil {
		n, _ := index.(float64)
		at = int(n)
		s.bad, s.large = s.bad || any(float64(at)) != index || at < 0, s.large || at > maxIndex
	} else if at > 0 && continues(list[at-1], o) {
		at--
	}
	if s.bad || s.large {
		return list
	}
	list = append(list, make([]any, max(0, at+1-len(list)))...)
	into, ok := list[at].(object)
	if !ok {
		into = object{}
	}
	list[at] = into
	s.merge(into, o)
	return list
}

// continues reports a part with the next piece of a text: the same but for the text.
func continues(last any, o object) bool {
	before, ok := last.(object)
	if _, isText := o["text"].(string); !ok || !isText || len(before) != len(o) {
		return false
	}
	for name, value := range o {
		_, isWord := value.(string)
		if old, has := before[name]; !has || name != "text" && (!isWord && value != true || old != value) {
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
