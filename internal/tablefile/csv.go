package tablefile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// csvRows reads CSV with a line of names. The separator is a comma, or the semicolon or tab that the names have instead.
func (r *Reader) csvRows(text string) (func() (Row, error), error) {
	c := csv.NewReader(strings.NewReader(text))
	c.Comma = separatorOf(text)
	names, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: read the line of names: %w", r.path, err)
	}
	for i := range names {
		names[i] = strings.TrimSpace(names[i])
		if names[i] != "" && slices.Contains(names[:i], names[i]) {
			return nil, fmt.Errorf("%s: two columns are named %q", r.path, names[i])
		}
	}
	return func() (Row, error) { return r.csvRow(c, names) }, nil
}

// separatorOf is the separator of the first line.
func separatorOf(text string) rune {
	first, _, _ := strings.Cut(text, "\n")
	for _, separator := range []rune{',', ';', '\t'} {
		if strings.ContainsRune(first, separator) {
			return separator
		}
	}
	return ','
}

func (r *Reader) csvRow(c *csv.Reader, names []string) (Row, error) {
	cells, err := c.Read()
	if errors.Is(err, csv.ErrFieldCount) {
		line, _ := c.FieldPos(0)
		return Row{}, &RowError{fmt.Sprintf("%s:%d", r.path, line), fmt.Errorf("%d cells where the first line has %d names", len(cells), len(names))}
	}
	if fault, is := errors.AsType[*csv.ParseError](err); is {
		return Row{}, &RowError{fmt.Sprintf("%s:%d", r.path, fault.StartLine), fault.Err}
	}
	if err != nil {
		return Row{}, err
	}
	line, _ := c.FieldPos(0)
	row := Row{Place: fmt.Sprintf("%s:%d", r.path, line), Values: map[string]string{}}
	for i, cell := range cells {
		if cell = unguardCell(cell); strings.TrimSpace(cell) != "" && names[i] != "" {
			row.Values[names[i]] = cell
		}
	}
	return row, nil
}
