package redact

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// wholeText replaces such a text.
const wholeText = "[secret]"

// Pattern is an own pattern. Its matches become its name in brackets.
type Pattern struct {
	Name  string
	Match *regexp.Regexp
}

// label is what replaces a match of the pattern with that name.
func label(name string) string { return "[" + name + "]" }

// Redactor replaces matches of own patterns, then those of the built-in ones. A nil one has no own patterns. It is safe for
// concurrent use.
type Redactor struct{ own []Pattern }

// NewRedactor makes a redactor. Without own patterns it replaces what [Redact] does.
func NewRedactor(own []Pattern) *Redactor { return &Redactor{own: own} }

// Redact returns s with every match replaced by its label; s itself when there is none.
func (r *Redactor) Redact(s string) string {
	if r.hasNone() {
		return Redact(s)
	}
	d, whole := r.draft(s)
	if whole {
		return wholeText
	}
	return d.text
}

func (r *Redactor) hasNone() bool { return r == nil || len(r.own) == 0 }

// Ranges returns the redacted s and moves each range to the same place in the result. A range that begins or ends within
// a replaced part is widened to the whole label.
func (r *Redactor) Ranges(s string, ranges []Range) string {
	if r.hasNone() {
		return Ranges(s, ranges)
	}
	d, whole := r.draft(s)
	for i := range ranges {
		if whole {
			ranges[i] = Range{End: len(wholeText)}
			continue
		}
		ranges[i] = Range{Start: d.place(ranges[i].Start, false), End: d.place(ranges[i].End, true)}
	}
	if whole {
		return wholeText
	}
	return d.text
}

// place is where a position of the source is in the text. Within a replaced part it is the start or the end of its label.
func (d *draft) place(at int, end bool) int {
	shown := 0
	for _, p := range d.parts {
		switch {
		case at <= p.from:
			return shown
		case at >= p.to:
		case p.label == "":
			return shown + at - p.from
		case end:
			return shown + len(p.label)
		default:
			return shown
		}
		shown += len(d.shown(p))
	}
	return shown
}

// Spans returns the parts of s that Redact replaces, in order, in bytes of s.
func (r *Redactor) Spans(s string) (all []Span) {
	d, whole := r.draft(s)
	if whole {
		return []Span{{Start: 0, End: len(s), Label: wholeText}}
	}
	for _, p := range d.parts {
		if p.label != "" {
			all = append(all, Span{Start: p.from, End: p.to, Label: p.label})
		}
	}
	return all
}

// draft replaces until nothing is found. whole means that it gave up.
func (r *Redactor) draft(s string) (d *draft, whole bool) {
	d = &draft{source: s, text: s, parts: []part{{from: 0, to: len(s)}}}
	var own []Pattern
	if r != nil {
		own = r.own
	}
	for range maxPasses {
		found := false
		for _, p := range own {
			found = d.replace(matchesOf(p, d.text)) || found
		}
		if found = d.replace(Find(d.text)) || found; !found {
			return d, false
		}
	}
	return d, true
}

// matchesOf are the matches that are not empty.
func matchesOf(p Pattern, text string) (all []Span) {
	for _, m := range p.Match.FindAllStringIndex(text, -1) {
		if m[0] < m[1] {
			all = append(all, Span{Start: m[0], End: m[1], Label: label(p.Name)})
		}
	}
	return all
}

// draft is a text with replaced parts. The parts cover the source in order.
type draft struct {
	source, text string
	parts        []part
}

// part is a part of the source, as it is or replaced by a label.
type part struct {
	from, to int
	label    string
}

func (d *draft) shown(p part) string {
	if p.label != "" {
		return p.label
	}
	return d.source[p.from:p.to]
}

// replace replaces spans of the text, which are in order and do not overlap. A label that a span touches becomes part of it.
func (d *draft) replace(found []Span) bool {
	if len(found) == 0 {
		return false
	}
	var next []part
	open := -1 // the span that the last part of next replaces
	absorb := func(i int, p part) {
		if open == i {
			next[len(next)-1].to = p.to
			return
		}
		open = i
		next = append(next, part{from: p.from, to: p.to, label: found[i].Label})
	}
	i, at := 0, 0
	for _, p := range d.parts {
		end := at + len(d.shown(p))
		for at < end {
			for i < len(found) && found[i].End <= at {
				i++
			}
			switch {
			case i == len(found) || found[i].Start >= end:
				next = append(next, p)
				at = end
			case p.label != "":
				absorb(i, p)
				at = end
			case found[i].Start > at:
				head := p
				head.to = p.from + found[i].Start - at
				next = append(next, head)
				p.from, at = head.to, found[i].Start
			default:
				head := p
				head.to = p.from + min(found[i].End, end) - at
				absorb(i, head)
				p.from, at = head.to, min(found[i].End, end)
			}
		}
	}
	d.parts = next
	var b strings.Builder
	for _, p := range next {
		b.WriteString(d.shown(p))
	}
	d.text = b.String()
	return true
}

// Compile compiles the expression of a pattern next to others with those names. The error says why it cannot be one: it
// matches nothing at all, or what replaces matches, so that redaction would never end.
func Compile(expression string, names []string) (*regexp.Regexp, error) {
	match, err := regexp.Compile(expression)
	switch {
	case err != nil:
		return nil, fmt.Errorf("is not a regular expression (RE2): %w", err)
	case match.MatchString(""):
		return nil, errors.New("matches the empty text: write + instead of *")
	}
	for _, name := range append(builtinNames(), names...) {
		if match.MatchString(label(name)) {
			return nil, fmt.Errorf("matches %s, which replaces matches: write it more narrowly", label(name))
		}
	}
	return match, nil
}

// builtinNames are the labels of the built-in patterns, without brackets.
func builtinNames() []string {
	return []string{
		"birth-date", "card", "credentials", "email", "iban", "id", "ip", "jwt", "key", "phone", "private-key", "secret", "token", "wallet", "webhook",
	}
}
