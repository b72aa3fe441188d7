package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// leaf is a value of a JSON text. Lists and objects come after what they hold.
type leaf struct {
	key    string // of the member that holds it, or its list
	text   string
	quoted bool
	kind   byte // '[', '{' or 0
	n      int  // elements of a list or object
	depth  int  // lists and objects around it; a list counts as ten
}

// leavesOf are the values of a text of JSON values, members by name; none of another text.
func leavesOf(s string) (list []leaf) {
	d := json.NewDecoder(strings.NewReader(s))
	for d.UseNumber(); strings.ContainsAny(s, "{[") && d.More(); {
		var v any
		if d.Decode(&v) != nil {
			return nil
		}
		list = appendLeaves(list, leaf{}, v)
	}
	return list
}

func appendLeaves(dst []leaf, l leaf, v any) []leaf {
	inner := leaf{key: l.key, depth: l.depth + 1}
	switch v := v.(type) {
	case map[string]any:
		l.kind, l.n = '{', len(v)
		for _, inner.key = range slices.Sorted(maps.Keys(v)) {
			dst = appendLeaves(dst, inner, v[inner.key])
		}
	case []any:
		l.kind, l.n, inner.depth = '[', len(v), l.depth+10
		for _, e := range v {
			dst = appendLeaves(dst, inner, e)
		}
	case string:
		if inner := leavesOf(v); inner != nil {
			return append(dst, inner...)
		}
		l.text, l.quoted = v, true
	case json.Number:
		l.text = v.String()
	case bool:
		l.text = strconv.FormatBool(v)
	}
	return append(dst, l)
}
