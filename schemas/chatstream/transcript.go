package chatstream

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
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
	var list [][]byte
	if bytes.HasPrefix(value, []byte("[")) {
		var all piece
		var chunks []json.RawMessage
		if all.read(value, &chunks); all.bad {
			return nil, ErrNoChunk
		}
		for _, c := range chunks {
			list = append(list, c)
		}
	} else {
		list = slices.Collect(events(value))
	}
	for i, event := range list {
		if len(event) == 0 || string(bytes.TrimSpace(event)) == "[DONE]" {
			continue // what follows is read, too
		}
		if err := s.addEvent(event); err != nil {
			return nil, fmt.Errorf("event %d: %w", i+1, err)
		}
	}
	if s.chunks == 0 {
		return nil, ErrNoChunk
	}
	return s, nil
}

// events yields the data of each server-sent event, as the HTML standard reads them: lines end with LF, CR LF or CR, the
// lines of an event's data are joined by LF, comments and other fields are left out, and an event without an empty line
// after it counts only at the end of a text that was not cut.
func events(text []byte) iter.Seq[[]byte] {
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
