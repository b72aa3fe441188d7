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
		switch {
		case !sf.IsExported() || name == "-":
			continue
		case flags == "inline":
			if inner := sectionStruct(v.Field(i)); inner.IsValid() {
				fields = append(fields, Fields(inner)...)
			}
			continue
		case name == "":
			name = strings.ToLower(sf.Name)
		}
		fields = append(fields, Field{Name: name, Value: v.Field(i), Rules: rulesOf(sf.Tag), Owner: v.Type(), GoName: sf.Name})
	}
	return fields
}

// sectionStruct follows pointers and interfaces to a struct. The result is invalid if there is none.
func sectionStruct(v reflect.Value) reflect.Value {
	for v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return v
}

func rulesOf(tag reflect.StructTag) Rules {
	return Rules{
		Enum: splitList(tag.Get("enum"), "|"),
		Min:  tag.Get("min"),
		Max:  tag.Get("max"),

		Required: tag.Get("required") == "true",
	}
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

// readsText reports whether a pointer to the type implements encoding.TextUnmarshaler.
func readsText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// IsScalar reports whether a value of the type is written as one scalar.
func IsScalar(t reflect.Type) bool {
	if readsText(t) {
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

// Keys are the keys of the struct that v points to.
func Keys(v any) []string { return keyNames(Fields(reflect.ValueOf(v).Elem())) }

func keyNames(fields []Field) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = f.Name
	}
	return list
}

// JoinPath is the path of a key below a path.
func JoinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
