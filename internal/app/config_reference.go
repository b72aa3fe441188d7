package app

import (
	"fmt"
	"reflect"
	"strings"
)

// Entry is one key of the configuration as the reference shows it.
type Entry struct {
	Path    string
	Type    string // what it takes, for people
	Default string
	Env     string // the environment variable that sets it, "" for none

	field field
}

// reference are all keys below the struct that defaults points to, in the order of their declaration, with its values as the
// defaults. envPrefix starts the name of each key's environment variable. Keys within maps that people name themselves are
// shown under <name>, those within lists of sections under [].
func reference(defaults any, envPrefix string) []Entry {
	var entries []Entry
	walk(reflect.ValueOf(defaults).Elem(), "", true, func(path string, f field, settable bool) {
		e := Entry{Path: path, Type: typeName(f.value.Type(), f.rules), field: f}
		t := f.value.Type()
		if settable && (isScalar(t) || t.Kind() == reflect.Slice && isScalar(t.Elem())) {
			e.Env = envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
		}
		if f.value.Kind() != reflect.Struct && f.value.Kind() != reflect.Map {
			e.Default = defaultText(f.value)
		}
		entries = append(entries, e)
	})
	return entries
}

// walk visits every key below a struct, sections before what they hold.
func walk(v reflect.Value, path string, settable bool, visit func(path string, f field, settable bool)) {
	for _, f := range fieldsOf(v) {
		below := join(path, f.name)
		visit(below, f, settable)
		t := f.value.Type()
		switch {
		case isScalar(t):
		case t.Kind() == reflect.Struct:
			walk(f.value, below, settable, visit)
		case isClosed(t):
			for _, key := range sortedKeys(f.value) {
				walk(f.value.MapIndex(reflect.ValueOf(key)).Elem(), join(below, key), settable, visit)
			}
		case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
			walk(reflect.New(t.Elem()).Elem(), join(below, "<name>"), false, visit)
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			elem := reflect.New(t.Elem()).Elem()
			setDefaults(elem)
			walk(elem, below+"[]", false, visit)
		}
	}
}

// typeName is what a key takes, in the fewest words.
func typeName(t reflect.Type, r rules) string {
	switch {
	case isScalar(t) && len(r.enum) > 0:
		return strings.Join(r.enum, ", ")
	case isSecret(t):
		return "secret"
	case isScalar(t):
		name := strings.TrimSuffix(strings.SplitN(expectation(t, rules{}), " such", 2)[0], " with its unit,")
		return strings.TrimSuffix(name, ",") + limits(r)
	case t.Kind() == reflect.Slice:
		return "list of " + typeName(t.Elem(), r)
	case t.Kind() == reflect.Map && isScalar(t.Elem()):
		return "name: " + typeName(t.Elem(), r)
	default:
		return "section"
	}
}

func limits(r rules) string {
	switch {
	case r.min != "" && r.max != "":
		return fmt.Sprintf(", %s to %s", r.min, r.max)
	case r.min != "":
		return ", at least " + r.min
	case r.max != "":
		return ", at most " + r.max
	default:
		return ""
	}
}

// defaultText is a default in the notation of the file, "" for an empty one.
func defaultText(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil(), v.Kind() == reflect.Map && v.Len() == 0:
		return ""
	case v.Kind() == reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = defaultText(v.Index(i))
		}
		if len(parts) == 0 {
			return ""
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case v.Kind() == reflect.Struct:
		var parts []string
		for _, f := range fieldsOf(v) {
			if text := defaultText(f.value); text != "" {
				parts = append(parts, f.name+": "+text)
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return scalarText(v)
	}
}
