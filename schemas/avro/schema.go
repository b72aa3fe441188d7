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

	envelope                    string // key of the field that holds the interaction; "" where the record does
	own                         bool   // it is an interaction
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
	s := &Schema{root: root, codec: codec, flag: bind(root, reflect.TypeFor[schemas.Flag]())}
	holder := root
	if at := root.envelope(); at >= 0 {
		s.envelope, holder = fieldKey(at), root.parts[at]
	}
	s.interaction, s.logprobs = bind(holder, reflect.TypeFor[schemas.Interaction]()), bind(holder, reflect.TypeFor[packedLogprobs]())
	known := make(map[int]bool)
	for _, t := range []*target{s.interaction, s.logprobs} {
		for _, f := range t.record().fields {
			known[f.at] = true
		}
	}
	for i, f := range holder.record().fields {
		if !known[i] {
			s.unknown = append(s.unknown, f.name)
		}
	}
	s.own = s.isOwn()
	return s, nil
}

// HoldsInteractions reports whether the record, or one within an envelope, is an interaction: it has an answer that may be a text,
// and another field that only ours have, or no unknown one. AppendJSON makes of others what a map can read.
func (s *Schema) HoldsInteractions() bool { return s.own }

func (s *Schema) isOwn() bool {
	own := len(s.unknown) == 0
	var answer *target
	for _, f := range s.interaction.record().fields {
		switch f.name {
		case fieldAnswer:
			answer = f.target
		case "interaction_id", schemas.FieldMessages, schemas.FieldSources:
			own = true
		}
	}
	return own && answer != nil && slices.ContainsFunc(append([]*schemaType{answer.typ}, answer.typ.parts...), (*schemaType).isText)
}

func (t *schemaType) isText() bool {
	return t.kind == kindString || t.kind == kindBytes || t.kind == kindEnum
}

// record is the type itself, or the record among the branches of a union; nil if there is none.
func (t *schemaType) record() *schemaType {
	if at := slices.IndexFunc(t.parts, func(p *schemaType) bool { return p.kind == kindRecord }); t.kind == kindUnion && at >= 0 {
		return t.parts[at]
	}
	if t.kind != kindRecord {
		return nil
	}
	return t
}

// record is the target of the type's record.
func (t *target) record() *target {
	if t.choices == nil {
		return t
	}
	return t.choices[t.typ.record().name]
}

// answers reports whether a record has a field answer.
func (t *schemaType) answers() bool {
	into := reflect.TypeFor[schemas.Interaction]()
	return t != nil && slices.ContainsFunc(t.match(into), func(at int) bool { return at >= 0 && fieldName(into.Field(at)) == fieldAnswer })
}

// envelope is the index of the field whose record is the interaction; -1 if the record itself is one, or none. Of the two of a
// changed row it is the new one.
func (t *schemaType) envelope() int {
	if t.answers() {
		return -1
	}
	found := -1
	for i, part := range t.parts {
		switch {
		case !part.record().answers():
		case strings.EqualFold(t.fields[i].name, "after"):
			return i
		case found >= 0:
			found = len(t.parts)
		default:
			found = i
		}
	}
	if found == len(t.parts) {
		return -1
	}
	return found
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
