package labelled

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"confab/internal/cli/mapping"
	"confab/internal/files"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
)

// InteractionFile is a file of interactions, of labelled rows or of spans: JSON Lines, plain or gzip.
type InteractionFile struct {
	Path   string
	Decode func(line []byte, in *schemas.Interaction) error     // nil reads interactions and labelled rows
	Admit  func(in *schemas.Interaction, origin schemas.Origin) // sets what is missing: tenant, id

	// Expand decodes the interactions of a line of spans; Spans says that every line is one. Without Decode a file that begins
	// like one is read by it. May be nil.
	Expand func(line []byte, each func(in *schemas.Interaction, index int, err error)) error
	Spans  bool
	Parts  func(line []byte) recordshape.Part // which records belong together; nil: by the shape of the first

	Hint string // set by EachLine: what to do about the first line that cannot be read
}

// InteractionLine is one interaction of a file.
type InteractionLine struct {
	Row    schemas.Labelled
	Origin schemas.Origin
	Place  string // file and line
}

// fileTopic is the topic of the origin of a line; the offset is its number, as in confab check.
const fileTopic = "file"

// EachLine calls visit with every interaction that can be read. Nothing of a line is shared with another. It returns the number
// of interactions and, with their places, the errors of the others.
func (f *InteractionFile) EachLine(visit func(l *InteractionLine) error) (lines int, faults []string, err error) {
	file, err := os.Open(f.Path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil, fmt.Errorf("%s does not exist", f.Path)
	}
	if err != nil {
		return 0, nil, err
	}
	defer file.Close()
	reader, err := recordshape.NewRecords(file, json.MaxLabelledBytes, f.Path, f.Parts)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	v := &lineVisit{InteractionFile: f, visit: visit, spans: f.Expand != nil && (f.Spans || f.Decode == nil && recordshape.IsSpans(reader.Head()))}
	if v.spans {
		reader = recordshape.Traces(reader)
	}
	err = v.each(reader)
	return v.lines, v.faults, err
}

// each reads the lines up to the first error of the file or of visit.
func (v *lineVisit) each(reader *files.Lines) error {
	for v.err == nil {
		raw, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		v.number = reader.Number()
		switch {
		case errors.Is(err, files.ErrTooLong):
			v.add(nil, 0, fmt.Errorf("more than %d bytes", json.MaxLabelledBytes))
		case err != nil:
			return fmt.Errorf("%s: %w", v.Path, err)
		default:
			v.read(bytes.Clone(raw))
		}
	}
	return v.err
}

// lineVisit is one pass over a file.
type lineVisit struct {
	*InteractionFile

	visit  func(l *InteractionLine) error
	spans  bool // lines are expanded
	number int  // of the line
	lines  int
	faults []string
	err    error // of visit
}

// read reads the interactions of a line.
func (v *lineVisit) read(line []byte) {
	if !v.spans {
		row := &schemas.Labelled{}
		err := v.decode(line, row)
		if err != nil && len(v.faults) == 0 {
			v.Hint = mapping.Hint(line, err, v.Path)
		}
		v.add(row, 0, err)
		return
	}
	err := v.Expand(line, func(in *schemas.Interaction, index int, err error) {
		row := &schemas.Labelled{}
		if err == nil {
			row.Interaction = *in
		}
		v.add(row, index, err)
	})
	if err != nil {
		v.add(nil, 0, err)
	}
}

// add counts an interaction and visits it, unless it cannot be read. What the filter of the input leaves out does not count.
func (v *lineVisit) add(row *schemas.Labelled, index int, err error) {
	place := fmt.Sprintf("%s:%d", v.Path, v.number)
	switch {
	case v.err != nil || errors.Is(err, json.ErrSkipped):
		return
	case err != nil:
		v.lines++
		v.faults = append(v.faults, fmt.Sprintf("%s: %v", place, err))
		return
	}
	v.lines++
	origin := schemas.Origin{Topic: fileTopic, Offset: int64(v.number), Index: index}
	v.Admit(&row.Interaction, origin)
	v.err = v.visit(&InteractionLine{Row: *row, Origin: origin, Place: place})
}

func (f *InteractionFile) decode(line []byte, row *schemas.Labelled) error {
	if f.Decode == nil {
		return recordshape.DecodeLabelled(line, row)
	}
	return f.Decode(line, &row.Interaction)
}
