package mapspec

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// MaxCandidates bounds the candidates of one entry.
const MaxCandidates = 12

// Entry is one entry of a map: where a field is, in the order of preference.
type Entry struct {
	Field      string
	Candidates []Candidate
	Required   bool
}

// Candidate is one place of a field.
type Candidate struct {
	Path   []Step
	Names  []Name      // of the members of the items of a list
	Joined []Candidate // further places, whose values follow
	Order  string      // of day and month in a time: dmy, mdy, or ""

	required bool
}

// Name says where a member of ours is in an item.
type Name struct {
	Member string   // id, text, uri, score; role, content
	Steps  []string // names within each other
	Around bool     // another member has a name within this one
}

// ParseEntry parses the entry of a field: candidates separated by |, each one place or several joined by +, each a path with words
// in front of it.
func ParseEntry(field, text string) (Entry, error) {
	e := Entry{Field: field}
	places := 0
	for _, part := range split(strings.Fields(text), "|") {
		var c *Candidate
		for _, tokens := range split(part, "+") {
			place, err := parseCandidate(field, tokens)
			if err != nil {
				return e, err
			}
			e.Required = e.Required || place.required
			if places++; c == nil {
				e.Candidates = append(e.Candidates, place)
				c = &e.Candidates[len(e.Candidates)-1]
				continue
			}
			if field != "messages" && field != "sources" && field != Request && field != "interaction_id" && field != "occurred_at" {
				return e, errors.New("+ joins places of messages, sources, request, interaction_id and occurred_at alone")
			}
			c.Joined = append(c.Joined, place)
		}
	}
	if places > MaxCandidates {
		return e, fmt.Errorf("has %d candidates: keep at most %d", places, MaxCandidates)
	}
	return e, nil
}

// split splits tokens at a separator.
func split(tokens []string, separator string) (parts [][]string) {
	for {
		end := slices.Index(tokens, separator)
		if end < 0 {
			return append(parts, tokens)
		}
		parts, tokens = append(parts, tokens[:end]), tokens[end+1:]
	}
}

// The keys of a map that stand for many fields: what lies there is read as a whole, for the fields that no other key gives.
const (
	Interaction = "interaction" // a record with our names
	Request     = "request"     // what an API was asked
	Response    = "response"    // what it answered
)

// parseCandidate parses the words and the path of one candidate; field is "" for a path alone.
func parseCandidate(field string, tokens []string) (Candidate, error) {
	var c Candidate
	var p pathParser
	for _, token := range tokens {
		if p.ended != "" {
			return c, blankError(p.ended, token)
		}
		taken, err := p.word(token)
		if err == nil && !taken {
			err = c.word(field, token)
		}
		if err != nil {
			return c, err
		}
	}
	var err error
	if c.Path, err = p.path(); err != nil {
		return c, err
	}
	return c, c.checkNames()
}

// blankError describes what follows a pointer.
func blankError(pointer, next string) error {
	if strings.HasPrefix(next, "/") {
		return fmt.Errorf("%s and %s are two pointers: separate candidates by a | between blanks, and places that belong together by a +",
			pointer, next)
	}
	return fmt.Errorf("a blank ends the pointer %s, and %q follows: write words before the pointer, and a blank within a name as ~2", pointer, next)
}

// word applies one word.
func (c *Candidate) word(field, word string) error {
	if pointer := suggestPointer(word); pointer != "" {
		return fmt.Errorf("%q is not a JSON Pointer: write %s", word, pointer)
	}
	if ours, theirs, named := strings.Cut(word, "="); named {
		return c.name(field, ours, theirs, word)
	}
	switch {
	case field == "":
		return fmt.Errorf("expected a JSON Pointer, such as /type, not %q", word)
	case word == "required":
		c.required = true
	case field == "occurred_at" && (word == "dmy" || word == "mdy"):
		c.Order = word
	default:
		return fmt.Errorf("unknown word %q: expected a JSON Pointer, which begins with /, or whole, and in front of it words: required, json, "+
			"for sources and messages text=content and the like, for occurred_at dmy or mdy", word)
	}
	return nil
}

// name applies ours=theirs. Several names are separated by commas.
func (c *Candidate) name(field, ours, theirs, word string) error {
	members := MemberNames(field)
	if !slices.Contains(members, ours) || slices.ContainsFunc(c.Names, func(n Name) bool { return n.Member == ours }) {
		return nameError(word)
	}
	if apart := nextMember.ReplaceAllString(strings.TrimSuffix(word, ","), " $1"); apart != word {
		return fmt.Errorf("%q: a blank separates members, a comma only names of one: write %s", word, apart)
	}
	for name := range strings.SplitSeq(theirs, ",") {
		n, err := parseName(ours, name, word)
		if err != nil {
			return err
		}
		c.Names = append(c.Names, n)
	}
	return nil
}

// nextMember is a member behind a comma.
var nextMember = regexp.MustCompile(`,((id|text|uri|title|score|role|content|name|arguments|result|error)=)`)

func nameError(word string) error {
	return fmt.Errorf("%q has no effect here: sources alone takes id=, text=, uri= and score= with a name, messages role= and content=, tool_calls name=, arguments=, result=, error= and id=, "+
		"each once with names separated by commas", word)
}

// parseName parses one name of a member: in the item itself, or a pointer to one within another.
func parseName(ours, theirs, word string) (Name, error) {
	n := Name{Member: ours, Steps: []string{theirs}}
	switch {
	case theirs == "":
		return n, nameError(word)
	case strings.HasPrefix(theirs, "/"):
		steps, err := parsePointer(theirs)
		if err != nil {
			return n, err
		}
		n.Steps = n.Steps[:0]
		for _, s := range steps {
			n.Steps = append(n.Steps, s.Name)
		}
	case strings.Contains(theirs, "/"):
		return n, fmt.Errorf("%q: write %s=/%s for a name within another", word, ours, theirs)
	}
	return n, nil
}

// checkNames reports names that cannot be read together.
func (c *Candidate) checkNames() error {
	for i, n := range c.Names {
		if slices.ContainsFunc(c.Names[:i], func(o Name) bool { return slices.Equal(o.Steps, n.Steps) }) {
			return fmt.Errorf("%s= has a name that is taken", n.Member)
		}
	}
	return nil
}
