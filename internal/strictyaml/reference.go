package strictyaml

import (
	"fmt"
	"reflect"
	"strings"
)

// Entry is one key of the configuration in the reference.
type Entry struct {
	Path    string
	Type    string // readable
	Default string
	Env     string // the environment variable that sets it, "" for none

	Field Field
}

// Reference returns all keys below the struct that defaults points to, in the order of their declaration, with its values as
// the defaults. The names of environment variables start with envPrefix. Keys in open maps are shown under <name>, those in
// lists of sections under [].
func Reference(defaults any, envPrefix string) []Entry {
	var entries []Entry
	walkKeys(reflect.ValueOf(defaults).Elem(), "", true, func(path string, f Field, settable bool) {
		e := Entry{Path: path, Type: typeName(f.Value.Type(), f.Rules), Field: f}
		t := f.Value.Type()
		if settable && (IsScalar(t) || t.Kind() == reflect.Slice && IsScalar(t.Elem())) {
			e.Env = envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
		}
		if f.Value.Kind() != reflect.Struct && f.Value.Kind() != reflect.Map {
			e.Default = DefaultText(f.Value)
		}
		entries = append(entries, e)
	})
	return entries
}

// walkKeys visits every key below a struct, each section before its keys.
func walkKeys(v reflect.Value, path string, settable bool, visit func(path string, f Field, settable bool)) {
	for _, f := range Fields(v) {
		below := JoinPath(path, f.Name)
		visit(below, f, settable)
		t := f.Value.Type()
		switch {
		case IsScalar(t):
		case t.Kind() == reflect.Struct:
			walkKeys(f.Value, below, settable, visit)
		case IsClosed(t):
			for _, key := range sortedKeys(f.Value) {
				walkKeys(f.Value.MapIndex(reflect.ValueOf(key)).Elem(), JoinPath(below, key), settable, visit)
			}
		case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
			walkKeys(reflect.New(t.Elem()).Elem(), JoinPath(below, "<name>"), false, visit)
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			elem := reflect.New(t.Elem()).Elem()
			setDefaults(elem)
			walkKeys(elem, below+"[]", false, visit)
		}
	}
}

// typeName describes the values of a key.
func typeName(t reflect.Type, r Rules) string {
	switch {
	case IsScalar(t) && len(r.Enum) > 0:
		return strings.Join(r.Enum, ", ")
	case isSecret(t):
		return "secret"
	case IsScalar(t):
		name := strings.TrimSuffix(strings.SplitN(expectation(t, Rules{}), " such", 2)[0], " with its unit,")
		return strings.TrimSuffix(name, ",") + formatLimits(r)
	case t.Kind() == reflect.Slice:
		return "list of " + typeName(t.Elem(), r)
	case t.Kind() == reflect.Map && (IsScalar(t.Elem()) || t.Elem().Kind() == reflect.Slice):
		return "name: " + typeName(t.Elem(), r)
	default:
		return "section"
	}
}

func formatLimits(r Rules) string {
	switch {
	case r.Min != "" && r.Max != "":
		return fmt.Sprintf(", %s to %s", r.Min, r.Max)
	case r.Min != "":
		return ", at least " + r.Min
	case r.Max != "":
		return ", at most " + r.Max
	default:
		return ""
	}
}

// DefaultText is a default in the notation of the file, "" for an empty one.
func DefaultText(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil(), v.Kind() == reflect.Map && v.Len() == 0:
		return ""
	case v.Kind() == reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = DefaultText(v.Index(i))
		}
		if len(parts) == 0 {
			return ""
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case v.Kind() == reflect.Struct:
		var parts []string
		for _, f := range Fields(v) {
			if text := DefaultText(f.Value); text != "" {
				parts = append(parts, f.Name+": "+text)
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return ScalarText(v)
	}
}
