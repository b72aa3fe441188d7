package chatstream

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// Stream is a chat completion of which chunks have come. Chunks are added in the order in which they were written: they
// have no numbers. Only the first choice is assembled.
type Stream struct {
	ID string

	meta     map[string]json.RawMessage // members of the completion
	further  map[string]json.RawMessage // members that are not of the API, such as request and sources
	role     string
	text     strings.Builder
	refusal  strings.Builder
	finish   string
	logprobs []json.RawMessage
	calls    int // deltas of tool calls
	chunks   int
	bytes    int
}

// chunk is one event of a stream.
type chunk struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Choices []struct {
		Index int `json:"index"`
		Delta struct {
			Role      string            `json:"role"`
			Content   string            `json:"content"`
			Refusal   string            `json:"refusal"`
			ToolCalls []json.RawMessage `json:"tool_calls"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
		Logprobs     *struct {
			Content []json.RawMessage `json:"content"`
		} `json:"logprobs"`
	} `json:"choices"`
}

// objectChunk is the type of chunks.
const objectChunk = "chat.completion.chunk"

// IsChunk reports whether a JSON value looks like a chunk, without decoding it.
func IsChunk(value []byte) bool {
	return bytes.Contains(value, []byte(`"`+objectChunk+`"`)) && len(bytes.TrimSpace(value)) > 0 && bytes.TrimSpace(value)[0] == '{'
}

// ChunkID returns the id of the completion that a chunk is part of. The error is ErrNoChunk.
func ChunkID(value []byte) (string, error) {
	var c struct{ ID, Object string }
	if err := json.Unmarshal(value, &c); err != nil || c.Object != objectChunk || c.ID == "" {
		return "", ErrNoChunk
	}
	return c.ID, nil
}

// Add adds a chunk. The error is ErrNoChunk, ErrOther or ErrLarge; the stream is then as it was.
func (s *Stream) Add(value []byte) error {
	var c chunk
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &c) != nil || json.Unmarshal(value, &members) != nil || c.Object != objectChunk || c.ID == "" {
		return ErrNoChunk
	}
	if s.ID != "" && s.ID != c.ID {
		return ErrOther
	}
	if s.chunks >= MaxChunks || s.bytes+len(value) > 64*MaxBytes || s.text.Len()+len(value) > 2*MaxBytes {
		return ErrLarge
	}
	if s.meta == nil {
		s.ID, s.meta, s.further = c.ID, map[string]json.RawMessage{}, map[string]json.RawMessage{}
	}
	s.chunks++
	s.bytes += len(value)
	s.keep(members)
	for i := range c.Choices {
		ch := &c.Choices[i]
		if ch.Index != 0 {
			continue
		}
		s.text.WriteString(ch.Delta.Content)
		s.refusal.WriteString(ch.Delta.Refusal)
		s.calls += len(ch.Delta.ToolCalls)
		if ch.Delta.Role != "" {
			s.role = ch.Delta.Role
		}
		if ch.Logprobs != nil {
			s.logprobs = append(s.logprobs, ch.Logprobs.Content...)
		}
		if ch.FinishReason != "" {
			s.finish = ch.FinishReason
		}
	}
	return nil
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
		}
	}
}

// Finished reports whether the chunk with the reason of the end has come.
func (s *Stream) Finished() bool { return s.finish != "" }

// Chunks is the number of chunks that have come.
func (s *Stream) Chunks() int { return s.chunks }

// Bytes is about the memory that the stream needs.
func (s *Stream) Bytes() int {
	n := 512 + s.text.Len() + s.refusal.Len()
	for _, l := range s.logprobs {
		n += len(l) + 24
	}
	for name, value := range s.further {
		n += len(name) + len(value) + 64
	}
	return n
}

// Completion returns the completion as JSON: object chat.completion with one choice, and request.stream if there is no
// request.
func (s *Stream) Completion() ([]byte, error) {
	message := map[string]any{"role": orDefault(s.role, "assistant"), "content": s.text.String()}
	if s.refusal.Len() > 0 {
		message["refusal"] = s.refusal.String()
		if s.text.Len() == 0 {
			message["content"] = nil
		}
	}
	choice := map[string]any{"index": 0, "message": message, "finish_reason": orDefault(s.finish, Unfinished)}
	if len(s.logprobs) > 0 {
		choice["logprobs"] = map[string]any{"content": s.logprobs}
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
	all["id"], all["object"], all["choices"] = s.ID, "chat.completion", []any{choice}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("encode completion: %w", err)
	}
	return text, nil
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
