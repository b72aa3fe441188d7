package strictyaml

import (
	"encoding"
	"reflect"
	"strings"
	"time"

	"confab/internal/redact"
)

// A configuration is a tree of structs whose fields carry these tags:
//
//	yaml  the key, as in every YAML library; ",inline" puts the fields of a struct among its parent's
//	enum  the values allowed, separated by |
//	min   the least and
//	max   the largest value, in the notation of the file
//	required  "true" where the section must hold the key
//
// A map whose elements are pointers is a closed set of sections: its keys are those of the defaults.

// Field is one key of a struct.
type Field struct {
	Name   string
	Value  reflect.Value // settable
	Rules  Rules
	Owner  reflect.Type // the struct that declares it
	GoName string       // its name there
}

// Rules are the limits that a field's tags set for its scalar, or for each of its scalars.
type Rules struct {
	Enum     []string
	Min, Max string
	Required bool
}

// Fields are the keys of a struct in the order of their declaration, including inlined ones, or those of a closed map.
func Fields(v reflect.Value) []Field {
	var fields []Field
	if v.Kind() == reflect.Map {
		for _, key := range sortedKeys(v) {
			fields = append(fields, Field{Name: key, Value: v.MapIndex(reflect.ValueOf(key)).Elem()})
		}
		return fields
	}
	for i := range v.NumField() {
		sf := v.Type().Field(i)
		name, flags, _ := strings.Cut(sf.Tag.Get("yaml"), ",")
		rules := Rules{Enum: splitList(sf.Tag.Get("enum"), "|"), Min: sf.Tag.Get("min"), Max: sf.Tag.Get("max"), Required: sf.Tag.Get("required") == "true"}
		switch {
		case !sf.IsExported() || name == "-":
			continue
		case flags == "inline":
			inner := v.Field(i)
			for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Interface {
				inner = inner.Elem()
			}
			if inner.Kind() == reflect.Struct {
				fields = append(fields, Fields(inner)...)
			}
			continue
		case name == "":
			name = strings.ToLower(sf.Name)
		}
		fields = append(fields, Field{Name: name, Value: v.Field(i), Rules: rules, Owner: v.Type(), GoName: sf.Name})
	}
	return fields
}

// splitList splits text and trims the parts; an empty text has none.
func splitList(text, separator string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	parts := strings.Split(text, separator)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// defaulter is an element of a list that has defaults of its own.
type defaulter interface{ SetDefaults() }

// setDefaults gives a new element of a list its defaults.
func setDefaults(v reflect.Value) {
	if d, ok := reflect.TypeAssert[defaulter](v.Addr()); ok {
		d.SetDefaults()
	}
}

// IsSecret reports whether values of the type are masked.
func IsSecret(t reflect.Type) bool { return t == reflect.TypeFor[redact.Secret]() }

// IsDuration reports whether values of the type are durations.
func IsDuration(t reflect.Type) bool { return t == reflect.TypeFor[time.Duration]() }

// IsScalar reports whether a value of the type is written as one scalar.
func IsScalar(t reflect.Type) bool {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return true
	}
	switch t.Kind() {
	case reflect.Pointer:
		return IsScalar(t.Elem())
	case reflect.Struct, reflect.Map, reflect.Slice, reflect.Interface, reflect.Array:
		return false
	default:
		return true
	}
}

// IsClosed reports whether a map of the type is a closed set of sections.
func IsClosed(t reflect.Type) bool {
	return t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Pointer
}

// JoinPath is the path of a key below a path.
func JoinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// Entry is one key of the configuration.
type Entry struct {
	Path  string
	Env   string // the environment variable that sets it, "" for none
	Field Field  // with the default
}

// Reference returns all keys below the struct that defaults points to, each section before its keys. The names of environment
// variables start with envPrefix. Keys in open maps are shown under <name>, those in lists of sections under [].
func Reference(defaults any, envPrefix string) []Entry {
	return entriesOf(reflect.ValueOf(defaults).Elem(), "", envPrefix)
}

// entriesOf are the keys below a struct or a closed map. Without prefix no variable sets them.
func entriesOf(v reflect.Value, path, prefix string) (entries []Entry) { //nolint:cyclop // a case for each kind of value
	for _, f := range Fields(v) {
		t, e := f.Value.Type(), Entry{Path: JoinPath(path, f.Name), Field: f}
		section := v.Kind() == reflect.Map // of a closed map
		if list := t.Kind() == reflect.Slice; prefix != "" && !section && (IsScalar(t) || list && IsScalar(t.Elem())) {
			e.Env = prefix + strings.ToUpper(strings.ReplaceAll(e.Path, ".", "_"))
		}
		if !section {
			entries = append(entries, e)
		}
		switch {
		case IsScalar(t):
		case t.Kind() == reflect.Struct, IsClosed(t):
			entries = append(entries, entriesOf(f.Value, e.Path, prefix)...)
		case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Struct:
			entries = append(entries, entriesOf(reflect.New(t.Elem()).Elem(), e.Path+".<name>", "")...)
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
			elem := reflect.New(t.Elem()).Elem()
			setDefaults(elem)
			entries = append(entries, entriesOf(elem, e.Path+"[]", "")...)
		}
	}
	return entries
}
