package avro

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
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
	kind     typeKind
	fields   []typeField   // of a record
	items    *schemaType   // of an array or a map
	branches []*schemaType // of a union
	symbols  []string      // of an enum
	size     int           // of a fixed
	logical  string        // logicalType of a primitive

	open        bool // still being parsed: a reference to it is a recursion
	height      int  // nesting levels; 1 for a primitive
	nodes       int  // types in it, with references expanded
	width       int  // least bytes of a value
	emptyValues int  // most zero-byte values in a value
	cost        int  // most memory that goavro allocates for a value, without list items
}

type typeField struct {
	name    string
	aliases []string
	typ     *schemaType
}

// schemaParser parses the JSON of a schema.
type schemaParser struct {
	named map[string]*schemaType
}

func badSchema(detail string) error { return &Error{Reason: ReasonBadSchema, detail: detail} }

// parseSchema parses a schema, which must be a record.
func parseSchema(text string) (*schemaType, error) {
	if len(text) > MaxSchemaBytes {
		return nil, badSchema("more than 64 KiB of schema")
	}
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, badSchema("not JSON: " + err.Error())
	}
	p := schemaParser{named: make(map[string]*schemaType)}
	root, err := p.parseType(doc, "", 1)
	if err != nil {
		return nil, err
	}
	if root.kind != kindRecord {
		return nil, badSchema("the schema of a topic is a record, this is " + string(root.kind))
	}
	return root, nil
}

// parseType parses any form of a type: a name, a union or an object.
func (p *schemaParser) parseType(doc any, space string, depth int) (*schemaType, error) {
	if depth > MaxSchemaDepth {
		return nil, badSchema("types are nested more than 32 deep")
	}
	var n *schemaType
	var err error
	switch d := doc.(type) {
	case string:
		n, err = p.reference(d, space)
	case []any:
		n, err = p.union(d, space, depth)
	case map[string]any:
		n, err = p.object(d, space, depth)
	default:
		err = badSchema("a type is a name, a list or an object")
	}
	if err != nil {
		return nil, err
	}
	return n, n.measure()
}

// reference resolves a primitive or a type that was named before.
func (p *schemaParser) reference(name, space string) (*schemaType, error) {
	switch k := typeKind(name); k {
	case kindNull, kindBoolean, kindInt, kindLong, kindFloat, kindDouble, kindBytes, kindString:
		return &schemaType{kind: k}, nil
	default: // a name
	}
	n, ok := p.named[fullName(name, space)]
	if !ok {
		n, ok = p.named[name]
	}
	switch {
	case !ok:
		return nil, badSchema("the type " + quoteName(name) + " is not defined: schemas that refer to others are not supported, inline them")
	case n.open:
		return nil, badSchema("the type " + quoteName(name) + " contains itself: recursive schemas are not supported")
	}
	return n, nil
}

// quoteName quotes the start of a name in a schema.
func quoteName(name string) string {
	const most = 60
	if len(name) > most {
		name = name[:most] + "…"
	}
	return strconv.Quote(name)
}

func fullName(name, space string) string {
	if space == "" || strings.Contains(name, ".") {
		return name
	}
	return space + "." + name
}

func (p *schemaParser) union(list []any, space string, depth int) (*schemaType, error) {
	n := &schemaType{kind: kindUnion}
	seen := make(map[typeKind]bool)
	for _, d := range list {
		b, err := p.parseType(d, space, depth+1)
		if err != nil {
			return nil, err
		}
		if b.kind == kindUnion {
			return nil, badSchema("a union holds a union")
		}
		named := b.kind == kindRecord || b.kind == kindEnum || b.kind == kindFixed
		if seen[b.kind] && (!named || slices.Contains(n.branches, b)) {
			return nil, badSchema("a union names a type twice")
		}
		seen[b.kind] = true
		n.branches = append(n.branches, b)
	}
	if len(n.branches) == 0 {
		return nil, badSchema("a union has no types")
	}
	return n, nil
}

func (p *schemaParser) object(d map[string]any, space string, depth int) (*schemaType, error) {
	name, ok := d["type"].(string)
	if !ok {
		return p.parseType(d["type"], space, depth+1)
	}
	switch typeKind(name) {
	case kindRecord, "error":
		return p.record(d, space, depth)
	case kindEnum, kindFixed:
		return p.leaf(typeKind(name), d, space)
	case kindArray, kindMap:
		return p.list(typeKind(name), d, space, depth)
	default: // a primitive or a name
	}
	n, err := p.reference(name, space)
	if err == nil && n.open {
		err = badSchema("the type " + quoteName(name) + " contains itself")
	}
	if logical, ok := d["logicalType"].(string); ok && err == nil && !isNamedKind(n.kind) {
		n.logical = logical
	}
	return n, err
}

func isNamedKind(k typeKind) bool { return k == kindRecord || k == kindEnum || k == kindFixed }

func (p *schemaParser) list(k typeKind, d map[string]any, space string, depth int) (*schemaType, error) {
	member := "items"
	if k == kindMap {
		member = "values"
	}
	items, err := p.parseType(d[member], space, depth+1)
	if err != nil {
		return nil, err
	}
	if items.width == 0 || items.emptyValues > maxEmptyValues {
		return nil, badSchema("the " + member + " of a list take no bytes, so a few bytes could claim any number of them")
	}
	return &schemaType{kind: k, items: items}, nil
}

// define registers the name of n and returns the namespace inside it.
func (p *schemaParser) define(n *schemaType, d map[string]any, space string) (string, error) {
	name, _ := d["name"].(string)
	if own, ok := d["namespace"].(string); ok {
		space = own
	}
	full := fullName(name, space)
	if name == "" || p.named[full] != nil {
		return "", badSchema("a named type has no name, or one that is taken")
	}
	p.named[full] = n
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		return full[:i], nil
	}
	return "", nil
}

func (p *schemaParser) leaf(k typeKind, d map[string]any, space string) (*schemaType, error) {
	n := &schemaType{kind: k}
	if _, err := p.define(n, d, space); err != nil {
		return nil, err
	}
	if k == kindFixed {
		size, ok := d["size"].(float64)
		if n.size = int(size); !ok || size != math.Trunc(size) || size < 1 || size > MaxBytes {
			return nil, badSchema("the size of a fixed is not a positive number of bytes")
		}
		return n, nil
	}
	n.symbols = stringList(d["symbols"])
	if len(n.symbols) == 0 {
		return nil, badSchema("an enum has no symbols")
	}
	return n, nil
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

func (p *schemaParser) record(d map[string]any, space string, depth int) (*schemaType, error) {
	n := &schemaType{kind: kindRecord, open: true}
	space, err := p.define(n, d, space)
	if err != nil {
		return nil, err
	}
	list, ok := d["fields"].([]any)
	if !ok {
		return nil, badSchema("a record has no list of fields")
	}
	seen := make(map[string]bool)
	for _, item := range list {
		f, _ := item.(map[string]any)
		name, _ := f["name"].(string)
		if name == "" || seen[name] {
			return nil, badSchema("a field has no name, or one that is taken")
		}
		seen[name] = true
		typ, err := p.parseType(f["type"], space, depth+1)
		if err != nil {
			return nil, err
		}
		n.fields = append(n.fields, typeField{name: name, aliases: stringList(f["aliases"]), typ: typ})
	}
	n.open = false
	return n, nil
}
