package json

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"confab/schemas/json/mapspec"
)

// ErrSkipped says that a record does not match the filter of its input: the record is skipped, not refused.
var ErrSkipped = errors.New("the record does not match where of its input")

// MaxConditions bounds the conditions of a filter.
const MaxConditions = 16

// Filter selects records by the values at some of their paths. It is safe for concurrent use.
type Filter struct {
	decoder *Decoder
	root    pathNode
	all     uint64 // bits of the conditions
	absent  uint64 // bits of those that hold without a value
}

// NewFilter returns a filter from conditions: a path of the map language, or several candidates, to the values that a record
// may have there. The empty value stands for no value or null. The error joins one *[MappingError] per invalid condition.
func NewFilter(where map[string][]string) (*Filter, error) {
	f := &Filter{decoder: NewDecoder(Options{})}
	var faults []error
	if len(where) > MaxConditions {
		faults = append(faults, &MappingError{Message: fmt.Sprintf("has %d conditions: keep at most %d", len(where), MaxConditions)})
	}
	for i, path := range slices.Sorted(maps.Keys(where)) {
		paths, err := mapspec.ParsePaths(path)
		if err == nil && len(where[path]) == 0 {
			err = errors.New("lists no values, so that no record matches: name those to keep")
		}
		if err != nil {
			faults = append(faults, &MappingError{Field: path, Message: err.Error()})
			continue
		}
		bit, values := uint64(1)<<(i%64), where[path]
		f.all |= bit
		if slices.Contains(values, "") {
			f.absent |= bit
		}
		for _, steps := range paths {
			p := f.root.descend(steps)
			p.targets = append(p.targets, mappedField{field: "where", read: func(s *interactionReader) { s.condition(bit, values) }})
		}
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
	s.found, s.present = 0, 0
	s.readPath(&f.root)
	s.End()
	if s.Err != nil {
		return true
	}
	return s.found|f.absent&^s.present == f.all
}

// condition reads the next value and compares it with those to keep: texts, or numbers, true and false as they are written.
func (s *interactionReader) condition(bit uint64, values []string) {
	value, scalar := "", true
	switch c := s.Peek(); {
	case c == '"':
		value = s.Text()
	case c == '-' || c-'0' <= 9 || c == 't' || c == 'f':
		value = s.verbatim()
	default: // an object or a list is none of them
		s.Skip()
		scalar = false
	}
	if s.Err != nil {
		return
	}
	s.present |= bit
	if scalar && slices.Contains(values, value) {
		s.found |= bit
	}
}
