package measure

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/schemas"
)

// Condition selects labelled rows by one of their names.
type Condition struct {
	key, pattern string
	not          bool
}

// conditionKeys are the names that a condition may use: those that detectors may read.
//
//nolint:gochecknoglobals // a read-only table
var conditionKeys = map[string]func(row *schemas.Labelled) string{
	"id":        func(row *schemas.Labelled) string { return row.Interaction.ID },
	"dataset":   func(row *schemas.Labelled) string { return row.Dataset },
	"task":      func(row *schemas.Labelled) string { return row.Task },
	"group":     func(row *schemas.Labelled) string { return row.Group },
	"tenant":    func(row *schemas.Labelled) string { return row.Interaction.Tenant },
	"operation": func(row *schemas.Labelled) string { return row.Interaction.Operation },
	"model":     func(row *schemas.Labelled) string { return row.Interaction.Model },
}

// ParseCondition reads KEY=PATTERN or KEY!=PATTERN; a * in the pattern matches any text.
func ParseCondition(text string) (Condition, error) {
	key, pattern, ok := strings.Cut(text, "=")
	key, not := strings.CutSuffix(key, "!")
	if !ok || conditionKeys[key] == nil {
		return Condition{}, fmt.Errorf("condition %q: write KEY=PATTERN or KEY!=PATTERN, where KEY is one of %s and * stands for any text",
			text, strings.Join(slices.Sorted(maps.Keys(conditionKeys)), ", "))
	}
	return Condition{key, pattern, not}, nil
}

func (c Condition) holds(row *schemas.Labelled) bool {
	return matchesPattern(c.pattern, conditionKeys[c.key](row)) != c.not
}

// matchesPattern reports whether the pattern matches all of s.
func matchesPattern(pattern, s string) bool {
	first, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return s == pattern
	}
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	parts := strings.Split(rest, "*")
	for _, part := range parts[:len(parts)-1] {
		_, after, found := strings.Cut(s, part)
		if !found {
			return false
		}
		s = after
	}
	return strings.HasSuffix(s, parts[len(parts)-1])
}

// Where returns the rows on which every condition holds.
func Where(l Labels, conditions ...Condition) Labels {
	if len(conditions) == 0 {
		return l
	}
	return &filteredLabels{l, conditions}
}

type filteredLabels struct {
	Labels
	conditions []Condition
}

// Next implements Labels.
func (f *filteredLabels) Next(row *schemas.Labelled) error {
	for {
		if err := f.Labels.Next(row); err != nil {
			return err
		}
		if !slices.ContainsFunc(f.conditions, func(c Condition) bool { return !c.holds(row) }) {
			return nil
		}
	}
}
