package json

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"confab/schemas/json/mapspec"
)

// ErrSkipped says that a record holds no answer that is to be read: it does not match the filter of its input or of its shape, or its
// call failed. It is skipped, not refused.
var ErrSkipped = errors.New("the record does not match where of its input, or holds no answer by its nature")

// MaxConditions bounds the conditions of a filter.
const MaxConditions = 16

// Filter selects records by the values at some of their paths. It is safe for concurrent use.
type Filter struct {
	decoder    *Decoder
	conditions []condition
}

// condition holds if a value at one of the paths is one of these. The empty one stands for no value or null.
type condition struct {
	paths  [][]mapspec.Step
	values []string
}

// NewFilter returns a filter from conditions: a path of the map language, or several candidates, to the values that a record
// may have there. The empty value stands for no value or null. The error joins one *[MappingError] per invalid condition.
func NewFilter(where map[string][]string) (*Filter, error) {
	f := &Filter{decoder: NewDecoder(Options{})}
	var faults []error
	if len(where) > MaxConditions {
		faults = append(faults, &MappingError{Message: fmt.Sprintf("has %d conditions: keep at most %d", len(where), MaxConditions)})
	}
	for _, path := range slices.Sorted(maps.Keys(where)) {
		paths, err := mapspec.ParsePaths(path)
		if err == nil && len(where[path]) == 0 {
			err = errors.New("lists no values, so that no record matches: name those to keep")
		}
		if err != nil {
			faults = append(faults, &MappingError{Field: path, Message: err.Error()})
			continue
		}
		f.conditions = append(f.conditions, condition{paths, where[path]})
	}
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	return f, nil
}

// WithLimits returns the filter with other limits.
func (f *Filter) WithLimits(o Options) *Filter {
	limited := *f
	limited.decoder = NewDecoder(o)
	return &limited
}

// Match reports whether every condition holds. A record that cannot be read matches: the decoder says what is wrong with it.
func (f *Filter) Match(raw []byte) bool {
	if len(raw) > f.decoder.maxBytes {
		return true
	}
	s := f.decoder.reader(raw)
	defer f.decoder.release(s)
	s.End()
	holds := true
	for i := 0; holds && s.Err == nil && i < len(f.conditions); i++ {
		holds = s.holds(&f.conditions[i])
	}
	return holds || s.Err != nil
}

// holds compares the values at the paths with those to keep: texts, or numbers, true and false as they are written. An object
// or a list is none of them.
func (s *interactionReader) holds(c *condition) bool {
	none := true
	for _, path := range c.paths {
		d, pos, found := s.find(path)
		if found != present {
			continue
		}
		none = false
		r := s.scannerOf(d)
		if slices.ContainsFunc(c.values, func(value string) bool { return isScalar(r, pos, value) }) {
			return true
		}
	}
	return none && slices.Contains(c.values, "")
}
