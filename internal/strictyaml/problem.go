package strictyaml

import (
	"bytes"
	"cmp"
	"errors"
	"regexp"
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
	line, column := "line "+strconv.Itoa(p.Line), ", column "+strconv.Itoa(p.Column)
	if p.Source != "" {
		line, column = p.Source+":"+strconv.Itoa(p.Line), ":"+strconv.Itoa(p.Column)
	}
	switch {
	case p.Line == 0:
		return p.Source
	case p.Column == 0:
		return line
	}
	return line + column
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

// SplitJoined returns the errors that errors.Join joined.
func SplitJoined(err error) []error {
	if joined, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err); ok {
		return joined.Unwrap()
	}
	if err == nil {
		return nil
	}
	return []error{err}
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

// syntaxRemedies are messages of the YAML library with what to do, in the order in which they are tried. An unknown anchor
// is not quoted: it may be a secret that starts with a star.
func syntaxRemedies() [][2]string {
	return [][2]string{
		{"unknown anchor", "unknown anchor: put a value that starts with * into quotes"},
		{"found character that cannot start any token", "a value starts with %, @ or `: put it into quotes"},
		{"did not find expected ',' or ']'", "a list is not closed, or a comma is missing: expected , or ]"},
		{"did not find expected ',' or '}'", "a mapping is not closed, or a comma is missing: expected , or }"},
		{"found unexpected end of stream", "a quotation mark is not closed"},
		{"mapping values are not allowed in this context", "a colon where none can be: correct the indentation, or put a value with a colon into quotes"},
		{"did not find expected key", "wrong indentation: all keys of a section start in the same column"},
		{"did not find expected '-' indicator", "wrong indentation: all items of a list start in the same column"},
	}
}

// syntaxProblem converts an error of the YAML library about the text.
func syntaxProblem(err error, content []byte, place Place) Problem {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(message); m != nil {
		place.Line, _ = strconv.Atoi(m[1]) // the pattern matches digits only
		message = message[len(m[0]):]
	}
	switch {
	case strings.HasPrefix(message, "unknown anchor"): // the library names no place
	case place.Line == 0:
		place.Line = 1 // the library leaves the first line out
	case strings.HasPrefix(message, "did not find expected"):
		place.Line++ // the library's parser counts from 0, its scanner from 1
	}
	if at := regexp.MustCompile(`(?m)^ *\t[ \t]*[^ \t\r\n]`).FindIndex(content); at != nil {
		place.Line = 1 + bytes.Count(content[:at[0]], []byte("\n"))
		return Problem{Place: place, Message: "not YAML: a tab in the indentation: indent by spaces"}
	}
	for _, r := range syntaxRemedies() {
		if strings.HasPrefix(message, r[0]) {
			message = r[1]
			break
		}
	}
	return Problem{Place: place, Message: "not YAML: " + message}
}
