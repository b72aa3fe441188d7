package calibration

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Problem is one fault of a calibration file, with its place and what to do about it.
type Problem struct {
	Line, Column int    // from 1; 0 when the file was made in memory
	Field        string // such as thresholds[2].threshold
	Message      string
}

func (p *Problem) Error() string {
	where := p.Field
	if p.Line > 0 {
		where = fmt.Sprintf("line %d, column %d", p.Line, p.Column)
		if p.Field != "" {
			where += ": " + p.Field
		}
	}
	if where == "" {
		return p.Message
	}
	return where + ": " + p.Message
}

// join makes one error of the problems, in the order of the file.
func join(problems []*Problem) error {
	slices.SortStableFunc(problems, func(a, b *Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	return errors.Join(errs...)
}

// places tells where a field stands in the file.
type places func(field string) (line, column int)

func noPlace(string) (line, column int) { return 0, 0 }
