package recordshape

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"confab/schemas/json/scan"
)

// maxAlike bounds the reports of one kind.
const maxAlike = 20

// BadLines reports lines that cannot be read, only the first ones of each kind. It is not safe for concurrent use.
type BadLines struct {
	w     io.Writer
	kinds map[string]int
}

// NewBadLines makes a report to w.
func NewBadLines(w io.Writer) *BadLines { return &BadLines{w: w, kinds: map[string]int{}} }

// Report reports a line, unless there were many like it.
func (m *BadLines) Report(number int, err error) error {
	kind := kindOf(err)
	if m.kinds[kind]++; m.kinds[kind] > maxAlike {
		return nil
	}
	if _, err := fmt.Fprintf(m.w, "line %d: %v\n", number, err); err != nil {
		return fmt.Errorf("write message: %w", err)
	}
	return nil
}

// End reports how many lines had no message.
func (m *BadLines) End() error {
	for _, kind := range slices.Sorted(maps.Keys(m.kinds)) {
		if more := m.kinds[kind] - maxAlike; more > 0 {
			if _, err := fmt.Fprintf(m.w, "… and %d more lines like this: %s\n", more, kind); err != nil {
				return fmt.Errorf("write message: %w", err)
			}
		}
	}
	return nil
}

// kindOf is the error without what differs from line to line.
func kindOf(err error) string {
	const otherKind = "other faults"
	bad, ok := errors.AsType[*scan.Error](err)
	if !ok {
		return otherKind
	}
	kind := bad.Reason
	if bad.Field != "" {
		kind += " in " + bad.Field
	}
	if bad.Detail != "" {
		kind += ": " + bad.Detail
	}
	return kind
}
