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
}

type members = map[string]json.RawMessage

// readObject returns the members of an object by their exact names, nil for null and for nothing.
func readObject(value json.RawMessage) (m members, err error) {
	if len(value) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(value, &m); err != nil {
		return nil, ErrNoChunk
	}
	return m, nil
}

// readText returns a text, "" for null and for nothing.
func readText(value json.RawMessage) (text string, err error) {
	if len(value) > 0 && json.Unmarshal(value, &text) != nil {
		return "", ErrNoChunk
	}
	return text, nil
}

// sideText returns a text that no one misses: "" if it is of another type.
func sideText(value json.RawMessage) string {
	text, _ := readText(value)
	return text
}

// isEmpty reports a value that says nothing.
func isEmpty(value json.RawMessage) bool {
	return len(value) == 0 || slices.Contains([]string{"null", "false", `""`, "[]", "{}"}, string(bytes.TrimSpace(value)))
}

// readPiece reads a member of choices. The error means that it may hold a text that cannot be read.
func readPiece(value json.RawMessage) (p piece, err error) {
	m, err := readObject(value)
	if err != nil || m == nil {
		return p, ErrNoChunk
	}
	if index := m["index"]; len(index) > 0 && json.Unmarshal(index, &p.index) != nil {
		return p, ErrNoChunk
	}
	if p.index < 0 || p.index >= MaxChoices {
		return p, ErrLarge
	}
	p.finish = sideText(m["finish_reason"])
	p.readLogprobs(m["logprobs"])
	if p.legacy, err = readText(m["text"]); err != nil {
		return p, err
	}
	if err := p.readMessage(m["delta"], ""); err != nil {
		return p, err
	}
	p.whole = !isEmpty(m["message"])
	return p, p.readMessage(m["message"], "\n")
}

func (p *piece) readLogprobs(value json.RawMessage) {
	m, err := readObject(value)
	if content := m["content"]; err == nil && len(content) > 0 {
		err = json.Unmarshal(content, &p.tokens)
	}
	p.badTokens = err != nil
}

// readMessage adds a message, or a part of one. The texts of a list of parts are joined by sep.
func (p *piece) readMessage(value json.RawMessage, sep string) error {
	m, err := readObject(value)
	if err != nil {
		return err
	}
	if role := sideText(m["role"]); role != "" {
		p.role = role
	}
	if err := p.readContent(m["content"], sep); err != nil {
		return err
	}
	if refusal := m["refusal"]; string(refusal) != "false" {
		text, err := readText(refusal)
		if err != nil {
			return err
		}
		p.refusal += text
	}
	speech, err := readObject(m["audio"])
	if err != nil {
		return err
	}
	text, err := readText(speech["transcript"])
	if err != nil {
		return err
	}
	if p.transcript += text; text == "" && !isEmpty(speech["data"]) {
		p.unread = append(p.unread, UnreadParts)
	}
	p.mark(m)
	return nil
}

// mark notes what a message holds besides its text.
func (p *piece) mark(m members) {
	var marked []string
	if json.Unmarshal(m["unread"], &marked) == nil { // of an assembled stream
		p.unread = append(p.unread, marked...)
	}
	for _, name := range []string{"tool_calls", "function_call"} {
		if !isEmpty(m[name]) {
			p.unread = append(p.unread, UnreadTools)
		}
	}
	for _, name := range []string{"reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks"} {
		if !isEmpty(m[name]) {
			p.unread = append(p.unread, UnreadReasoning)
		}
	}
}

// readContent adds a text, or a list of parts.
func (p *piece) readContent(value json.RawMessage, sep string) error {
	if !bytes.HasPrefix(value, []byte("[")) {
		text, err := readText(value)
		p.content += text
		return err
	}
	var parts []json.RawMessage
	if json.Unmarshal(value, &parts) != nil {
		return ErrNoChunk
	}
	var texts []string
	for _, part := range parts {
		text, err := p.readPart(part)
		if err != nil {
			return err
		}
		if text != "" {
			texts = append(texts, text)
		}
	}
	p.content += strings.Join(texts, sep)
	return nil
}

// readPart returns the text of a part of a content.
func (p *piece) readPart(value json.RawMessage) (text string, err error) {
	if bytes.HasPrefix(value, []byte(`"`)) {
		return readText(value)
	}
	m, err := readObject(value)
	if err != nil {
		return "", err
	}
	if _, has := m["text"]; has {
		return readText(m["text"])
	}
	if _, has := m["refusal"]; has {
		return readText(m["refusal"])
	}
	if kind := sideText(m["type"]); kind == "thinking" || kind == "reasoning" {
		p.unread = append(p.unread, UnreadReasoning)
	} else {
		p.unread = append(p.unread, UnreadParts)
	}
	return "", nil
}

// Completion is a chat completion that is whole.
type Completion struct {
	Members map[string]json.RawMessage // without the choices

	choices []json.RawMessage
}

// ReadCompletion reads a completion, a choice of which is read when it is asked for. The error is ErrNoChunk for a value
// without a list of choices, or ErrLarge.
func ReadCompletion(value []byte) (*Completion, error) {
	m, err := readObject(value)
	c := &Completion{Members: m}
	if list, has := m["choices"]; err != nil || !has || json.Unmarshal(list, &c.choices) != nil {
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
