package jsonschema

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"confab/detectors"
)

// Caps of a schema, because compiling it is not metered: some of the library's steps are quadratic.
const (
	maxSchema   = 64 << 10 // bytes
	maxSchemas  = 2000     // objects and booleans: all may be schemas
	maxRefs     = 300
	maxNames    = 100      // identifiers and anchors
	maxPointers = 1 << 20  // bytes of the paths to all schemas
	maxNumbers  = 2000     // numbers and lists in enums of draft 4 and 6, which must differ
	maxChain    = 100      // schemas that apply to the same value one within another
	maxPatterns = 16 << 10 // bytes of all patterns
	maxClasses  = 200      // escapes such as \p{L} in all patterns, about 700 ranges of characters each
	maxSteps    = 40_000   // instructions of all patterns, repeats expanded
)

// maxSchemaWork limits the work per answer in units of about 10 ns: about 30 ms of one core, and less than 100 ms where a hostile
// schema costs the library most.
const maxSchemaWork = 3_000_000

// Costs in those units, garbage collection included.
const (
	perSchemaByte = 25 // of compiling a schema
	perValue      = 11 // of parsing a value
	perText       = 3  // per bytes of JSON
	perApplied    = 40 // of applying a schema to a value
	perElement    = 3  // of an element or member
	perName       = 5  // of a name looked up in an object
	perTracked    = 20 // of an element or member that unevaluatedItems or unevaluatedProperties track
	perNumber     = 40 // of reading a number as big.Rat
	perLongNumber = 1000
	perFormatByte = 5
	perHostByte   = 40 // of a host's name or its mail address
)

// budget counts the work of one interaction with one schema.
type budget struct {
	left  int // of maxSchemaWork
	work  *detectors.Work
	depth int // levels of the value
	over  bool
}

// take charges work before it is done and reports whether the limits allow it. When too little is left, all of it is spent,
// so that the charge does not depend on map iteration order.
func (b *budget) take(units int) bool {
	if b.over {
		return false
	}
	b.over = units > b.left
	units = min(units, b.left)
	b.left -= units
	b.over = !b.work.Spend(units) || b.over
	return !b.over
}

// survey counts what the time to compile a schema depends on. Values in enum, const and default count like schemas, because
// a reference can make them one.
type survey struct{ schemas, refs, names, pointers, numbers int }

// walk counts a value whose path has so many bytes.
func (s *survey) walk(v any, path int) {
	switch v := v.(type) {
	case map[string]any:
		s.schemas++
		s.pointers += path
		for key, e := range v {
			switch key {
			case "$id", "id", "$anchor", "$dynamicAnchor":
				s.names++
			case "$ref", "$dynamicRef", "$recursiveRef":
				s.refs++
			}
			s.walk(e, path+3*len(key)+1)
		}
	case []any:
		s.numbers++
		for _, e := range v {
			s.walk(e, path+5)
		}
	case bool:
		s.schemas++
		s.pointers += path
	case json.Number:
		s.numbers++
	}
}

// allows reports whether a schema is within the caps.
func allows(doc any) bool {
	var s survey
	s.walk(doc, 0)
	old := false
	if object, ok := doc.(map[string]any); ok {
		draft, _ := object["$schema"].(string)
		old = strings.Contains(draft, "draft-04") || strings.Contains(draft, "draft-06")
	}
	return s.schemas <= maxSchemas && s.refs <= maxRefs && s.names <= maxNames && s.pointers <= maxPointers && (!old || s.numbers <= maxNumbers)
}

// application charges the application of one schema to values, before its parts are applied. Once the work is spent, it
// fails, so that nothing below it is done.
type application struct {
	budget  *budget
	format  *jsonschema.Format // nil when not asserted
	fixed   int                // of schemas that apply to the value itself, and of names looked up
	element int                // of an element or member
	number  int                // reads of a number
	inner   int                // of a member or element of an element or member
	unique  bool
}

