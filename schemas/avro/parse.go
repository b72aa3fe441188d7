package avro

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"confab/schemas/json/scan"
)

// Limits of writers' schemas.
const (
	MaxSchemaBytes = 64 << 10
	MaxSchemaDepth = 32 // of its text
)

// typeKind is an Avro type; the values are Avro's names.
type typeKind string

const (
	kindNull    typeKind = "null"
	kindBoolean typeKind = "boolean"
	kindInt     typeKind = "int"
	kindLong    typeKind = "long"
	kindFloat   typeKind = "float"
	kindDouble  typeKind = "double"
	kindBytes   typeKind = "bytes"
	kindString  typeKind = "string"
	kindFixed   typeKind = "fixed"
	kindEnum    typeKind = "enum"
	kindArray   typeKind = "array"
	kindMap     typeKind = "map"
	kindRecord  typeKind = "record"
	kindUnion   typeKind = "union"
)

// schemaType is a type of a writer's schema, with references resolved. A type that is named twice is shared.
type schemaType struct {
	kind    typeKind
	name    string        // for goavro, which would copy strings: bytes in their place, and a generated name of a named type
	fields  []typeField   // of a record
	parts   []*schemaType // types of the fields, branches of a union, the item of a list
	symbols []string      // of an enum
	size    int           // in bytes, of a fixed and of a float or double
	logical string        // logicalType, where it is one of the kind
	scale   int           // of a decimal
	open    bool          // still being parsed: a reference to it is a recursion
}

type typeField struct {
	name    string
	aliases []string
}

// schemaParser parses the JSON of a schema.
type schemaParser struct{ named map[string]*schemaType }

func badSchema(detail string) error { return &scan.Error{Reason: scan.ReasonBadSchema, Detail: detail} }

// parseSchema parses a schema, which must be a record, and returns its named types by full name.
func parseSchema(text string) (*schemaType, map[string]*schemaType, error) {
	if len(text) > MaxSchemaBytes {
		return nil, nil, badSchema("more than 64 KiB of schema")
	}
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, nil, badSchema("not JSON: " + err.Error())
	}
	p := schemaParser{named: make(map[string]*schemaType)}
	root, err := p.parse(doc, "", 1)
	if err == nil && root.kind != kindRecord {
		err = badSchema("the schema of a topic is a record, this is " + string(root.kind))
	}
	return root, p.named, err
}

// parse parses any form of a type: a name, a union or an object.
func (p *schemaParser) parse(doc any, space string, depth int) (*schemaType, error) {
	if depth > MaxSchemaDepth {
		return nil, badSchema("types are nested more than 32 deep")
	}
	switch d := doc.(type) {
	case string:
		return p.reference(d, space)
	case []any:
		return p.union(d, space, depth)
	case map[string]any:
		name, ok := d["type"].(string)
		if !ok {
			return p.parse(d["type"], space, depth+1)
		}
		return p.object(name, d, space, depth)
	}
	return nil, badSchema("a type is a name, a list or an object")
}

