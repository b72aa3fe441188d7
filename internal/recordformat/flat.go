package recordformat

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Flat collects values by names with dots, such as 0.message.content, and writes them as the lists and objects that they stand for.
type Flat struct {
	value   []byte
	members map[string]*Flat
	order   []string
	last    *Flat // of order
}

// maxFlat bounds the parts of a name; the rest of a longer one is one part.
const maxFlat = 24

// Add adds a value in JSON under names, whose parts have dots between them. The first one of a name counts.
func (f *Flat) Add(value []byte, names ...string) {
	parts := 0
	for _, name := range names {
		for more := true; more; {
			part, rest, found := strings.Cut(name, ".")
			if parts++; parts >= maxFlat {
				part, found = name, false
			}
			f, name, more = f.member(part), rest, found
		}
	}
	if f.value == nil {
		f.value = value
	}
}

// member is the part of that name; it is made where there is none.
func (f *Flat) member(part string) *Flat {
	if n := len(f.order); n > 0 && f.order[n-1] == part {
		return f.last
	}
	inner := f.members[part]
	if inner == nil {
		if f.members == nil {
			f.members = map[string]*Flat{}
		}
		inner = &Flat{}
		f.members[part], f.order = inner, append(f.order, part)
		f.last = inner
	}
	return inner
}

// AppendJSON appends what was added. Members that are all numbers are a list in their order, without gaps.
func (f *Flat) AppendJSON(dst []byte) []byte {
	if f.members == nil {
		return append(dst, f.value...)
	}
	numbers := map[int]*Flat{}
	for _, name := range f.order {
		if name == "" || name[0] < '0' || name[0] > '9' { // an error is costly to make
			break
		}
		if n, err := strconv.Atoi(name); err == nil && n >= 0 {
			numbers[n] = f.members[name]
		}
	}
	if len(numbers) == len(f.order) {
		for i, n := range slices.Sorted(maps.Keys(numbers)) {
			dst = numbers[n].AppendJSON(append(dst, "[,"[min(i, 1)]))
		}
		return append(dst, ']')
	}
	for i, name := range f.order {
		dst, _ = jsontext.AppendQuote(append(dst, "{,"[min(i, 1)]), name) // what is no UTF-8 is replaced
		dst = append(dst, ':')
		dst = f.members[name].AppendJSON(dst)
	}
	return append(dst, '}')
}
