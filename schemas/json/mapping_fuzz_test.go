package json

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// identityMapping maps every field onto itself, below a place.
func identityMapping(below string) map[string]string {
	entries := map[string]string{}
	for _, name := range FieldNames() {
		entries[name] = below + "/" + name
	}
	return entries
}

// FuzzMapping holds the mapping against the decoder: what the decoder reads, a map of every field onto itself reads the
// same, wherever in a record it lies; and what the decoder refuses is refused but for what a map takes besides.
func FuzzMapping(f *testing.F) {
	for _, s := range append(addSeeds(), `{"answer":"a","sources":[{"id":1,"text":[{"text":"b"}],"score":null}]}`,
		`{"answer":["a"],"messages":"m","response_schema":{},"model":7}`, `{"answer":null}`, `{"answer":[{"text":"b"}]}`) {
		f.Add([]byte(s))
	}
	const further = 3 // levels that the wrapping adds
	d, flat := NewDecoder(Options{}), newMapping(f, identityMapping(""))
	wrapped := newMapping(f, identityMapping("/log/1/x")).WithLimits(Options{MaxBytes: DefaultMaxBytes + 64, MaxDepth: DefaultMaxDepth + further})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want, got, below schemas.Interaction
		plain, err := d.Decode(raw, &want), flat.Decode(raw, &got)
		if hasAlias(raw) { // a map reads no aliases
			plain, want = err, got
		}
		if plain == nil {
			want.UnknownFields, want.UnknownNames = 0, nil
			require.NoError(t, err)
			if len(want.Malformed) == 0 { // a map takes some values that are malformed in our own records
				require.Empty(t, cmp.Diff(want, got, requireEqual()))
			}
			require.Subset(t, want.Malformed, got.Malformed)
		} else if r := errorReason(t, plain); err == nil {
			require.Contains(t, []string{scan.ReasonWrongType, scan.ReasonMissingAnswer}, r)
		}
		if err != nil {
			return
		}
		record := append(append([]byte(`{"log":[{"x":1},{"x":`), raw...), `}]}`...)
		require.NoError(t, wrapped.Decode(record, &below))
		require.Empty(t, cmp.Diff(got, below, requireEqual()))
	})
}

// hasAlias reports whether a record has a member that our own records may have under another name.
func hasAlias(raw []byte) bool {
	var members map[string]any
	_ = json.Unmarshal(raw, &members) // what is not JSON is refused anyway
	return slices.ContainsFunc(fieldAliases[:], func(a fieldAlias) bool { return members[a.name] != nil })
}

// FuzzNewMapping: what can be made is usable, and every fault is a *MappingError of an entry.
func FuzzNewMapping(f *testing.F) {
	f.Add("occurred_at", "required /t", `{"a":"x","t":1.5}`)
	f.Add("attributes.x/~", "/a~1b/~0/-", `{"a/b":{"~":{"-":1}},"a":null}`)
	f.Add("sources", "text=b id=c /0/1", `{"0":[{},[{"b":"x"}]],"a":""}`)
	f.Add("model", "/m/~3", `{}`)
	f.Add("sources", "text=/j/b/c id=d / | prefix=d. text=t,p.*.x /k | /l", `{"j":"{\"\":[{\"b\":{\"c\":1}}]}","k":[{"value":{"intValue":"1"},"key":"d.3.p.0.x"}],"a":""}`)
	f.Add("messages", "role=/k/first:key=m/r content=/c /~2", `{"k":[{"key":"m","value":{"arrayValue":{"values":[{"kvlistValue":{}}]}}}],"a":"b"}`)
	f.Add("response", "/o/last:a=b | json whole", `{"o":[{"a":"b","choices":[{"message":{"content":"x"}}]}]}`)
	f.Add("request", "/s + /m/first", `{"s":"x","m":[[{"role":"user"}]],"a":null}`)
	f.Add("interaction", "whole", `{"answer":{},"a":"x"}`)
	f.Fuzz(func(t *testing.T, field, entry, raw string) {
		entries := map[string]string{"answer": "/a"}
		entries[field] = entry
		m, err := NewMapping(entries)
		if err != nil {
			var fault *MappingError
			require.ErrorAs(t, err, &fault)
			require.Contains(t, entries, fault.Field)
			return
		}
		var in, again schemas.Interaction
		reason := errorReason(t, m.Decode([]byte(raw), &in))
		require.Equal(t, reason, errorReason(t, m.Decode([]byte(raw), &again)), "values of one record leave no trace")
		if reason == "" {
			require.Empty(t, cmp.Diff(in, again, requireEqual()))
		}
		if filter, err := NewFilter(map[string][]string{entry: {raw}}); err == nil {
			filter.Match([]byte(raw))
		}
	})
}
