package chatstream

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// IsTranscript reports whether a value looks like the text of server-sent events or like a list of chunks.
func IsTranscript(value []byte) bool {
	value = bytes.TrimLeft(value, "\ufeff \t\r\n")
	for _, field := range []string{"data:", "event:", "id:", "retry:", ":"} {
		if bytes.HasPrefix(value, []byte(field)) {
			return true
		}
	}
	return bytes.HasPrefix(value, []byte("[")) && bytes.Contains(value, []byte(`"`+objectChunk+`"`))
}

// Assemble assembles a whole stream: the text of server-sent events, or a JSON list of chunks. The stream may be unfinished.
// Events without choices and without text are left out. The error says which event cannot be read, is of another completion or
// too large.
func Assemble(value []byte) (*Stream, error) {
	s := &Stream{}
	value = bytes.TrimLeft(value, "\ufeff \t\r\n")
	if bytes.HasPrefix(value, []byte("[")) {
		var chunks []json.RawMessage
		if json.Unmarshal(value, &chunks) != nil {
			return nil, ErrNoChunk
		}
		for i, c := range chunks {
			if err := s.addEvent(c); err != nil {
				return nil, fmt.Errorf("chunk %d: %w", i, err)
			}
		}
		return s.ifAny()
	}
	number := 0
	for event := range Events(value) {
		if number++; len(event) == 0 || string(bytes.TrimSpace(event)) == "[DONE]" {
			continue // what follows is read, too
		}
		if err := s.addEvent(event); err != nil {
			return nil, fmt.Errorf("event %d: %w", number, err)
		}
	}
	return s.ifAny()
}

func (s *Stream) ifAny() (*Stream, error) {
	if s.chunks == 0 {
		return nil, ErrNoChunk
	}
	return s, nil
}

// Events yields the data of each server-sent event, as the HTML standard reads them: lines end with LF, CR LF or CR, the
// lines of an event's data are joined by LF, comments and other fields are left out, and an event without an empty line
// after it counts only at the end of a text that was not cut.
func Events(text []byte) func(yield func(data []byte) bool) {
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
