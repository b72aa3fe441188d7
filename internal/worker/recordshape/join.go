package recordshape

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"time"

	"confab/internal/files"
	"confab/schemas"
	schemasjson "confab/schemas/json"
	"confab/schemas/json/llmapi"
	"confab/schemas/json/mapspec"
)

// Join says which records of a file belong together. Each gets the member joined: those of its group before it, a list.
type Join struct {
	By   []string `yaml:"by"`   // members that may name the group
	At   []string `yaml:"at"`   // members that may hold the time
	Type []string `yaml:"type"` // types of the records that others get; none: all, as they are
	Take string   `yaml:"take"` // the member of those records that others get, item by item
}

// Bounds of what is joined, in bytes and records.
const (
	maxWindow  = 128 << 20 // that is read ahead: a group that goes on behind it is two
	maxJoined  = 1 << 20
	maxEarlier = 64
)

// Part is what a record says of its group.
type Part struct {
	Group string            // "" for none
	At    time.Time         // zero if it has none
	Gives []json.RawMessage // to those behind it
	Model string            // "" for none
}

// NewRecords is files.NewRecords for a file of that name, whose records may belong together: by parts, or where that is nil by
// the Join of their shape. The error of a file that is none of records says what it is.
func NewRecords(r io.Reader, maxBytes int, name string, parts func(line []byte) Part) (*files.Lines, error) {
	lines, err := files.NewRecords(r, maxBytes, llmapi.IsTranscript)
	if err != nil {
		return nil, err
	}
	if what := File(lines.Head(), name); what != "" {
		return nil, errors.New(what)
	}
	if parts == nil {
		parts = partsOf(lines.Head())
	}
	if parts == nil {
		return lines, nil
	}
	j := &joiner{parts: parts, from: lines}
	return lines.Through(j.next), nil
}

// partsOf are the parts of the first record that can be read, or whose shape is known; nil where these stand alone.
func partsOf(head []byte) func(line []byte) Part {
	const most = 16
	for _, line := range bytes.SplitN(head, []byte("\n"), most) {
		var record schemas.Labelled
		err := DecodeLabelled(line, &record)
		row, ok := FindRow(record.Interaction.Shape)
		switch {
		case ok && row.Join != nil:
			return row.Join.part
		case ok || err == nil:
			return nil
		}
	}
	return nil
}

// joiner gives the records of a window with what belongs to them.
type joiner struct {
	parts  func(line []byte) Part
	from   *files.Lines
	window []*part
	groups map[string][]*part
	merges bool  // each group is one record: spans of a trace
	end    error // of the file
}

// part is one record of a group.
type part struct {
	Part

	line   []byte
	number int
	err    error
	place  int // in the group
}

func (j *joiner) next() (line []byte, number int, err error) {
	for {
		if len(j.window) == 0 && j.end == nil {
			j.fill()
		}
		if len(j.window) == 0 {
			return nil, j.from.Number(), j.end
		}
		p := j.window[0]
		j.window = j.window[1:]
		switch {
		case !j.merges || p.Group == "":
			return j.joined(p), p.number, p.err
		case p.place == 0:
			return j.merged(p.Group), p.number, p.err
		}
	}
}

// fill reads a window and sorts its groups by time.
func (j *joiner) fill() {
	j.groups = map[string][]*part{}
	for size := 0; size < maxWindow && j.end == nil; {
		line, err := j.from.Next()
		if err != nil && !errors.Is(err, files.ErrTooLong) {
			j.end = err
			break
		}
		p := &part{line: bytes.Clone(line), number: j.from.Number(), err: err}
		j.window, size = append(j.window, p), size+len(line)
		if err == nil && p.line[0] == '{' {
			p.Part = j.parts(p.line)
			j.groups[p.Group] = append(j.groups[p.Group], p)
		}
	}
	for _, group := range j.groups {
		if !slices.ContainsFunc(group, func(p *part) bool { return p.At.IsZero() }) {
			slices.SortStableFunc(group, func(a, b *part) int { return a.At.Compare(b.At) })
		}
		for i, p := range group {
			p.place = i
		}
	}
}

// part reads what a record says of its group.
func (j *Join) part(line []byte) (p Part) {
	var f fields
	if json.Unmarshal(line, &f) != nil {
		return p
	}
	p.Group, p.At = f.first(j.By), schemasjson.ParseTime(f.first(j.At), "")
	switch {
	case len(j.Type) == 0:
		p.Gives = []json.RawMessage{line}
	case slices.Contains(j.Type, f.first([]string{"type"})):
		p.Gives = items(f[j.Take])
	}
	return p
}

// first is the first of the members that is a text or a number; "" for none.
func (f fields) first(names []string) string {
	for _, name := range names {
		var text string
		raw := bytes.Trim(f[name], `"`)
		if len(raw) > 0 && string(raw) != "null" && (json.Unmarshal(f[name], &text) == nil || raw[0] >= '0' && raw[0] <= '9') {
			return cmp.Or(text, string(raw))
		}
	}
	return ""
}

// items are the documents in the output of a retriever, which may be JSON in a text, or in an object.
func items(raw json.RawMessage) (list []json.RawMessage) {
	var text string
	if json.Unmarshal(raw, &text) == nil && json.Valid([]byte(text)) {
		raw = json.RawMessage(text)
	}
	var o struct{ Documents []json.RawMessage }
	if json.Unmarshal(raw, &o) == nil && len(o.Documents) > 0 {
		return o.Documents
	}
	if json.Unmarshal(raw, &list) != nil && len(raw) > 0 {
		list = []json.RawMessage{raw}
	}
	return list
}

// lastModel is the model that the last of the records to name one names.
func lastModel(group []*part) string {
	for _, p := range slices.Backward(group) {
		if p.Model != "" {
			return p.Model
		}
	}
	return ""
}

// joined is the record with what those before it in its group give.
func (j *joiner) joined(p *part) []byte {
	var own fields
	if p.Group == "" || bytes.Contains(p.line, []byte(mapspec.Joined)) && json.Unmarshal(p.line, &own) == nil && own[mapspec.Joined] != nil {
		return p.line // a member of that name stays
	}
	given := []json.RawMessage{}
	group, size := j.groups[p.Group], 0
	for i := p.place - 1; i >= 0 && len(given) < maxEarlier && size < maxJoined && p.place-i < 16*maxEarlier; i-- {
		given = slices.Insert(given, 0, group[i].Gives...)
		size += len(group[i].line)
	}
	if len(given) == 0 && p.Gives == nil {
		return p.line
	}
	list, _ := json.Marshal(given) // each was read as JSON
	if model := lastModel(group[:p.place]); model != "" {
		text, _ := json.Marshal(model) // strings are always encoded
		list = slices.Concat(list, []byte(`,"`+mapspec.JoinedModel+`":`), text)
	}
	line := bytes.TrimRight(bytes.TrimSuffix(bytes.TrimRight(p.line, " \t"), []byte("}")), " \t")
	return slices.Concat(line, []byte(`,"`+mapspec.Joined+`":`), list, []byte("}"))
}
