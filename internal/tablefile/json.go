package tablefile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonRows reads JSON Lines, unless the text is one JSON value: a list, or an object with the list in data.
func (r *Reader) jsonRows(text string) (func() (Row, error), error) {
	trimmed := strings.TrimSpace(text)
	var whole struct {
		Data []json.RawMessage `json:"data"`
	}
	switch {
	case trimmed[0] == '[':
		if err := json.Unmarshal([]byte(trimmed), &whole.Data); err != nil {
			return nil, fmt.Errorf("%s: read the list: %w", r.path, err)
		}
	case json.Unmarshal([]byte(trimmed), &whole) == nil && whole.Data != nil:
	default:
		return r.jsonLines(text), nil
	}
	index := 0
	return func() (Row, error) {
		if index == len(whole.Data) {
			return Row{}, io.EOF
		}
		index++
		return readObject(fmt.Sprintf("%s, item %d", r.path, index), whole.Data[index-1])
	}, nil
}

func (r *Reader) jsonLines(text string) func() (Row, error) {
	line := 0
	return func() (Row, error) {
		for text != "" {
			var part string
			part, text, _ = strings.Cut(text, "\n")
			line++
			if strings.TrimSpace(part) != "" {
				return readObject(fmt.Sprintf("%s:%d", r.path, line), []byte(part))
			}
		}
		return Row{}, io.EOF
	}
}

func readObject(place string, raw []byte) (Row, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var object map[string]any
	err := d.Decode(&object)
	if err == nil && d.More() {
		err = errors.New("something follows the object")
	}
	if err == nil && object == nil {
		err = errors.New("null")
	}
	if err != nil {
		return Row{}, &RowError{place, fmt.Errorf("is not a JSON object: %w", err)}
	}
	row := Row{Place: place, Values: map[string]string{}}
	return row, row.flatten("", object)
}

// flatten adds the members, those of objects by "outer.inner" and lists as JSON.
func (r *Row) flatten(prefix string, object map[string]any) error {
	for name, v := range object {
		switch v := v.(type) {
		case nil:
		case string:
			if strings.TrimSpace(v) != "" {
				r.Values[prefix+name] = v
			}
		case map[string]any:
			if err := r.flatten(prefix+name+".", v); err != nil {
				return err
			}
		case []any:
			raw, err := json.Marshal(v)
			if err != nil {
				return &RowError{r.Place, err}
			}
			r.Values[prefix+name] = string(raw)
		default:
			r.Values[prefix+name] = fmt.Sprint(v)
		}
	}
	return nil
}
