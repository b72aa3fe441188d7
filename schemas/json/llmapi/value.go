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

	outer *doc        // itself, or the one in a text of which this is
	err   *scan.Error // of the outer one: a member is there twice in different case
}

// open reads a JSON text. The error is a *scan.Error.
func open(raw []byte) (value, error) {
	d := &doc{Scanner: scan.New(maxDepth)}
	d.Start(raw)
	if d.End(); d.Err != nil {
		return value{}, d.Err
	}
	d.outer = d
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
		inner.doc.outer = v.doc.outer
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

// get is the first member, of these names, that is there and is not null; of a list that of its first item. Case, underscores and
// other signs in names do not count: finish_reason is finishReason and FinishReason.
func (v value) get(names ...string) value {
	for v.kind() == '[' {
		v = v.first()
	}
	for _, name := range names {
		if m := v.member(name); m.kind() != 0 {
			return m
		}
	}
	return value{}
}

// path is a member of a member, with dots between their names; 0 is the first item of a list.
func (v value) path(path string) value {
	for name := range strings.SplitSeq(path, ".") {
		if name == "0" {
			v = v.first()
		} else {
			v = v.get(name)
		}
	}
	return v
}

// under is the value by names within each other, also in JSON in a text.
func (v value) under(names []string) value {
	for _, name := range names {
		v = v.unwrapped().member(name)
	}
	return v
}

// member is the member with a name, or the one with the shortest name that is the same but for case and signs.
func (v value) member(name string) (found value) {
	if v.kind() != '{' {
		return value{}
	}
	best := ""
	for i, end := v.doc.Within(v.at, '{'); i < end; i = v.doc.After(i + 1) {
		member := v.doc.NameAt(i)
		if member != name && !isNamed(member, name) {
			continue
		}
		if best != "" && strings.EqualFold(member, best) && v.doc.outer.err == nil { // other readers may ignore case
			v.doc.outer.err = &scan.Error{Reason: scan.ReasonCaseVariant, Detail: "a member is there twice, in different case"}
		}
		if best == "" || len(member) < len(best) || len(member) == len(best) && member < best {
			best, found = member, value{v.doc, i + 1}
		}
	}
	return found
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
	folded := make([]byte, 0, 32)
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

// steps yields the first members that are objects: the steps of a pipeline, by their names.
func (v value) steps() iter.Seq2[string, value] {
	return func(yield func(string, value) bool) {
		n := 0
		for name, inner := range v.members() {
			if n++; n > 64 || inner.kind() == '{' && !yield(name, inner) {
				return
			}
		}
	}
}
