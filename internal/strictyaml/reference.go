package strictyaml

import (
	"reflect"
	"strings"
)

// Entry is one key of the configuration.
type Entry struct {
	Path  string
	Env   string // the environment variable that sets it, "" for none
	Field Field  // with the default
}

// Reference returns all keys below the struct that defaults points to, in the order of their declaration. The names of environment variables start with envPrefix. Keys in open maps are shown under <name>, those in
// lists of sections under [].
func Reference(defaults any, envPrefix string) []Entry {
	var entries []Entry
	walkKeys(reflect.ValueOf(defaults).Elem(), "", true, func(path string, f Field, settable bool) {
		e := Entry{Path: path, Field: f}
		t := f.Value.Type()
		if settable && (IsScalar(t) || t.Kind() == reflect.Slice && IsScalar(t.Elem())) {
			e.Env = envPrefix + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
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
			for _, section := range Fields(f.Value) {
				walkKeys(section.Value, JoinPath(below, section.Name), settable, visit)
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
