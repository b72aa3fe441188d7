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

// leavesOf are the values of a text of JSON values, also of texts within them that are such, members by name.
func leavesOf(s string) []leaf {
	if v := valueOf(s); v != nil {
		return appendLeaves(nil, leaf{}, v)
	}
	return nil
}

// valueOf is an object, a list, or several of them as a list; nil for another text.
func valueOf(s string) any {
	var list []any
	d := json.NewDecoder(strings.NewReader(s))
	for d.UseNumber(); strings.ContainsAny(s, "{[") && d.More(); {
		var v any
		if d.Decode(&v) != nil {
			return nil
		}
		list = append(list, v)
	}
	switch len(list) {
	case 0:
		return nil // no empty list
	case 1:
		return list[0]
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
		if v := valueOf(v); v != nil {
			return appendLeaves(dst, l, v)
		}
		l.text, l.quoted = v, true
	case json.Number:
		l.text = v.String()
	case bool:
		l.text = strconv.FormatBool(v)
	}
	return append(dst, l)
}