// Validate is the validator of the format that every schema gets.
func (a *application) Validate(v any) error {
	units := a.work(v)
	if !a.budget.take(units + units*a.budget.depth/32) {
		return errSchemaWork
	}
	if a.format == nil {
		return nil
	}
	err := a.format.Validate(v)
	text, ok := v.(string)
	if err == nil && ok && !refined(a.format.Name, text) || err != nil && strings.Contains(err.Error(), `"`) { // Go's parsers quote the value
		return errNotOfFormat
	}
	return err
}

// work is the work of applying the schema to a value of ordinary depth.
func (a *application) work(v any) int {
	units := a.fixed
	switch v := v.(type) {
	case map[string]any:
		units += len(v) * a.element
		for _, member := range v {
			units += a.inner * lengthOf(member)
		}
	case []any:
		units += len(v) * a.element
		for _, element := range v {
			units += a.inner * lengthOf(element)
		}
		if a.unique { // the library compares elements of equal hash, which a producer can choose
			units += len(v) * weight(v) / 16
		}
	case string:
		units += len(v) / 8
		if a.format != nil {
			units += len(v) * perFormatByte
			if name := a.format.Name; strings.HasSuffix(name, "hostname") || strings.HasSuffix(name, "email") {
				units += min(len(v), maxHost) * perHostByte
			}
		}
	case json.Number:
		units += a.number * numberWork(v)
	}
	return units
}

// lengthOf returns the number of members or elements.
func lengthOf(v any) int {
	switch v := v.(type) {
	case map[string]any:
		return len(v)
	case []any:
		return len(v)
	}
	return 0
}

func numberWork(n json.Number) int {
	if len(n) > 20 || strings.ContainsAny(string(n), "eE") {
		return perLongNumber
	}
	return perNumber
}

// weight is the work of comparing a value with another.
func weight(v any) int {
	n := 2
	switch v := v.(type) {
	case map[string]any:
		for key, e := range v {
			n += perName + len(key)/64 + weight(e)
		}
	case []any:
		for _, e := range v {
			n += weight(e)
		}
	case string:
		n += len(v) / 64
	case json.Number:
		n += numberWork(v)
	}
	return n
}

// graph holds the schemas that a compiled schema consists of.
type graph struct {
	all     []*jsonschema.Schema
	chain   map[*jsonschema.Schema]int // the longest chain of schemas for the same value from here, -1 while it is measured
	tracked bool                       // a schema has unevaluatedItems or unevaluatedProperties
}

// limit charges every application of the schema's parts to the budget. It fails for a schema with dynamic references, or
// with a chain of references that is too long or without end.
func limit(root *jsonschema.Schema, b *budget, assertFormat bool) error {
	g := graph{chain: map[*jsonschema.Schema]int{}}
	if !g.collect(root) {
		return errSchemaDynamic
	}
	for _, s := range g.all {
		if g.measure(s) > maxChain {
			return errSchemaChain
		}
	}
	entry := make(map[*jsonschema.Schema]int, len(g.all))
	for _, s := range g.all {
		entry[s] = entryWork(s)
	}
	for _, s := range g.all {
		if s.Bool != nil {
			continue
		}
		a := g.application(s, entry)
		a.budget = b
		name := "any"
		if f := s.Format; f != nil && assertFormat {
			a.format, name = f, f.Name
			if name == "regex" {
				a.format = &jsonschema.Format{Name: name, Validate: pass} // the library's own refuses lookaround
			}
		}
		s.Format = &jsonschema.Format{Name: name, Validate: a.Validate}
	}
	return nil
}

// collect finds all schemas, or a dynamic reference.
func (g *graph) collect(root *jsonschema.Schema) bool {
	seen := map[*jsonschema.Schema]bool{root: true}
	g.all = append(g.all, root)
	for i := 0; i < len(g.all); i++ { // all grows
		s := g.all[i]
		if s.DynamicRef != nil || s.RecursiveRef != nil {
			return false
		}
		g.tracked = g.tracked || s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil
		one, each := parts(s)
		for _, part := range slices.Concat(inPlace(s), one, each) {
			if !seen[part] {
				seen[part] = true
				g.all = append(g.all, part)
			}
		}
	}
	return true
}

