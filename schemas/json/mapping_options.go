package json

import (
	"errors"
	"fmt"
	"strings"
)

// mapOptions are the options before a pointer.
type mapOptions struct {
	required bool
	nullable bool
	unit     float64 // milliseconds per unit, 0 without a unit
	sources  sourceNames
}

func parseMapOptions(field string, words []string) (mapOptions, error) {
	o := mapOptions{sources: sourceNames{id: "id", text: "text", uri: "uri", score: "score"}}
	for _, word := range words {
		if err := o.set(field, word); err != nil {
			return o, err
		}
	}
	return o, nil
}

// set applies one option.
func (o *mapOptions) set(field, word string) error {
	if ours, theirs, renames := strings.Cut(word, "="); renames {
		if field == "sources" && theirs != "" && o.sources.set(ours, theirs) {
			return nil
		}
		return fmt.Errorf("%q has no effect here: sources alone takes id=, text=, uri= and score= with a name", word)
	}
	switch word {
	case "required":
		o.required = true
	case "nullable":
		if o.nullable = field == "answer"; !o.nullable {
			return errors.New("nullable has no effect here: null is absent for every field but answer")
		}
	default:
		return o.setUnit(field, word)
	}
	return nil
}

// setUnit applies a unit of time.
func (o *mapOptions) setUnit(field, word string) error {
	unit := millisecondsPer(word)
	if unit == 0 {
		return fmt.Errorf("unknown word %q in front of the pointer: known are required, for answer nullable, "+
			"for occurred_at seconds, milliseconds, microseconds and nanoseconds, for sources text=content and the like", word)
	}
	if field != "occurred_at" || o.unit != 0 {
		return fmt.Errorf("%s has no effect here: only occurred_at takes one unit", word)
	}
	o.unit = unit
	return nil
}

// millisecondsPer returns the milliseconds of a unit of time, 0 for any other word.
func millisecondsPer(word string) float64 {
	switch word {
	case "seconds":
		return 1e3
	case "milliseconds":
		return 1
	case "microseconds":
		return 1e-3
	case "nanoseconds":
		return 1e-6
	default:
		return 0
	}
}
