package chatstream

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Choice is one of the answers of a completion.
type Choice struct {
	Text     string          // the content; else the refusal, the transcript of speech or the text of a text completion; all of them where there are several
	Finish   string          // the reason of the end, "" if it is not said
	Logprobs json.RawMessage // in the API's shape; nil if there are none that can be read
	Unread   []string        // what else there is, which is no text of the answer: UnreadTools, UnreadReasoning, UnreadParts
}

// What a choice may hold besides its text.
const (
	UnreadTools     = "tool_calls"
	UnreadReasoning = "reasoning"
	UnreadParts     = "content_parts" // images, sound without a transcript, parts of unknown types
)

// piece is what one event, or one whole choice, holds of an answer.
type piece struct {
	index                                int
	role, finish                         string
	content, refusal, transcript, legacy string
	tokens                               []json.RawMessage // of the logprobs
	badTokens                            bool              // there are logprobs of another shape
	whole                                bool              // the text is the whole answer, not the next part
	unread                               []string
	bad                                  bool // there may be a text that cannot be read
}

type members = map[string]json.RawMessage

// read reads a value, which stays as it is for null and for nothing. A value of another type is bad.
func (p *piece) read(value json.RawMessage, into any) {
	p.bad = len(value) > 0 && json.Unmarshal(value, into) != nil || p.bad
}

// text returns a text, "" for null and for nothing.
func (p *piece) text(value json.RawMessage) (text string) {
	p.read(value, &text)
	return text
}

// object returns the members of an object by their exact names, nil for null and for nothing.
func (p *piece) object(value json.RawMessage) (m members) {
	p.read(value, &m)
	return m
}

// sideText returns a text that no one misses: "" if it is of another type.
func sideText(value json.RawMessage) string { return new(piece).text(value) }

// isEmpty reports a value that says nothing.
func isEmpty(value json.RawMessage) bool {
	return len(value) == 0 || slices.Contains([]string{"null", "false", `""`, "[]", "{}"}, string(bytes.TrimSpace(value)))
}

// readPiece reads a member of choices. The error means that it may hold a text that cannot be read.
func readPiece(value json.RawMessage) (p piece, err error) {
	m := p.object(value)
	p.read(m["index"], &p.index)
	p.finish = sideText(m["finish_reason"])
	p.legacy = p.text(m["text"])
	p.readMessage(m["delta"], "")
	p.whole = !isEmpty(m["message"])
	p.readMessage(m["message"], "\n")
	var side piece
	side.read(side.object(m["logprobs"])["content"], &p.tokens)
	p.badTokens = side.bad
	switch {
	case p.bad || m == nil:
		return p, ErrNoChunk
	case p.index < 0 || p.index >= MaxChoices:
		return p, ErrLarge
	}
	return p, nil
}

// readMessage adds a message, or a part of one. The texts of a list of parts are joined by sep.
func (p *piece) readMessage(value json.RawMessage, sep string) {
	m := p.object(value)
	p.role = orDefault(sideText(m["role"]), p.role)
	p.readContent(m["content"], sep)
	if refusal := m["refusal"]; string(refusal) != "false" {
		p.refusal += p.text(refusal)
	}
	speech := p.object(m["audio"])
	text := p.text(speech["transcript"])
	if p.transcript += text; text == "" && !isEmpty(speech["data"]) {
		p.unread = append(p.unread, UnreadParts)
	}
	var marked []string
	if json.Unmarshal(m["unread"], &marked) == nil { // of an assembled stream
		p.unread = append(p.unread, marked...)
	}
	for what, names := range map[string][]string{
		UnreadTools:     {"tool_calls", "function_call"},
		UnreadReasoning: {"reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks"},
	} {
		if slices.ContainsFunc(names, func(name string) bool { return !isEmpty(m[name]) }) {
			p.unread = append(p.unread, what)
		}
	}
}

// readContent adds a text, or a list of parts.
func (p *piece) readContent(value json.RawMessage, sep string) {
	if !bytes.HasPrefix(value, []byte("[")) {
		p.content += p.text(value)
		return
	}
	var parts []json.RawMessage
	p.read(value, &parts)
	var texts []string
	for _, part := range parts {
		if text := p.part(part); text != "" {
			texts = append(texts, text)
		}
	}
	p.content += strings.Join(texts, sep)
}

// part returns the text of a part of a content.
func (p *piece) part(value json.RawMessage) string {
	if bytes.HasPrefix(value, []byte(`"`)) {
		return p.text(value)
	}
	m := p.object(value)
	for _, name := range []string{"text", "refusal"} {
		if text, has := m[name]; has {
			return p.text(text)
		}
	}
	if kind := sideText(m["type"]); kind == "thinking" || kind == "reasoning" {
		p.unread = append(p.unread, UnreadReasoning)
	} else {
		p.unread = append(p.unread, UnreadParts)
	}
	return ""
}

// Completion is a chat completion that is whole.
type Completion struct {
	Members map[string]json.RawMessage // without the choices

	choices []json.RawMessage
}

// ReadCompletion reads a completion, a choice of which is read when it is asked for. The error is ErrNoChunk for a value
// without a list of choices, or ErrLarge.
func ReadCompletion(value []byte) (*Completion, error) {
	var all piece
	m := all.object(value)
	c := &Completion{Members: m}
	if all.read(m["choices"], &c.choices); all.bad || m["choices"] == nil {
		return nil, ErrNoChunk
	}
	if len(c.choices) > MaxChoices {
		return nil, ErrLarge
	}
	delete(m, "choices")
	return c, nil
}

// Len is the number of choices.
func (c *Completion) Len() int { return len(c.choices) }

// Choice reads the choice in a place. The error means that it may hold a text that cannot be read.
func (c *Completion) Choice(i int) (Choice, error) {
	p, err := readPiece(c.choices[i])
	if err != nil {
		return Choice{}, err
	}
	var texts []string
	for _, text := range []string{p.content, p.refusal, p.transcript, p.legacy} {
		if text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	slices.Sort(p.unread)
	choice := Choice{Text: strings.Join(texts, "\n\n"), Finish: p.finish, Unread: slices.Compact(p.unread)}
	if len(p.tokens) > 0 && !p.badTokens {
		choice.Logprobs, err = json.Marshal(map[string]any{"content": p.tokens})
	}
	return choice, err
}
