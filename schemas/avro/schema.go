package avro

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/linkedin/goavro/v2"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// Schema is a writer's schema, ready to decode values. It is safe for concurrent use. Keep it: creating one costs more
// than decoding with it.
type Schema struct {
	root    *schemaType
	codec   *goavro.Codec
	unknown []string // names of the ignored fields of an interaction

	interaction, logprobs, flag *target
}

// packedLogprobs are the fields of schemas.Logprobs in the record of an interaction.
type packedLogprobs struct {
	TopK   int    `avro:"top_k"`
	Values []byte `avro:"token_logprobs"`
}

// NewSchema loads a writer's schema. It must be a record, complete, not recursive, at most 64 KiB of text and 32 levels
// deep, without lists of zero-byte items. The error is a *scan.Error.
func NewSchema(text string) (*Schema, error) {
	root, named, err := parseSchema(text)
	if err != nil {
		return nil, err
	}
	document, _ := json.Marshal(root.document(map[string]bool{})) // strings and numbers always encode
	codec, err := goavro.NewCodec(string(document))
	if err != nil {
		var own []string
		for full, t := range named {
			own = append(own, strconv.Quote(t.name), strconv.Quote(full))
		}
		text := strings.NewReplacer(own...).Replace(err.Error())
		return nil, badSchema(strings.ToValidUTF8(text[:min(len(text), 200)], ""))
	}
	s := &Schema{
		root: root, codec: codec, interaction: bind(root, reflect.TypeFor[schemas.Interaction]()),
		logprobs: bind(root, reflect.TypeFor[packedLogprobs]()), flag: bind(root, reflect.TypeFor[schemas.Flag]()),
	}
	known := make(map[int]bool)
	for _, f := range append(s.interaction.fields, s.logprobs.fields...) {
		known[f.at] = true
	}
	for i, f := range root.fields {
		if !known[i] {
			s.unknown = append(s.unknown, f.name)
		}
	}
	return s, nil
}

// HoldsInteractions reports whether the record is an interaction: it has an answer that may be a text, and another field that only
// ours have, or no unknown one. AppendJSON makes of others what a shape or a map can read.
func (s *Schema) HoldsInteractions() bool {
	own, answers := len(s.unknown) == 0, false
	for _, f := range s.interaction.fields {
		switch f.name {
		case fieldAnswer:
			answers = slices.ContainsFunc(append([]*schemaType{f.typ}, f.typ.parts...), (*schemaType).isText)
		case "interaction_id", schemas.FieldMessages, schemas.FieldSources:
			own = true
		}
	}
	return own && answers
}

func (t *schemaType) isText() bool {
	return t.kind == kindString || t.kind == kindBytes || t.kind == kindEnum
}

// native checks the whole body and decodes it as a record.
func (s *Schema) native(body []byte) (any, error) {
	if err := checkValue(s.root, body); err != nil {
		return nil, err
	}
	native, _, err := s.codec.NativeFromBinary(body)
	if err != nil { // the error may quote the value
		if strings.Contains(err.Error(), "duplicate key") {
			return nil, &scan.Error{Reason: scan.ReasonDuplicateKey, Detail: "a map names a key twice"}
		}
		return nil, &scan.Error{Reason: scan.ReasonSyntax}
	}
	return native, nil
}

// target is a writer's type with what it is read into.
type target struct {
	typ     *schemaType
	fields  []boundField       // of a record that is read into a struct: the known ones
	item    *target            // of an array or a map
	choices map[string]*target // of a union, by goavro's names of its branches
}

// boundField is a known field of a record.
type boundField struct {
	name  string // ours
	at    int    // in the writer's record
	key   string // for goavro
	index int    // in the struct
	*target
}

// bind finds the fields of a struct, and of those below it, in a writer's type.
func bind(t *schemaType, into reflect.Type) *target {
	b := &target{typ: t}
	if into.Kind() == reflect.Pointer {
		into = into.Elem()
	}
	switch kind := into.Kind(); {
	case t.kind == kindUnion:
		b.choices = make(map[string]*target)
		for _, part := range t.parts {
			b.choices[part.name] = bind(part, into)
		}
	case t.kind == kindArray && kind == reflect.Slice, t.kind == kindMap && kind == reflect.Map:
		b.item = bind(t.parts[0], into.Elem())
	case t.kind == kindRecord && kind == reflect.Struct:
		for i, index := range t.match(into) {
			if index >= 0 {
				f := into.Field(index)
				b.fields = append(b.fields, boundField{fieldName(f), i, fieldKey(i), index, bind(t.parts[i], f.Type)})
			}
		}
	}
	return b
}

// fieldName is the name of a struct's field in records, "" for none.
func fieldName(f reflect.StructField) string {
	if name, ok := f.Tag.Lookup("avro"); ok {
		return name
	}
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return strings.TrimPrefix(name, "-")
}

// match returns, for every field of a record, the index of the struct's field, -1 for unknown ones. A field matches by its
// own name, then by the writer's aliases (names in older versions), then by our name in camel case or in capitals.
func (t *schemaType) match(into reflect.Type) []int {
	free := make(map[string]int)
	for i := range into.NumField() {
		if name := fieldName(into.Field(i)); name != "" {
			free[name] = i
		}
	}
	out := make([]int, len(t.fields))
	for i := range out {
		out[i] = -1
	}
	take := func(i int, names ...string) {
		for _, name := range names {
			if index, ok := free[name[strings.LastIndexByte(name, '.')+1:]]; ok && out[i] < 0 {
				out[i] = index
				delete(free, name[strings.LastIndexByte(name, '.')+1:])
			}
		}
	}
	for i, f := range t.fields {
		take(i, f.name)
	}
	for i, f := range t.fields {
		take(i, f.aliases...)
	}
	for i, f := range t.fields {
		take(i, toSnakeCase(f.name))
	}
	for i, f := range t.fields {
		take(i, strings.ToLower(f.name))
	}
	return out
}

// toSnakeCase converts camel case: interactionId is interaction_id, topK is top_k.
func toSnakeCase(name string) string {
	var b strings.Builder
	for i, c := range []byte(name) {
		if 'A' <= c && c <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}
