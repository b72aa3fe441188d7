package avro

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kind is an Avro type as the walk and goavro know it; the values are Avro's names.
type kind string

const (
	kindNull    kind = "null"
	kindBoolean kind = "boolean"
	kindInt     kind = "int"
	kindLong    kind = "long"
	kindFloat   kind = "float"
	kindDouble  kind = "double"
	kindBytes   kind = "bytes"
	kindString  kind = "string"
	kindFixed   kind = "fixed"
	kindEnum    kind = "enum"
	kindArray   kind = "array"
	kindMap     kind = "map"
	kindRecord  kind = "record"
	kindUnion   kind = "union"
)

// node is a type of a writer's schema, with references resolved. Types that are named twice are shared.
type node struct {
	kind     kind
	fields   []field  // of a record
	items    *node    // of an array or a map
	branches []*node  // of a union
	symbols  []string // of an enum
	size     int      // of a fixed
	logical  string   // logicalType of a primitive

	open   bool // still being read: a reference to it is a recursion
	height int  // levels of nesting, a primitive is 1
	nodes  int  // types in it when references are written out
	width  int  // least bytes of a value
	free   int  // most values that come out of no bytes of their own
	cost   int  // most bytes of memory that goavro makes of one, without the items of lists
}

type field struct {
	name    string
	aliases []string
	typ     *node
}

// parser reads the JSON of a schema.
type parser struct {
	named map[string]*node
}

// refuse is the error of a schema.
func refuse(detail string) error { return &Error{Reason: ReasonBadSchema, detail: detail} }

// parse reads the text of a schema that must be a record.
func parse(text string) (*node, error) {
	if len(text) > MaxSchemaBytes {
		return nil, refuse("more than 64 KiB of schema")
	}
	var doc any
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		return nil, refuse("no JSON: " + err.Error())
	}
	p := parser{named: make(map[string]*node)}
	root, err := p.typ(doc, "", 1)
	if err != nil {
		return nil, err
	}
	if root.kind != kindRecord {
		return nil, refuse("the schema of a topic is a record, this is " + string(root.kind))
	}
	return root, nil
}

// typ reads any form of a type: a name, a union or an object.
func (p *parser) typ(doc any, space string, depth int) (*node, error) {
	if depth > MaxSchemaDepth {
		return nil, refuse("types are nested more than 32 deep")
	}
	var n *node
	var err error
	switch d := doc.(type) {
	case string:
		n, err = p.reference(d, space)
	case []any:
		n, err = p.union(d, space, depth)
	case map[string]any:
		n, err = p.object(d, space, depth)
	default:
		err = refuse("a type is a name, a list or an object")
	}
	if err != nil {
		return nil, err
	}
	return n, n.measure()
}

// reference is a primitive or a type that was named before.
func (p *parser) reference(name, space string) (*node, error) {
	switch k := kind(name); k {
	case kindNull, kindBoolean, kindInt, kindLong, kindFloat, kindDouble, kindBytes, kindString:
		return &node{kind: k}, nil
	default: // a name
	}
	n, ok := p.named[fullName(name, space)]
	if !ok {
		n, ok = p.named[name]
	}
	switch {
	case !ok:
		return nil, refuse("the type " + clip(name) + " is not defined: schemas that refer to others are not supported, inline them")
	case n.open:
		return nil, refuse("the type " + clip(name) + " contains itself: recursive schemas are not supported")
	}
	return n, nil
}

// clip quotes a name of a schema, the first of it.
func clip(name string) string {
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

func (p *parser) union(list []any, space string, depth int) (*node, error) {
	n := &node{kind: kindUnion}
	seen := make(map[kind]bool)
	for _, d := range list {
		b, err := p.typ(d, space, depth+1)
		if err != nil {
			return nil, err
		}
		if b.kind == kindUnion {
			return nil, refuse("a union holds a union")
		}
		named := b.kind == kindRecord || b.kind == kindEnum || b.kind == kindFixed
		if seen[b.kind] && (!named || slices.Contains(n.branches, b)) {
			return nil, refuse("a union names a type twice")
		}
		seen[b.kind] = true
		n.branches = append(n.branches, b)
	}
	if len(n.branches) == 0 {
		return nil, refuse("a union has no types")
	}
	return n, nil
}

func (p *parser) object(d map[string]any, space string, depth int) (*node, error) {
	name, ok := d["type"].(string)
	if !ok {
		return p.typ(d["type"], space, depth+1)
	}
	switch kind(name) {
	case kindRecord, "error":
		return p.record(d, space, depth)
	case kindEnum, kindFixed:
		return p.leaf(kind(name), d, space)
	case kindArray, kindMap:
		return p.list(kind(name), d, space, depth)
	default: // a primitive or a name
	}
	n, err := p.reference(name, space)
	if err == nil && n.open {
		err = refuse("the type " + clip(name) + " contains itself")
	}
	if logical, ok := d["logicalType"].(string); ok && err == nil && !named(n.kind) {
		n.logical = logical
	}
	return n, err
}

func named(k kind) bool { return k == kindRecord || k == kindEnum || k == kindFixed }

func (p *parser) list(k kind, d map[string]any, space string, depth int) (*node, error) {
	member := "items"
	if k == kindMap {
		member = "values"
	}
	items, err := p.typ(d[member], space, depth+1)
	if err != nil {
		return nil, err
	}
	if items.width == 0 || items.free > maxFreeValues {
		return nil, refuse("the " + member + " of a list take no bytes, so a few bytes could claim any number of them")
	}
	return &node{kind: k, items: items}, nil
}

// define names n, and tells the namespace of what is in it.
func (p *parser) define(n *node, d map[string]any, space string) (string, error) {
	name, _ := d["name"].(string)
	if own, ok := d["namespace"].(string); ok {
		space = own
	}
	full := fullName(name, space)
	if name == "" || p.named[full] != nil {
		return "", refuse("a named type has no name, or one that is taken")
	}
	p.named[full] = n
	if i := strings.LastIndexByte(full, '.'); i >= 0 {
		return full[:i], nil
	}
	return "", nil
}

func (p *parser) leaf(k kind, d map[string]any, space string) (*node, error) {
	n := &node{kind: k}
	if _, err := p.define(n, d, space); err != nil {
		return nil, err
	}
	if k == kindFixed {
		size, ok := d["size"].(float64)
		if n.size = int(size); !ok || size != math.Trunc(size) || size < 1 || size > MaxBytes {
			return nil, refuse("the size of a fixed is no positive number of bytes")
		}
		return n, nil
	}
	n.symbols = texts(d["symbols"])
	if len(n.symbols) == 0 {
		return nil, refuse("an enum has no symbols")
	}
	return n, nil
}

// texts are the strings of a JSON list.
func texts(doc any) (out []string) {
	list, _ := doc.([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func (p *parser) record(d map[string]any, space string, depth int) (*node, error) {
	n := &node{kind: kindRecord, open: true}
	space, err := p.define(n, d, space)
	if err != nil {
		return nil, err
	}
	list, ok := d["fields"].([]any)
	if !ok {
		return nil, refuse("a record has no list of fields")
	}
	seen := make(map[string]bool)
	for _, item := range list {
		f, _ := item.(map[string]any)
		name, _ := f["name"].(string)
		if name == "" || seen[name] {
			return nil, refuse("a field has no name, or one that is taken")
		}
		seen[name] = true
		typ, err := p.typ(f["type"], space, depth+1)
		if err != nil {
			return nil, err
		}
		n.fields = append(n.fields, field{name: name, aliases: texts(f["aliases"]), typ: typ})
	}
	n.open = false
	return n, nil
}
