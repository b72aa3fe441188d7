package llm

import (
	"bytes"
	"encoding/json"
	"errors"
)

var errList = errors.New("not a list, or longer than allowed")

// readList reads a JSON list of at most most items; a missing or null list is empty. It stops at the limit, so that small
// items cannot fill the memory. raw is valid JSON.
func readList[T any](raw []byte, most int) ([]T, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] != '[' {
		return nil, errList
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var out []T
	for d.More() {
		if len(out) == most {
			return nil, errList
		}
		var item T
		if err := d.Decode(&item); err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}
