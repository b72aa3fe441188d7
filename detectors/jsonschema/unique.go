package jsonschema

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// uniqueItems takes the place of the library's check. That compares elements of equal hash, and a producer can choose as
// many as it likes: the hash marks no end of a list or text, so that those of [[],[]] and [[[]]] are equal.
type uniqueItems struct{}

// Validate implements jsonschema.SchemaExt. Its work is charged with the application of the schema.
func (uniqueItems) Validate(ctx *jsonschema.ValidatorContext, v any) {
	list, _ := v.([]any)
	at := make(map[string]int, len(list))
	var text []byte
	for i, element := range list {
		text = canonical(text[:0], element)
		if first, twice := at[string(text)]; twice {
			ctx.AddError(&kind.UniqueItems{Duplicates: [2]int{first, i}})
			return
		}
		at[string(text)] = i
	}
}

// canonical appends a text that only equal values share.
func canonical(out []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		out = append(out, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = canonical(canonical(out, name), v[name])
		}
		return append(out, '}')
	case []any:
		out = append(out, '[')
		for _, element := range v {
			out = canonical(out, element)
		}
		return append(out, ']')
	case string:
		return append(append(strconv.AppendInt(out, int64(len(v)), 10), ':'), v...)
	case json.Number:
		return append(append(out, '#'), canonicalNumber(string(v))...)
	case bool:
		return strconv.AppendBool(out, v)
	}
	return append(out, "null"...)
}

// isShortest reports whether a number is an integer in its only form.
func isShortest(n string) bool { return n != "-0" && !strings.ContainsAny(n, ".eE") }

func canonicalNumber(n string) string {
	if isShortest(n) {
		return n
	}
	exact, _ := new(big.Rat).SetString(n) // the parser accepted it
	return exact.RatString()
}

// canonicalWork is the work of writing a value as a canonical text and looking it up.
func canonicalWork(v any) int {
	n := 12
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			n += 25 + len(name)/16 + canonicalWork(member) // names are sorted
		}
	case []any:
		for _, element := range v {
			n += canonicalWork(element)
		}
	case string:
		n += len(v) / 16
	case json.Number:
		if !isShortest(string(v)) {
			n += numberWork(v)
		}
	}
	return n
}
