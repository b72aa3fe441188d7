package strictyaml

import (
	"cmp"
	"fmt"
	"reflect"
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
	Path    string // the setting, such as kafka.inputs[0].topic; "" for the whole file
	Message string // cause and remedy
}

// String is the problem in one line.
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

// Error holds all problems of a file and its overrides, in the order of their places. It contains no secrets.
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

// KeyHinter is a section that knows what to set instead of some keys that it does not have: names that other software
// uses. The hint is a sentence without a full stop, "" for none.
type KeyHinter interface {
	HintForKey(key string) string
}

// unknownField is the message about an unknown key of a section.
func unknownField(key string, section reflect.Value, known []string) string {
	if section.CanAddr() {
		if hinter, ok := reflect.TypeAssert[KeyHinter](section.Addr()); ok {
			if hint := hinter.HintForKey(strings.ToLower(key)); hint != "" {
				return fmt.Sprintf("unknown key %q; %s", key, hint)
			}
		}
	}
	return unknownKey(key, known)
}

// unknownKey is the message about an unknown key, with a similar one or the known ones.
func unknownKey(key string, known []string) string {
	const listed = 40 // longer lists are not printed
	text := fmt.Sprintf("unknown key %q", key)
	if best := nearestWord(key, known); best != "" {
		return text + fmt.Sprintf("; did you mean %q?", best)
	}
	if len(known) == 0 || len(known) > listed {
		return text + "; remove it"
	}
	return text + "; known here: " + strings.Join(known, ", ")
}

// nearestWord is the candidate with the smallest edit distance to word; "" if none is close enough.
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
