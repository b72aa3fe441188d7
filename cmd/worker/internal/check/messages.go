package check

import (
	"errors"
	"fmt"
	"io"
	"regexp"

	"confab/schemas/json/scan"
)

// Bounds of the messages about bad lines.
const (
	maxAlike = 20 // messages of one kind
	maxKinds = 50 // kinds that are counted separately
)

// messages reports bad lines, only the first ones of each kind.
type messages struct {
	w     io.Writer
	kinds map[string]int
	order []string
}

func newMessages(w io.Writer) *messages { return &messages{w: w, kinds: map[string]int{}} }

func (m *messages) report(number int, err error) error {
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

// end reports how many lines had no message.
func (m *messages) end() error {
	for _, kind := range m.order {
		if more := m.kinds[kind] - maxAlike; more > 0 {
			if _, err := fmt.Fprintf(m.w, "… and %d more %s like this: %s\n", more, plural(more, "line"), kind); err != nil {
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

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
