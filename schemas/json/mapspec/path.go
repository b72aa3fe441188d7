package mapspec

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxSteps bounds the steps of a path: a record is not nested deeper.
const MaxSteps = 31

// StepKind is what a step of a path does.
type StepKind int

// The kinds of a step.
const (
	Member  StepKind = iota // a member of an object or an item of a list, by Name
	Text                    // the JSON within a text
	LogLine                 // the JSON at the end of a text; no path has it
)

// Step is one step of a path.
type Step struct {
	Kind StepKind
	Name string // of a member
	Pick Pick   // what the name says where the value is a list
}

// Pick selects an item of a list: the first or the last one, or the first or last one with a member of that value.
type Pick struct {
	End           string // first or last; "" for no such step
	Member, Value string // Member is "" for any item
}

// parsePick reads first, last, first:member=value or last:member=value; the zero value stands for another name.
func parsePick(name string) Pick {
	end, condition, found := strings.Cut(name, ":")
	p := Pick{End: end}
	if end != "first" && end != "last" {
		return Pick{}
	}
	if p.Member, p.Value, _ = strings.Cut(condition, "="); found && (p.Member == "" || !strings.Contains(condition, "=")) {
		return Pick{}
	}
	return p
}

// ParsePaths parses candidates separated by |, each a path: a pointer, which json in front of it
// enters.
func ParsePaths(text string) ([][]Step, error) {
	e, err := ParseEntry("", text)
	if err != nil {
		return nil, err
	}
	paths := make([][]Step, len(e.Candidates))
	for i := range e.Candidates {
		paths[i] = e.Candidates[i].Path
	}
	return paths, nil
}

// pathParser collects the parts of a path.
type pathParser struct {
	steps  []Step
	enters bool   // the value at the pointer
	ended  string // the pointer, which ends the path
}

// Whole is the word for the value itself.
const Whole = "whole"

// Joined is the member of a record of a file that holds those of its conversation before it.
const Joined = "joined"

// JoinedModel is the member that holds the model that a record before it in its conversation names.
const JoinedModel = "joined_model"

// word takes a token of a path; false for a token that is none.
func (p *pathParser) word(token string) (taken bool, err error) {
	switch {
	case token == "json" && p.enters:
		return true, errors.New("json is one word too many: it enters the value at the pointer once")
	case token == "json":
		p.enters = true
	case token == Whole:
		p.ended = token
	case strings.HasPrefix(token, "/"):
		p.ended = token
		p.steps, err = parsePointer(token)
	default:
		return false, nil
	}
	return true, err
}

// path returns the whole path.
func (p *pathParser) path() ([]Step, error) {
	switch {
	case p.ended == "" && p.enters:
		return nil, errors.New("json enters the value at a pointer: write json /output")
	case p.ended == "":
		return nil, errors.New("expected a JSON Pointer, such as /response/id")
	case len(p.steps) > MaxSteps:
		return nil, fmt.Errorf("the pointer goes deeper than the %d levels that a record may have", MaxSteps+1)
	case p.enters:
		return append(p.steps, Step{Kind: Text}), nil
	}
	return p.steps, nil
}

// parsePointer splits a JSON Pointer. ~2 stands for a blank, since blanks separate words.
func parsePointer(pointer string) ([]Step, error) {
	if !utf8.ValidString(pointer) {
		return nil, errors.New("the pointer is not UTF-8")
	}
	if err := checkSyntax(pointer); err != nil {
		return nil, err
	}
	names := strings.Split(pointer[1:], "/")
	steps := make([]Step, len(names))
	for i, name := range names {
		if strings.Contains(strings.NewReplacer("~0", "", "~1", "", "~2", "").Replace(name), "~") {
			return nil, errors.New("in a JSON Pointer ~ is written ~0, / within a name ~1, and a blank ~2")
		}
		steps[i].Name = strings.NewReplacer("~0", "~", "~1", "/", "~2", " ").Replace(name)
		steps[i].Pick = parsePick(steps[i].Name)
	}
	return steps, nil
}
