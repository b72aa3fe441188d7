package labelled

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"confab/internal/files"
	"confab/schemas"
	"confab/schemas/json"
)

// InteractionFile is a file of interactions or labelled rows: JSON Lines, plain or gzip.
type InteractionFile struct {
	Path   string
	Decode func(line []byte, in *schemas.Interaction) error     // nil reads interactions and labelled rows
	Admit  func(in *schemas.Interaction, origin schemas.Origin) // sets what is missing: tenant, id
}

// InteractionLine is one line of a file.
type InteractionLine struct {
	Row   schemas.Labelled
	Place string // file and line
}

// fileTopic is the topic of the origin of a line; the offset is its number, as in confab check.
const fileTopic = "file"

// EachLine calls visit with every line that can be read. Nothing of a line is shared with another. It returns the number
// of lines and, with their places, the errors of the others.
func (f *InteractionFile) EachLine(visit func(l *InteractionLine) error) (lines int, faults []string, err error) {
	file, err := os.Open(f.Path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil, fmt.Errorf("%s does not exist", f.Path)
	}
	if err != nil {
		return 0, nil, err
	}
	defer file.Close()
	reader, err := files.NewLines(file, json.MaxLabelledBytes)
	if err != nil {
		return 0, nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if err := shapeError(reader, f.Path); err != nil {
		return 0, nil, err
	}
	for {
		raw, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return lines, faults, nil
		}
		l := &InteractionLine{Place: fmt.Sprintf("%s:%d", f.Path, reader.Number())}
		lines++
		switch {
		case errors.Is(err, files.ErrTooLong):
			faults = append(faults, fmt.Sprintf("%s: more than %d bytes", l.Place, json.MaxLabelledBytes))
			continue
		case err != nil:
			return lines, faults, fmt.Errorf("%s: %w", f.Path, err)
		}
		err = f.decode(bytes.Clone(raw), l)
		if errors.Is(err, json.ErrSkipped) { // the filter of the input leaves it out
			lines--
			continue
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("%s: %v", l.Place, err))
			continue
		}
		f.Admit(&l.Row.Interaction, schemas.Origin{Topic: fileTopic, Offset: int64(reader.Number())})
		if err := visit(l); err != nil {
			return lines, faults, err
		}
	}
}

func (f *InteractionFile) decode(line []byte, l *InteractionLine) error {
	if f.Decode == nil {
		return json.DecodeLabelled(line, &l.Row)
	}
	return f.Decode(line, &l.Row.Interaction)
}
