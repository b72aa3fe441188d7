package llmapi

import (
	"iter"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas/json/scan"
)

// value is a value of a JSON text, in which it is looked up when it is asked for. The zero value is absent.
type value struct {
	doc *doc
	at  int
}

// doc is a JSON text.
type doc struct {
	scan.Scanner

	err *scan.Error // a member is there twice in different case
}

func (d *doc) fault() error {
	if d.err != nil {
		return d.err
	}
	return nil
}

// open reads a JSON text. The error is a *scan.Error.
func open(raw []byte) (value, error) {
	d := &doc{Scanner: scan.New(maxDepth)}
	d.Start(raw)
	if d.End(); d.Err != nil {
		return value{}, d.Err
	}
	return value{d, 0}, nil
}

// unwrapped is the value in a text that is itself a JSON object, list or text; other values are as they are.
func (v value) unwrapped() value {
	for range 3 {
		text := strings.TrimSpace(v.text())
		if v.kind() != '"' || text == "" || !strings.ContainsRune(`{["`, rune(text[0])) {
			return v
		}
		inner, err := open([]byte(text))
		if err != nil {
			return v
		}
		v = inner
	}
	return v
}

// kind is the first byte of the value, 0 for null and where there is none.
func (v value) kind() byte {
	if v.doc == nil {
		return 0
	}
	if c := v.doc.Kind(v.at); c != 'n' {
		return c
	}
	return 0
}

func (v value) isText() bool { return v.kind() == '"' }

// text is a string, or a number as it is written; "" for other values.
func (v value) text() string {
	switch c := v.kind(); {
	case c == '"':
		return v.doc.TextAt(v.at)
	case c == '-' || c-'0' <= 9:
		return v.raw()
	}
	return ""
}

// raw is the value as it is written.
func (v value) raw() string { return recordformat.StringView(v.doc.BytesSince(v.at)) }

// get is the first member, of these names, that is there and is not null. Case, underscores and other signs in names do not count:
// finish_reason is finishReason and FinishReason.
func (v value) get(names ...string) value {
	for _, name := range names {
		if m := v.member(name); m.kind() != 0 {
			return m
		}
	}
	return value{}
}

// path is a member of a member.
func (v value) path(names ...string) value {
	for _, name := range names {
		v = v.get(name)
	}
	return v
}

func (v value) member(name string) value {
	if v.kind() != '{' {
		return value{}
	}
	exact, other, cased := value{}, value{}, false
	for i, end := v.doc.Within(v.at, '{'); i < end; i = v.doc.After(i + 1) {
		switch member := v.doc.NameAt(i); {
		case member == name:
			exact = value{v.doc, i + 1}
		case isNamed(member, name):
			cased = cased || strings.EqualFold(member, name)
			if other.kind() == 0 {
				other = value{v.doc, i + 1}
			}
		}
	}
	if exact.doc == nil {
		return other
	}
	if cased && v.doc.err == nil { // other readers may ignore case
		v.doc.err = &scan.Error{Reason: scan.ReasonCaseVariant, Detail: "a member is there twice, in different case"}
	}
	return exact
}

// isNamed reports whether a member has a name, without regard to case and to signs.
func isNamed(member, name string) bool {
	i := 0
	for k := range len(member) {
		c := lower(member[k])
		if c == 0 {
			continue
		}
		for i < len(name) && lower(name[i]) == 0 {
			i++
		}
		if i == len(name) || lower(name[i]) != c {
			return false
		}
		i++
	}
	return i > 0 && strings.Trim(name[i:], "_") == ""
}

// lower is a letter or digit in lower case, 0 for a sign.
func lower(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
		return c
	}
	return 0
}

// fold is a word in lower case without signs.
func fold(word string) string {
	folded := make([]byte, 0, len(word))
	for i := range len(word) {
		if c := lower(word[i]); c != 0 {
			folded = append(folded, c)
		}
	}
	return string(folded)
}

// items yields the items of a list. Another value but null is the only item.
func (v value) items() iter.Seq[value] {
	return func(yield func(value) bool) {
		if v.kind() != '[' {
			if v.kind() != 0 {
				yield(v)
			}
			return
		}
		for i, end := v.doc.Within(v.at, '['); i < end; i = v.doc.After(i) {
			if !yield(value{v.doc, i}) {
				return
			}
		}
	}
}

// first and last are the first and the last item, absent for an empty list.
func (v value) first() value {
	for item := range v.items() {
		return item
	}
	return value{}
}

func (v value) last() (last value) {
	for item := range v.items() {
		last = item
	}
	return last
}

// members yields the members of an object that are not null.
func (v value) members() iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		if v.kind() != '{' {
			return
		}
		for i, end := v.doc.Within(v.at, '{'); i < end; i = v.doc.After(i + 1) {
			if m := (value{v.doc, i + 1}); m.kind() != 0 && !yield(v.doc.NameAt(i), m) {
				return
			}
		}
	}
}
