package llmapi

import (
	"bytes"
	"encoding/json"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"confab/schemas/json/scan"
)

// Unfinished is the finish reason of a stream whose end has not come.
const Unfinished = "unfinished"

// Limits of a transcript.
const (
	maxEvents     = 100_000
	maxEventBytes = 64 << 20 // of all events
	maxText       = 2 << 20  // of what grows
	maxIndex      = 1 << 10  // of the parts of one answer
)

// IsTranscript reports whether a value looks like the transcript of a stream: the text of server-sent events, a list of events, or a
// line of JSON for each.
func IsTranscript(raw []byte) bool {
	raw = bytes.TrimLeft(raw, "\ufeff \t\r\n")
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(raw, []byte(field)) {
			return true
		}
	}
	isLines := bytes.HasPrefix(raw, []byte("{")) && (bytes.Contains(raw, []byte("}\n{")) || bytes.Contains(raw, []byte("}\r\n{")))
	if !isLines && !bytes.HasPrefix(raw, []byte("[")) {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if !isLines {
		_, _ = d.Token()
	}
	var first object
	if d.Decode(&first) != nil {
		return false
	}
	form, _, err := partOf(first)
	return err == nil && form != "" && (isLines || len(first) > 0)
}

// Assemble returns the response of a transcript as its API returns it at once. Of a stream that was cut the finish reason is
// [Unfinished]. The error is a *scan.Error: an event may hold a text that is not read, is of another response, or there is too much.
func Assemble(raw []byte) ([]byte, error) {
	s := stream{whole: object{}}
	n := 0
	for event := range eventsOf(bytes.TrimLeft(raw, "\ufeff \t\r\n")) {
		if n++; len(bytes.TrimSpace(event)) == 0 || string(bytes.TrimSpace(event)) == "[DONE]" {
			continue // what follows is read, too
		}
		if err := s.add(event); err != nil {
			err.Field, err.Detail = fieldAnswer, err.Detail+": event "+strconv.Itoa(n)
			return nil, err
		}
	}
	if s.form == "" {
		return nil, badEvent()
	}
	return s.encode(), nil
}

// eventsOf yields the events of a transcript.
func eventsOf(raw []byte) iter.Seq[[]byte] {
	var list []json.RawMessage
	switch {
	case bytes.HasPrefix(raw, []byte("{")):
		return bytes.Lines(raw)
	case bytes.HasPrefix(raw, []byte("[")) && json.Unmarshal(raw, &list) == nil:
		return func(yield func([]byte) bool) {
			for _, event := range list {
				if !yield(event) {
					return
				}
			}
		}
	}
	return sentEvents(raw)
}

// sentEvents yields the data of each server-sent event, as the HTML standard reads them: lines end with LF, CR LF or CR, the
// lines of an event's data are joined by LF, comments and other fields are left out, and an event without an empty line
// after it counts only at the end of a text that was not cut.
func sentEvents(text []byte) iter.Seq[[]byte] {
	return func(yield func(data []byte) bool) {
		var data []byte
		has := false
		emit := func() bool {
			on := !has || yield(data)
			data, has = nil, false
			return on
		}
		for len(text) > 0 {
			var line []byte
			line, text = cutLine(text)
			if len(line) == 0 {
				if !emit() {
					return
				}
				continue
			}
			if field, value, _ := bytes.Cut(line, []byte(":")); string(field) == "data" {
				value = bytes.TrimPrefix(value, []byte(" "))
				if has {
					data = append(data, '\n')
				}
				data, has = append(data, value...), true
			}
		}
		emit()
	}
}

// cutLine returns the first line, and what follows it.
func cutLine(text []byte) (line, rest []byte) {
	at := bytes.IndexAny(text, "\r\n")
	if at < 0 {
		return text, nil
	}
	rest = text[at+1:]
	if text[at] == '\r' {
		rest = bytes.TrimPrefix(rest, []byte("\n"))
	}
	return text[:at], rest
}

// stream is a response of which events have come, in the order in which they were written.
type stream struct {
	form     string
	id       string
	whole    object // its texts are *strings.Builder
	complete object // the response that the last event holds
	finished bool

	events, bytes, text int
}

type object = map[string]any

func badEvent() *scan.Error {
	return &scan.Error{Reason: scan.ReasonSyntax, Detail: "not an event of a stream that is known"}
}

func tooLarge() *scan.Error {
	return &scan.Error{Reason: scan.ReasonTooLarge, Detail: "the stream is larger than the limit"}
}

// textOrNaN matches quoted texts, and the numbers that Python writes and JSON does not have.
var textOrNaN = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// decode reads an event. NaN, Infinity and -Infinity are null.
func decode(event []byte) (e object) {
	read := func(event []byte) object {
		d := json.NewDecoder(bytes.NewReader(event))
		d.UseNumber()
		var e object
		if d.Decode(&e) != nil || d.More() {
			return nil
		}
		return e
	}
	if e = read(event); e == nil {
		e = read(textOrNaN.ReplaceAllFunc(event, func(match []byte) []byte {
			if match[0] == '"' {
				return match
			}
			return []byte("null")
		}))
	}
	return e
}

