package strictyaml

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"confab/internal/names"
)

// Place is where a setting was written.
type Place struct {
	Source       string // a file's name, "environment variable CONFAB_X" or a flag
	Line, Column int    // 1-based; 0 where unknown

	layer int // later layers win
}

// String is file:line:column, the source alone, or the line in a source without a name.
func (p Place) String() string {
	switch {
	case p.Line == 0:
		return p.Source
	case p.Source == "" && p.Column == 0:
		return fmt.Sprintf("line %d", p.Line)
	case p.Source == "":
		return fmt.Sprintf("line %d, column %d", p.Line, p.Column)
	}
	text := p.Source + ":" + strconv.Itoa(p.Line)
	if p.Column > 0 {
		text += ":" + strconv.Itoa(p.Column)
	}
	return text
}

// Problem is one thing that is wrong with a configuration.
type Problem struct {
	Place   Place
	Path    string // the setting, such as kafka.inputs[0].topic; "" when the whole file is meant
	Message string // what is wrong, and what to do about it
}

// String is one line for people.
func (p Problem) String() string {
	text := p.Message
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if place := p.Place.String(); place != "" {
		text = place + ": " + text
	}
	return text
}

// Error is everything that is wrong with a file and its overrides, in the order of their places. It never holds the value
// of a secret.
type Error struct {
	Problems []Problem
}

// Error is one line per problem.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// maxProblems bounds the problems of one error.
const maxProblems = 100

// NewError is the problems as an error in the order of their places, nil when there are none. Of very many it holds the
// first hundred.
func NewError(problems []Problem) error {
	if len(problems) == 0 {
		return nil
	}
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Place.layer, b.Place.layer),
			cmp.Compare(a.Place.Line, b.Place.Line),
			cmp.Compare(a.Place.Column, b.Place.Column),
			cmp.Compare(a.Place.Source, b.Place.Source),
		)
	})
	problems = slices.Compact(problems)
	if len(problems) > maxProblems {
		problems = append(problems[:maxProblems:maxProblems], Problem{Message: "further problems are not shown: correct these first"})
	}
	return &Error{Problems: problems}
}

// unknownKey says that a key is not known, and which one was probably meant.
func unknownKey(key string, known []string) string {
	const listed = 16 // longer lists help nobody
	text := fmt.Sprintf("unknown key %q", key)
	if best := nearestWord(key, known); best != "" {
		return text + fmt.Sprintf("; did you mean %q?", best)
	}
	if len(known) == 0 || len(known) > listed {
		return text + "; remove it"
	}
	return text + "; known here: " + strings.Join(known, ", ")
}

// nearestWord is the candidate that a typing error away from word may have been meant, "" when none is near.
func nearestWord(word string, candidates []string) string {
	const longest = 64 // longer than any key
	best, least := "", 1+max(1, len(word)/3)
	if len(word) > longest {
		return ""
	}
	for _, c := range candidates {
		if d := names.EditDistance(strings.ToLower(word), strings.ToLower(c)); d < least {
			best, least = c, d
		}
	}
	return best
}
