package fileshape

import (
	"errors"
	"fmt"
	"io"
	"regexp"

	"confab/schemas/json/scan"
)

// Bounds of the report of bad lines.
const (
	maxAlike = 20 // reports of one kind
	maxKinds = 50 // kinds that are counted separately
)

// BadLines reports lines that cannot be read, only the first ones of each kind. It is not safe for concurrent use.
type BadLines struct {
	w     io.Writer
	kinds map[string]int
	order []string
}

// NewBadLines makes a report to w.
func NewBadLines(w io.Writer) *BadLines { return &BadLines{w: w, kinds: map[string]int{}} }

// Report reports a line, unless there were many like it.
func (m *BadLines) Report(number int, err error) error {
	kind := kindOf(err)
	if _, known := m.kinds[kind]; !known {
		if len(m.order) >= maxKinds {
			kind = "other faults"
		}
		if _, known := m.kinds[kind]; !known {
			m.order = append(m.order, kind)
		}
	}
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
	for _, kind := range m.order {
		if more := m.kinds[kind] - maxAlike; more > 0 {
			lines := "lines"
			if more == 1 {
				lines = "line"
			}
			if _, err := fmt.Fprintf(m.w, "… and %d more %s like this: %s\n", more, lines, kind); err != nil {
				return fmt.Errorf("write message: %w", err)
			}
		}
	}
	return nil
}

var digits = regexp.MustCompile(`[0-9]+`)

// kindOf is the error without what differs from line to line.
func kindOf(err error) string {
	bad, ok := errors.AsType[*scan.Error](err)
	if !ok {
		return digits.ReplaceAllString(err.Error(), "n")
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
