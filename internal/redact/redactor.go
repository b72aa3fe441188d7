package redact

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxPasses limits how often a text is scanned again after a replacement. Usually the second pass finds nothing: a
// replacement uncovers a pattern only when it shortens a longer run. A text in which the last pass still finds something is
// replaced as a whole.
const maxPasses = 16

// ellipsis marks a truncated excerpt.
const ellipsis = "..."

// Span is a part of a text and the label that replaces it, in bytes.
type Span struct {
	Start, End int
	Label      string
}

// Range is a half-open range of bytes of a text.
type Range struct{ Start, End int }

// Pattern is an own pattern. Its matches become its name in brackets.
type Pattern struct {
	Name  string
	Match *regexp.Regexp
}

// label is what replaces a match of the pattern with that name.
func label(name string) string { return "[" + name + "]" }

// Redactor replaces matches of own patterns, then those of the built-in ones. A nil one has no own patterns. It is safe for
// concurrent use.
type Redactor struct {
	own []Pattern
	off bool
}

// Nothing makes a redactor that replaces nothing, for people who hold the texts anyway.
func Nothing() *Redactor { return &Redactor{off: true} }

// NewRedactor makes a redactor. Without own patterns it replaces what [Redact] does.
func NewRedactor(own []Pattern) *Redactor { return &Redactor{own: own} }

// Redact returns s with every pattern replaced by its label; s itself, without a copy, when there is none.
func Redact(s string) string { return (*Redactor)(nil).Redact(s) }

// Excerpt returns the redacted s, truncated to at most limit characters plus "..." when it is longer. Labels are not split.
func Excerpt(s string, limit int) string { return Shorten(Redact(s), limit) }

// Shorten returns what is redacted already, or needs no redaction, truncated as [Excerpt] does.
func Shorten(s string, limit int) string {
	cut := 0
	for n := 0; cut < len(s); n++ {
		if n == limit {
			if open := strings.LastIndexByte(s[:cut], '['); open >= 0 && !strings.ContainsAny(s[open:cut], " \n]") {
				cut = open
			}
			return s[:cut] + ellipsis
		}
		_, size := utf8.DecodeRuneInString(s[cut:])
		cut += size
	}
	return s
}

// Redact returns s with every match replaced by its label; s itself when there is none.
func (r *Redactor) Redact(s string) string { return r.draft(s).text }

// Ranges returns the redacted s and moves each range to the same place in the result. A range that begins or ends within
// a replaced part is widened to the whole label.
func (r *Redactor) Ranges(s string, ranges []Range) string {
	d := r.draft(s)
	for i := range ranges {
		ranges[i] = Range{Start: d.place(ranges[i].Start, false), End: d.place(ranges[i].End, true)}
	}
	return d.text
}

// Spans returns the parts of s that Redact replaces, in order, in bytes of s.
func (r *Redactor) Spans(s string) (all []Span) {
	for _, p := range r.draft(s).parts {
		if p.label != "" {
			all = append(all, Span{Start: p.from, End: p.to, Label: p.label})
		}
	}
	return all
}

// draft replaces until nothing is found.
func (r *Redactor) draft(s string) draft {
	d := draft{source: s, text: s}
	if r != nil && r.off {
		return d
	}
	var own []Pattern
	if r != nil {
		own = r.own
	}
	for range maxPasses {
		found := false
		for _, p := range own {
			found = d.replace(matchesOf(p, d.text)) || found
		}
		if found = d.replace(find(d.text)) || found; !found {
			return d
		}
	}
	return draft{source: s, text: secretLabel, parts: []part{{to: len(s), label: secretLabel}}}
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

// draft is a text with replaced parts. The parts cover the source in order; there are none where it has no replaced one.
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

// place is where a position of the source is in the text. Within a replaced part it is the start or the end of its label.
func (d *draft) place(at int, end bool) int {
	if len(d.parts) == 0 {
		return at
	}
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

// replace replaces spans of the text, which are in order and do not overlap. A label that a span touches becomes part of it.
func (d *draft) replace(found []Span) bool {
	if len(found) == 0 {
		return false
	}
	if d.parts == nil {
		d.parts = []part{{to: len(d.source)}}
	}
	next := make([]part, 0, len(d.parts)+2*len(found))
	open := -1 // the span that the last part of next replaces
	absorb := func(i int, p part) {
		if open == i {
			next[len(next)-1].to = p.to
			return
		}
		open = i
		next = append(next, part{p.from, p.to, found[i].Label})
	}
	i, at := 0, 0
	for _, p := range d.parts {
		for end := at + len(d.shown(p)); at < end; {
			for i < len(found) && found[i].End <= at {
				i++
			}
			head := p
			switch {
			case i == len(found) || found[i].Start >= end:
				next = append(next, p)
				at = end
			case p.label != "":
				absorb(i, p)
				at = end
			case found[i].Start > at:
				head.to = p.from + found[i].Start - at
				next = append(next, head)
				p.from, at = head.to, found[i].Start
			default:
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
	builtin := []string{
		birthLabel, cardLabel, credentialsLabel, mailLabel, ibanLabel, idLabel, ipLabel, jwtLabel, keyLabel, phoneLabel, privateKeyLabel,
		secretLabel, tokenLabel, walletLabel, webhookLabel,
	}
	for _, name := range names {
		builtin = append(builtin, label(name))
	}
	for _, shown := range builtin {
		if match.MatchString(shown) {
			return nil, fmt.Errorf("matches %s, which replaces matches: write it more narrowly", shown)
		}
	}
	return match, nil
}
