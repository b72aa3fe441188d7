package jsonschema

import (
	"encoding/json"
	"hash/maphash"
	"math"
	"slices"
)

// valueSet indexes the values of enum, or the one of const, so that strings and numbers are found by lookup.
type valueSet struct {
	want    []any // for the note of a violation
	strings map[string]struct{}
	numbers map[float64][]exactNumber
	others  []any
}

func newValueSet(values []any) *valueSet {
	c := &valueSet{want: valuesForNote(values), strings: map[string]struct{}{}, numbers: map[float64][]exactNumber{}}
	for _, v := range values {
		switch v := v.(type) {
		case string:
			c.strings[v] = struct{}{}
		case json.Number:
			d := newExact(v)
			c.numbers[d.float] = append(c.numbers[d.float], d)
		default:
			c.others = append(c.others, v)
		}
	}
	return c
}

// valuesForNote returns as many of the values as a note of maxNote bytes shows.
func valuesForNote(values []any) []any {
	want := make([]any, 0, min(len(values), maxNote))
	for i, v := range values {
		switch s := v.(type) {
		case map[string]any, []any:
			return []any{v} // the description lists no values then
		case string:
			v = truncateText(s, maxNote)
		}
		if i < maxNote {
			want = append(want, v)
		}
	}
	return want
}

// contains reports whether v is among the values.
func (m *workMeter) contains(c *valueSet, v any) bool {
	switch v := v.(type) {
	case string:
		return m.containsText(c, v)
	case json.Number:
		return m.containsNumber(c, v)
	}
	for _, w := range c.others {
		if m.equal(v, w) {
			return true
		}
	}
	return false
}

func (m *workMeter) containsText(c *valueSet, s string) bool {
	m.charge(1 + len(s)/perHashed)
	_, ok := c.strings[s]
	return ok
}

func (m *workMeter) containsNumber(c *valueSet, n json.Number) bool {
	d := m.number(n)
	for i := range c.numbers[d.float] {
		if m.charge(1); m.compare(&d, &c.numbers[d.float][i]) == 0 {
			return true
		}
	}
	return false
}

func (m *workMeter) number(n json.Number) exactNumber {
	m.charge(perNumber + len(n)/perDigits)
	return newExact(n)
}

// equal reports whether two JSON values are equal: numbers by value, objects in any order.
func (m *workMeter) equal(v, w any) bool {
	m.charge(perCompared)
	switch v := v.(type) {
	case map[string]any:
		w, ok := w.(map[string]any)
		return ok && m.sameMembers(v, w)
	case []any:
		w, ok := w.([]any)
		return ok && slices.EqualFunc(v, w, m.equal)
	case json.Number:
		w, ok := w.(json.Number)
		if !ok || v == w {
			return ok
		}
		a, b := m.number(v), m.number(w)
		return m.compare(&a, &b) == 0
	case string:
		w, ok := w.(string)
		if ok && len(v) == len(w) {
			m.charge(len(v) / perHashed)
			return v == w
		}
		return false
	}
	return v == w // null, true, false
}

func (m *workMeter) sameMembers(v, w map[string]any) bool {
	if len(v) != len(w) {
		return false
	}
	for key, e := range v {
		m.charge(perKey + m.keyWork)
		if f, ok := w[key]; !ok || !m.equal(e, f) {
			return false
		}
	}
	return true
}

// duplicate returns the first element that equals an earlier one, and the earliest of those.
func (m *workMeter) duplicate(array []any, seed maphash.Seed) (before, at int, found bool) {
	m.charge(len(array) * perUnique)
	first := make(map[uint64]int, len(array)) // last element by hash; next links to earlier ones with that hash
	next := make([]int, len(array))
	for i, v := range array {
		hash := m.hash(v, seed)
		last, seen := first[hash]
		if next[i] = -1; seen {
			next[i] = last
		}
		before = -1
		for j := next[i]; j >= 0; j = next[j] {
			if m.equal(v, array[j]) {
				before = j
			}
		}
		if before >= 0 {
			return before, i, true
		}
		first[hash] = i
	}
	return 0, 0, false
}

// hash returns equal hashes for equal values.
func (m *workMeter) hash(v any, seed maphash.Seed) uint64 {
	m.charge(perCompared)
	switch v := v.(type) {
	case map[string]any:
		sum := uint64(len(v))
		for key, e := range v {
			m.charge(perKey + m.keyWork)
			sum += maphash.Comparable(seed, [2]uint64{maphash.String(seed, key), m.hash(e, seed)}) // independent of the order
		}
		return sum
	case []any:
		sum := uint64(1)
		for _, e := range v {
			sum = maphash.Comparable(seed, [2]uint64{sum, m.hash(e, seed)})
		}
		return sum
	case json.Number:
		d := m.number(v)
		return maphash.Comparable(seed, math.Float64bits(d.float))
	case string:
		m.charge(len(v) / perHashed)
		return maphash.String(seed, v)
	case bool:
		return maphash.Comparable(seed, v)
	}
	return 0
}