func (s *stream) add(event []byte) *scan.Error {
	e := decode(event)
	if e == nil {
		return badEvent()
	}
	form, part, err := partOf(e)
	switch {
	case err != nil:
		return err
	case form == "":
		return nil
	case s.form != "" && form != s.form:
		return badEvent()
	}
	s.form = form
	s.events++
	if s.bytes += len(event); s.events > maxEvents || s.bytes > maxEventBytes {
		return tooLarge()
	}
	if id := idOf(part); id != "" {
		if s.id != "" && s.id != id {
			return badEvent()
		}
		s.id = id
	}
	if complete, ok := part[completePart].(object); ok {
		s.complete, s.finished = complete, true
		return nil
	}
	s.dropRepeated(part)
	for name, value := range part {
		if err := s.set(s.whole, name, value, grownAtTop(name)); err != nil {
			return err
		}
	}
	return nil
}

func idOf(part object) string {
	switch id := part["id"].(type) {
	case string:
		return id
	case json.Number:
		return id.String()
	}
	return ""
}

// grownAtTop reports a member of a response whose values in several events belong together. Of others the last one counts.
func grownAtTop(name string) bool {
	return slices.Contains([]string{
		"choices", "candidates", "output", "content", "message", "text", "response", "generation", "outputText", "completion", "generated_text", "sources",
	}, name)
}

// set adds the value of a member.
func (s *stream) set(to object, name string, value any, grows bool) (err *scan.Error) {
	s.finished = s.finished || slices.Contains([]string{"finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason"}, name) && value != nil
	switch value := value.(type) {
	case nil:
	case string:
		if s.text += len(value); s.text > maxText {
			return tooLarge()
		}
		to[name] = setText(to[name], name, value, grows)
	case object:
		into, ok := to[name].(object)
		if !ok || !grows {
			into = object{}
		}
		for name, member := range value {
			if err := s.set(into, name, member, true); err != nil {
				return err
			}
		}
		to[name] = into
	case []any:
		list := listOf(to[name])
		if !grows || list == nil {
			list = []any{}
		}
		if to[name], err = s.extend(list, value); err != nil {
			return err
		}
	default:
		s.finished = s.finished || name == "done" && value == true
		to[name] = value
	}
	return nil
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

// listOf is a list to extend; a text before parts is a part.
func listOf(old any) []any {
	switch old := old.(type) {
	case []any:
		return old
	case *strings.Builder:
		if old.Len() > 0 {
			return []any{object{"type": "text", "text": old}}
		}
	}
	return nil
}

// extend adds items to a list: each to the item with its index, or behind the last one. Texts that follow each other are one.
func (s *stream) extend(list, items []any) ([]any, *scan.Error) {
	for _, item := range items {
		o, ok := item.(object)
		if !ok {
			if text, isText := item.(string); isText {
				s.text += len(text)
			}
			list = append(list, item)
			continue
		}
		at := len(list)
		if index, has := o["index"]; has && index != nil {
			n, err := index.(json.Number)
			i, bad := strconv.Atoi(n.String())
			if !err || bad != nil || i < 0 {
				return nil, badEvent()
			}
			if at = i; at >= maxIndex {
				return nil, tooLarge()
			}
		} else if at > 0 && continues(list[at-1], o) {
			at--
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
			if err := s.set(into, name, value, true); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// continues reports a part with the next piece of a text.
func continues(last any, o object) bool {
	before, ok := last.(object)
	if _, isText := o["text"].(string); !ok || !isText || len(before) != len(o) {
		return false
	}
	for name, value := range o {
		if old, has := before[name]; !has || name != "text" && old != value {
			return false
		}
	}
	return true
}

// dropRepeated drops the text of a whole message at the end of its stream, which some servers send.
func (s *stream) dropRepeated(part object) {
	for i, c := range choicesOf(part) {
		whole, _ := c["message"].(object)
		if delta, streamed := c["delta"].(object); streamed {
			c["message"] = delta
			delete(c, "delta")
			continue
		}
		if n, ok := c["index"].(json.Number); ok {
			i, _ = strconv.Atoi(n.String())
		}
		if came := choicesOf(s.whole); i >= 0 && i < len(came) && came[i] != nil {
			message, _ := came[i]["message"].(object)
			if text, ok := message["content"].(*strings.Builder); ok && whole != nil && text.String() == whole["content"] {
				delete(whole, "content")
			}
		}
	}
}

func choicesOf(part object) []object {
	list, _ := part["choices"].([]any)
	choices := make([]object, len(list))
	for i := range list {
		choices[i], _ = list[i].(object)
	}
	return choices
}

// encode returns the response in JSON.
func (s *stream) encode() []byte {
	if s.complete != nil {
		s.whole = s.complete
	}
	if _, has := s.whole["id"]; s.id != "" && !has {
		s.whole["id"] = s.id
	}
	for _, c := range choicesOf(s.whole) {
		if c != nil && c["finish_reason"] == nil {
			c["finish_reason"] = Unfinished
		}
	}
	if s.form == "openai.chat" {
		s.whole["object"] = "chat.completion"
	} else if !s.finished {
		s.whole["finish_reason"] = Unfinished
	}
	text, _ := json.Marshal(built(s.whole)) // maps, lists, texts and numbers
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
