package recordformat

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Flat collects values by names with dots, such as 0.message.content, and writes them as the lists and objects that they stand for.
type Flat struct {
	value   []byte
	members map[string]*Flat
	order   []string
}

// maxFlat bounds the parts of a name; the rest of a longer one is one part.
const maxFlat = 24

// Add adds a value in JSON. The first one of a name counts.
func (f *Flat) Add(name string, value []byte) {
	for _, part := range strings.SplitN(name, ".", maxFlat) {
		inner := f.members[part]
		if inner == nil {
			if f.members == nil {
				f.members = map[string]*Flat{}
			}
			inner = &Flat{}
			f.members[part], f.order = inner, append(f.order, part)
		}
		f = inner
	}
	if f.value == nil {
		f.value = value
	}
}

// AppendJSON appends what was added. Members that are all numbers are a list in their order, without gaps.
func (f *Flat) AppendJSON(dst []byte) []byte {
	if f.members == nil {
		return append(dst, f.value...)
	}
	numbers := map[int]*Flat{}
	for _, name := range f.order {
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
		quoted, _ := json.Marshal(name) // a text always encodes
		dst = append(append(append(dst, "{,"[min(i, 1)]), quoted...), ':')
		dst = f.members[name].AppendJSON(dst)
	}
	return append(dst, '}')
}
