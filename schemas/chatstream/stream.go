package chatstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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

	meta    map[string]json.RawMessage // members of the completion
	further map[string]json.RawMessage // members that are not of the API, such as request and sources
	answers map[int]*answer            // by the index of the choice
	chunks  int
	bytes   int // of all chunks
	text    int // bytes of the answers
	size    int // bytes that are kept
}

// answer is one choice.
type answer struct {
	role          string
	text, refusal strings.Builder
	finish        string
	logprobs      []json.RawMessage
}

// chunk is one event of a stream.
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Choices []choice `json:"choices"`
}

// choice is the part of a chunk for one of the answers.
type choice struct {
	Index int `json:"index"`
	Delta struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		Refusal string `json:"refusal"`
	} `json:"delta"`
	FinishReason string `json:"finish_reason"`
	Logprobs     *struct {
		Content []json.RawMessage `json:"content"`
	} `json:"logprobs"`
}

// objectChunk is the type of chunks.
const objectChunk = "chat.completion.chunk"

// IsChunk reports whether a JSON value looks like a chunk, without decoding it.
func IsChunk(value []byte) bool {
	return bytes.Contains(value, []byte(`"`+objectChunk+`"`)) && len(bytes.TrimSpace(value)) > 0 && bytes.TrimSpace(value)[0] == '{'
}

// ChunkID returns the id of the completion that a chunk is part of, and whether it has choices: one with the usage has
// none. The error is ErrNoChunk.
func ChunkID(value []byte) (id string, choices bool, err error) {
	var c chunk
	if err := json.Unmarshal(value, &c); err != nil || c.Object != objectChunk || c.ID == "" {
		return "", false, ErrNoChunk
	}
	return c.ID, len(c.Choices) > 0, nil
}

// Add adds a chunk. The error is ErrNoChunk, ErrOther or ErrLarge; the stream is then as it was.
func (s *Stream) Add(value []byte) error {
	c, members, err := readChunk(value)
	if err != nil || c.Object != objectChunk || c.ID == "" {
		return ErrNoChunk
	}
	return s.add(c, members, len(value))
}

// addEvent adds an event of a stream. Servers also send events that are no chunks, such as pings and the results of filters,
// and chunks without an id or a type: what has choices counts.
func (s *Stream) addEvent(value []byte) error {
	c, members, err := readChunk(value)
	if err != nil || len(c.Choices) == 0 && c.Object != objectChunk {
		return nil //nolint:nilerr // it has no text
	}
	if c.ID == "" {
		c.ID = s.ID
	}
	return s.add(c, members, len(value))
}

func readChunk(value []byte) (c chunk, members map[string]json.RawMessage, err error) {
	err = errors.Join(json.Unmarshal(value, &c), json.Unmarshal(value, &members))
	return c, members, err
}

func (s *Stream) add(c chunk, members map[string]json.RawMessage, size int) error {
	switch {
	case s.ID != "" && s.ID != c.ID:
		return ErrOther
	case s.chunks >= MaxChunks || s.bytes+size > 64*MaxBytes || s.text+size > 2*MaxBytes:
		return ErrLarge
	}
	for i := range c.Choices {
		if n := c.Choices[i].Index; n < 0 || n >= MaxChoices {
			return ErrLarge
		}
	}
	if s.meta == nil {
		s.meta, s.further, s.answers = map[string]json.RawMessage{}, map[string]json.RawMessage{}, map[int]*answer{}
	}
	s.ID = c.ID
	s.chunks++
	s.bytes += size
	s.keep(members)
	for i := range c.Choices {
		s.addChoice(&c.Choices[i])
	}
	return nil
}

func (s *Stream) addChoice(c *choice) {
	a := s.answers[c.Index]
	if a == nil {
		a = &answer{}
		s.answers[c.Index] = a
	}
	a.text.WriteString(c.Delta.Content)
	a.refusal.WriteString(c.Delta.Refusal)
	a.role, a.finish = orDefault(c.Delta.Role, a.role), orDefault(c.FinishReason, a.finish)
	s.text += len(c.Delta.Content) + len(c.Delta.Refusal)
	s.size += len(c.Delta.Content) + len(c.Delta.Refusal)
	if c.Logprobs != nil {
		for _, l := range c.Logprobs.Content {
			s.size += len(l) + 24
		}
		a.logprobs = append(a.logprobs, c.Logprobs.Content...)
	}
}

// apiMembers are those of a completion besides id, object and choices.
func apiMembers() []string {
	return []string{"created", "model", "service_tier", "system_fingerprint", "usage", "metadata", "temperature"}
}

// keep takes the members next to the choices: of each the first value that is not null.
func (s *Stream) keep(members map[string]json.RawMessage) {
	for name, value := range members {
		if string(value) == "null" || slices.Contains([]string{"id", "object", "choices", "obfuscation"}, name) {
			continue
		}
		into := s.further
		if slices.Contains(apiMembers(), name) {
			into = s.meta
		}
		if _, has := into[name]; !has {
			into[name] = value
			s.size += len(name) + len(value) + 64
		}
	}
}

// Finished reports whether every choice has the reason of its end.
func (s *Stream) Finished() bool {
	for _, a := range s.answers {
		if a.finish == "" {
			return false
		}
	}
	return len(s.answers) > 0
}

// Chunks is the number of chunks that have come.
func (s *Stream) Chunks() int { return s.chunks }

// Bytes is about the memory that the stream needs.
func (s *Stream) Bytes() int { return 512 + s.size }

// Completion returns the completion as JSON: object chat.completion with its choices, and request.stream if there is no
// request.
func (s *Stream) Completion() ([]byte, error) {
	choices := []any{}
	for _, index := range slices.Sorted(maps.Keys(s.answers)) {
		choices = append(choices, s.answers[index].choice(index))
	}
	all := map[string]any{}
	for name, value := range s.further {
		all[name] = value
	}
	for name, value := range s.meta {
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
	c := map[string]any{"index": index, "message": message, "finish_reason": orDefault(a.finish, Unfinished)}
	if len(a.logprobs) > 0 {
		c["logprobs"] = map[string]any{"content": a.logprobs}
	}
	return c
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