// measure returns the length of the longest chain from a schema, above maxChain if it has no end.
func (g *graph) measure(s *jsonschema.Schema) int {
	if n, known := g.chain[s]; known {
		if n < 0 {
			return maxChain + 1
		}
		return n
	}
	g.chain[s] = -1
	n := 0
	for _, next := range inPlace(s) {
		n = max(n, 1+g.measure(next))
	}
	g.chain[s] = n
	return n
}

// entryWork is the work of applying a schema that refuses a value at once.
func entryWork(s *jsonschema.Schema) int {
	n := perApplied
	if s.Const != nil {
		n += weight(*s.Const)
	}
	if s.Enum != nil {
		n += weight(s.Enum.Values)
	}
	return n
}

// application returns the work of a schema with parts of that entry work.
func (g *graph) application(s *jsonschema.Schema, entry map[*jsonschema.Schema]int) *application {
	a := &application{fixed: perName * namesOf(s), element: perElement, unique: s.UniqueItems}
	for _, part := range inPlace(s) {
		a.fixed += entry[part] + g.chain[part]/4
	}
	one, each := parts(s)
	dearest := 0
	for _, part := range one {
		dearest = max(dearest, entry[part])
	}
	a.element += dearest
	for _, part := range each {
		a.element += entry[part]
	}
	// The library lists the members before it applies a schema, and for every schema in place again.
	if g.tracked {
		a.element += perTracked * (1 + len(inPlace(s)))
	}
	if slices.ContainsFunc(one, tracks) {
		a.inner = perTracked
	}
	for _, part := range each {
		if tracks(part) {
			a.inner += perTracked
		}
	}
	for _, bound := range []*big.Rat{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum, s.MultipleOf} {
		if bound != nil {
			a.number++
		}
	}
	if s.Types != nil && strings.Contains(s.Types.String(), "integer") {
		a.number++
	}
	return a
}

// tracks reports whether the library lists the members or elements of the values that s is applied to.
func tracks(s *jsonschema.Schema) bool {
	return s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil
}

// namesOf counts the names that s looks up in an object.
func namesOf(s *jsonschema.Schema) int {
	n := len(s.Required) + len(s.Dependencies) + len(s.DependentRequired)
	for _, names := range s.DependentRequired {
		n += len(names)
	}
	for _, names := range s.Dependencies {
		list, _ := names.([]string)
		n += len(list)
	}
	return n
}

// inPlace returns the schemas that s applies to the value itself.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	out := schemasOf(s.Ref, s.Not, s.If, s.Then, s.Else, s.AllOf, s.AnyOf, s.OneOf)
	out = slices.AppendSeq(out, maps.Values(s.DependentSchemas))
	for _, next := range s.Dependencies {
		out = append(out, schemasOf(next)...)
	}
	return out
}

// parts returns the schemas of which s applies one to an element or member, and those that it may all apply.
func parts(s *jsonschema.Schema) (one, each []*jsonschema.Schema) {
	one = append(one, s.PrefixItems...)
	one = slices.AppendSeq(one, maps.Values(s.Properties))
	each = schemasOf(s.AdditionalProperties, s.UnevaluatedProperties, s.PropertyNames,
		s.AdditionalItems, s.Items2020, s.Contains, s.UnevaluatedItems)
	if list, ok := s.Items.([]*jsonschema.Schema); ok {
		one = append(one, list...)
	} else {
		each = append(each, schemasOf(s.Items)...)
	}
	each = slices.AppendSeq(each, maps.Values(s.PatternProperties))
	return one, each
}

// schemasOf returns the schemas among the values of keywords.
func schemasOf(values ...any) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, v := range values {
		switch v := v.(type) {
		case *jsonschema.Schema:
			if v != nil {
				out = append(out, v)
			}
		case []*jsonschema.Schema:
			out = append(out, v...)
		}
	}
	return out
}
