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
const maxAlike = 3

// BadLines reports lines that cannot be read: what to do about the first of a kind, then the first lines of that kind. It is not
// safe for concurrent use.
type BadLines struct {
	w     io.Writer
	table bool // lines are rows, whose faults are in columns
	hint  func(line []byte, fault error) string
	kinds map[string]int
	hints map[string]bool // that were written
}

// NewBadLines makes a report to w of lines, which may be rows of a table. The hint is what a person may do about a line, nil for one
// that was not kept; "" if that is not known.
func NewBadLines(w io.Writer, table bool, hint func(line []byte, fault error) string) *BadLines {
	return &BadLines{w: w, table: table, hint: hint, kinds: map[string]int{}, hints: map[string]bool{}}
}

// Report reports a line, unless there were many like it. line is nil for one that was too long to keep.
func (m *BadLines) Report(number int, line []byte, fault error) error {
	shown := fault
	if bad, ok := errors.AsType[*scan.Error](fault); ok && m.table && bad.Field != "" {
		shown = &scan.Error{Reason: bad.Reason, Field: "column " + bad.Field, Detail: bad.Detail}
	}
	kind := kindOf(shown)
	if m.kinds[kind]++; m.kinds[kind] > maxAlike {
		return nil
	}
	text := fmt.Sprintf("line %d: %v\n", number, shown)
	if m.kinds[kind] == 1 {
		if hint := m.hint(line, fault); hint != "" && !m.hints[hint] {
			m.hints[hint] = true
			text = "hint: " + hint + "\n" + text
		}
	}
	if _, err := io.WriteString(m.w, text); err != nil {
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