func (p *schemaParser) union(list []any, space string, depth int) (*schemaType, error) {
	t := &schemaType{kind: kindUnion}
	isOf := func(k typeKind) func(*schemaType) bool { return func(part *schemaType) bool { return part.kind == k } }
	for _, branch := range list {
		if err := p.part(t, branch, space, depth); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(t.parts, isOf(kindUnion)) {
		return nil, badSchema("a union holds a union")
	}
	if at := slices.IndexFunc(t.parts, isOf(kindString)); at >= 0 && slices.ContainsFunc(t.parts, isOf(kindBytes)) {
		t.parts[at].name = string(kindString)
	}
	return t, nil
}

// part parses a part of t.
func (p *schemaParser) part(t *schemaType, doc any, space string, depth int) error {
	part, err := p.parse(doc, space, depth+1)
	t.parts = append(t.parts, part)
	return err
}

// reference resolves a primitive or a type that was named before.
func (p *schemaParser) reference(name, space string) (*schemaType, error) {
	switch k := typeKind(name); k {
	case kindNull, kindBoolean, kindInt, kindLong, kindBytes:
		return &schemaType{kind: k, name: name}, nil
	case kindFloat:
		return &schemaType{kind: k, name: name, size: 4}, nil
	case kindDouble:
		return &schemaType{kind: k, name: name, size: 8}, nil
	case kindString:
		return &schemaType{kind: k, name: string(kindBytes)}, nil
	default: // a name
	}
	t, ok := p.named[fullName(name, space)]
	if !ok {
		t, ok = p.named[name]
	}
	quoted := strconv.Quote(name[:min(len(name), 60)])
	switch {
	case !ok:
		return nil, badSchema("the type " + quoted + " is not defined: schemas that refer to others are not supported, inline them")
	case t.open:
		return nil, badSchema("the type " + quoted + " contains itself: recursive schemas are not supported")
	}
	return t, nil
}

func fullName(name, space string) string {
	if space == "" || strings.Contains(name, ".") {
		return name
	}
	return space + "." + name
}

// object parses a type that is written as an object.
func (p *schemaParser) object(name string, d map[string]any, space string, depth int) (*schemaType, error) {
	switch k := typeKind(name); k {
	case kindRecord, "error":
		return p.record(d, space, depth)
	case kindEnum, kindFixed:
		t := &schemaType{kind: k, symbols: stringList(d["symbols"])}
		size, _ := d["size"].(float64)
		t.size = int(min(size, MaxBytes))
		_, err := p.define(t, d, space)
		t.setLogical(d)
		return t, err
	case kindArray, kindMap:
		t := &schemaType{kind: k, name: name}
		items := d["items"]
		if k == kindMap {
			items = d["values"]
		}
		return t, p.part(t, items, space, depth)
	default: // a primitive or a name
	}
	t, err := p.reference(name, space)
	if err == nil && t.kind != kindFixed { // a named type keeps its own
		t.setLogical(d)
	}
	return t, err
}

// setLogical sets the logical type, if it is one of the kind.
func (t *schemaType) setLogical(d map[string]any) {
	logical, _ := d["logicalType"].(string)
	switch t.kind {
	case kindLong:
		t.logical = logical
	case kindBytes, kindFixed:
		if scale, _ := d["scale"].(float64); logical == logicalDecimal && scale >= 0 && scale <= maxScale {
			t.logical, t.scale = logical, int(scale)
		}
	default:
	}
}

const (
	logicalDecimal = "decimal"
	maxScale       = 100
)

// define registers the name of t and returns the namespace inside it.
func (p *schemaParser) define(t *schemaType, d map[string]any, space string) (string, error) {
	name, _ := d["name"].(string)
	if own, ok := d["namespace"].(string); ok {
		space = own
	}
	full := fullName(name, space)
	if name == "" || p.named[full] != nil {
		return "", badSchema("a named type has no name, or one that is taken")
	}
	t.name = "t" + strconv.Itoa(len(p.named))
	p.named[full] = t
	return full[:max(strings.LastIndexByte(full, '.'), 0)], nil
}

func (p *schemaParser) record(d map[string]any, space string, depth int) (*schemaType, error) {
	t := &schemaType{kind: kindRecord, open: true}
	space, err := p.define(t, d, space)
	if err != nil {
		return nil, err
	}
	list, ok := d["fields"].([]any)
	if !ok {
		return nil, badSchema("a record has no list of fields")
	}
	for _, item := range list {
		f, _ := item.(map[string]any)
		name, _ := f["name"].(string)
		if name == "" {
			return nil, badSchema("a field has no name")
		}
		if err := p.part(t, f["type"], space, depth); err != nil {
			return nil, err
		}
		t.fields = append(t.fields, typeField{name: name, aliases: stringList(f["aliases"])})
	}
	t.open = false
	return t, nil
}

// stringList returns the strings of a JSON list.
func stringList(doc any) (out []string) {
	list, _ := doc.([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// document is the type as goavro takes it: with generated names, without defaults and logical types, which goavro interprets
// in its own way. It reads the very types that a value is checked with.
func (t *schemaType) document(defined map[string]bool) any {
	switch t.kind {
	case kindUnion:
		list := []any{}
		for _, part := range t.parts {
			list = append(list, part.document(defined))
		}
		return list
	case kindArray:
		return map[string]any{"type": t.kind, "items": t.parts[0].document(defined)}
	case kindMap:
		return map[string]any{"type": t.kind, "values": t.parts[0].document(defined)}
	case kindRecord, kindEnum, kindFixed:
		if defined[t.name] {
			return t.name
		}
		defined[t.name] = true
		fields := []any{}
		for i, part := range t.parts {
			fields = append(fields, map[string]any{"name": fieldKey(i), "type": part.document(defined)})
		}
		return map[string]any{"type": t.kind, "name": t.name, "fields": fields, "symbols": append([]string{}, t.symbols...), "size": t.size}
	default:
		return t.name
	}
}

// fieldKey is the name of a record's field for goavro.
func fieldKey(i int) string { return "f" + strconv.Itoa(i) }
