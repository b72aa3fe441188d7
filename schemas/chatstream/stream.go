package chatstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Unfinished is the finish reason of a stream whose end has not come.
const Unfinished = "unfinished"

// Limits of a stream. What is over them is not assembled.
const (
	MaxChunks = 100_000
	MaxBytes  = 1 << 20 // of the text
)

// The errors of a chunk.
var (
	ErrNoChunk = errors.New("no chunk of a chat completion")
	ErrLarge   = errors.New("the stream is larger than the limit")
	ErrOther   = errors.New("the chunk is of another completion")
)

// MaxChoices is the number of answers of one request that are assembled.
const MaxChoices = 128

// Stream is a chat completion of which chunks have come. Chunks are added in the order in which they were written: they
// have no numbers.
type Stream struct {
	ID string

	members members         // of the completion, also those that are not of the API, such as request and sources
	answers map[int]*answer // by the index of the choice
	chunks  int
	bytes   int // of all chunks
	text    int // bytes of the answers
	size    int // bytes that are kept
}

// answer is one choice.
type answer struct {
	role                      string
	text, refusal, transcript strings.Builder
	finish                    string
	tokens                    []json.RawMessage // of the logprobs
	badTokens                 bool              // some could not be read, so none counts
	unread                    []string
}

// chunk is one event of a stream.
type chunk struct {
	id, object string
	choices    []piece
	members    members
}

// objectChunk is the type of chunks.
const objectChunk = "chat.completion.chunk"

// addEvent adds an event of a stream. Servers also send events that are no chunks, such as pings and the results of filters,
// and chunks without an id or a type: what has choices counts. An event that may hold a text that is not read is an error.
func (s *Stream) addEvent(value []byte) error {
	c, err := readChunk(value)
	if err != nil {
		return err
	}
	if len(c.choices) == 0 && c.object != objectChunk {
		// With these, events of other APIs carry text.
		for _, name := range []string{"delta", "message", "text", "content", "content_block", "output", "output_text", "response", "completion", "choice"} {
			if !isEmpty(c.members[name]) {
				return ErrNoChunk
			}
		}
		return nil
	}
	if c.id == "" {
		c.id = s.ID
	}
	return s.add(&c, len(value))
}

// readChunk reads an event. The error is ErrNoChunk or ErrLarge.
func readChunk(value []byte) (c chunk, err error) {
	if err := json.Unmarshal(value, &c.members); err != nil {
		if c.members = nil; json.Unmarshal(withoutNaN(value), &c.members) != nil {
			return c, ErrNoChunk
		}
	}
	if c.members == nil {
		return c, ErrNoChunk
	}
	c.object, c.id = sideText(c.members["object"]), sideText(c.members["id"])
	if id := c.members["id"]; c.id == "" && !isEmpty(id) { // a number
		c.id = string(id)
	}
	var all piece
	var choices []json.RawMessage
	if all.read(c.members["choices"], &choices); all.bad {
		return c, ErrNoChunk
	}
	if len(choices) > MaxChoices {
		return c, ErrLarge
	}
	for _, value := range choices {
		p, err := readPiece(value)
		if err != nil {
			return c, err
		}
		c.choices = append(c.choices, p)
	}
	return c, nil
}

// textOrNaN matches quoted texts, and the numbers that Python writes and JSON does not have.
var textOrNaN = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|NaN|-?Infinity`)

// withoutNaN replaces NaN, Infinity and -Infinity by null.
func withoutNaN(value []byte) []byte {
	return textOrNaN.ReplaceAllFunc(value, func(match []byte) []byte {
		if match[0] == '"' {
			return match
		}
		return []byte("null")
	})
}

func (s *Stream) add(c *chunk, size int) error {
	switch {
	case s.ID != "" && s.ID != c.id:
		return ErrOther
	case s.chunks >= MaxChunks || s.bytes+size > 64*MaxBytes || s.text+size > 2*MaxBytes:
		return ErrLarge
	}
	if s.members == nil {
		s.members, s.answers = members{}, map[int]*answer{}
	}
	s.ID = c.id
	s.chunks++
	s.bytes += size
	s.keep(c.members)
	for i := range c.choices {
		s.addPiece(&c.choices[i])
	}
	return nil
}

func (s *Stream) addPiece(p *piece) {
	a := s.answers[p.index]
	if a == nil {
		a = &answer{}
		s.answers[p.index] = a
	}
	if text := p.content + p.legacy; !p.whole || text != a.text.String() { // some servers end with the whole message
		a.text.WriteString(text)
	}
	a.refusal.WriteString(p.refusal)
	a.transcript.WriteString(p.transcript)
	a.role, a.finish = orDefault(p.role, a.role), orDefault(p.finish, a.finish)
	for _, what := range p.unread {
		if !slices.Contains(a.unread, what) {
			a.unread = append(a.unread, what)
		}
	}
	s.text += len(p.content) + len(p.legacy) + len(p.refusal) + len(p.transcript)
	a.badTokens = a.badTokens || p.badTokens
	a.tokens = append(a.tokens, p.tokens...)
}

// keep takes the members next to the choices: of each the first value that is not null.
func (s *Stream) keep(members map[string]json.RawMessage) {
	for name, value := range members {
		if string(value) == "null" || slices.Contains([]string{"id", "object", "choices", "obfuscation"}, name) {
			continue
		}
		if _, has := s.members[name]; !has {
			s.members[name] = value
		}
	}
}

// Completion returns the completion as JSON: object chat.completion with its choices, and request.stream if there is no
// request.
func (s *Stream) Completion() ([]byte, error) {
	choices := []any{}
	for _, index := range slices.Sorted(maps.Keys(s.answers)) {
		choices = append(choices, s.answers[index].choice(index))
	}
	all := map[string]any{}
	for name, value := range s.members {
		all[name] = value
	}
	if _, has := all["request"]; !has {
		all["request"] = map[string]any{"stream": true}
	}
	all["id"], all["object"], all["choices"] = s.ID, "chat.completion", choices
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode completion: %w", err)
	}
	return text, nil
}

func (a *answer) choice(index int) map[string]any {
	message := map[string]any{"role": orDefault(a.role, "assistant"), "content": a.text.String()}
	if a.refusal.Len() > 0 {
		message["refusal"] = a.refusal.String()
		if a.text.Len() == 0 {
			message["content"] = nil
		}
	}
	if a.transcript.Len() > 0 {
		message["audio"] = map[string]any{"transcript": a.transcript.String()}
	}
	if len(a.unread) > 0 {
		message["unread"] = a.unread // their parts are not assembled
	}
	c := map[string]any{"index": index, "message": message, "finish_reason": orDefault(a.finish, Unfinished)}
	if len(a.tokens) > 0 && !a.badTokens {
		c["logprobs"] = map[string]any{"content": a.tokens}
	}
	return c
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
