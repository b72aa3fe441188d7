package jsonschema

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fastSchema is a schema of common keywords only, which accepts validates without the library. Its work is what the
// library's is charged.
type fastSchema struct {
	always  *bool // of the schemas true and false
	app     *schemaApplication
	ref     *fastSchema
	refOnly bool // $ref excludes other keywords

	members       map[string]fastMember
	required      int // members that are
	patterns      []fastPattern
	additional    *fastSchema
	closed        bool // additional members are not allowed
	minProperties *int
	maxProperties *int

	prefix   []*fastSchema
	items    *fastSchema
	minItems *int
	maxItems *int

	allOf, anyOf, oneOf []*fastSchema
	choices             int // schemas in them
}

// fastMember is what a schema says of a member: its schema, which may be nil, and whether it is required.
type fastMember struct {
	schema   *fastSchema
	required bool
}

// fastPattern is one of patternProperties.
type fastPattern struct {
	names  jsonschema.Regexp
	schema *fastSchema
}

// fastCompiler compiles an instrumented schema. It fails on keywords that only the library validates.
type fastCompiler struct {
	known map[*jsonschema.Schema]*fastSchema
	fails bool
}

// newFastSchema returns nil for a schema that needs the library.
func newFastSchema(s *jsonschema.Schema) *fastSchema {
	c := fastCompiler{known: map[*jsonschema.Schema]*fastSchema{}}
	if n := c.compile(s); !c.fails {
		return n
	}
	return nil
}

func (c *fastCompiler) compile(s *jsonschema.Schema) *fastSchema {
	if s == nil || c.fails {
		return nil
	}
	if n, ok := c.known[s]; ok {
		return n
	}
	n := &fastSchema{always: s.Bool}
	c.known[s] = n
	if s.Bool != nil {
		return n
	}
	var ours bool
	if len(s.Extensions) == 1 {
		n.app, ours = s.Extensions[0].(*schemaApplication)
	}
	if !ours || needsLibrary(s) {
		c.fails = true
		return nil
	}
	n.ref, n.refOnly = c.compile(s.Ref), s.Ref != nil && s.DraftVersion < 2019
	n.minProperties, n.maxProperties, n.minItems, n.maxItems = s.MinProperties, s.MaxProperties, s.MinItems, s.MaxItems
	c.object(n, s)
	c.array(n, s)
	n.allOf, n.anyOf, n.oneOf = c.all(s.AllOf), c.all(s.AnyOf), c.all(s.OneOf)
	n.choices = len(n.allOf) + len(n.anyOf) + len(n.oneOf)
	return n
}

// needsLibrary reports whether a schema has a keyword that this package does not validate itself.
func needsLibrary(s *jsonschema.Schema) bool {
	return s.RecursiveRef != nil || s.DynamicRef != nil || s.Not != nil || s.If != nil || s.PropertyNames != nil ||
		s.Contains != nil || s.AdditionalItems != nil || hasDependencies(s) || hasContent(s) ||
		s.UnevaluatedProperties != nil || s.UnevaluatedItems != nil
}

func hasDependencies(s *jsonschema.Schema) bool {
	return len(s.Dependencies)+len(s.DependentRequired)+len(s.DependentSchemas) > 0
}

func hasContent(s *jsonschema.Schema) bool {
	return s.ContentEncoding != nil || s.ContentMediaType != nil || s.ContentSchema != nil
}

func (c *fastCompiler) object(n *fastSchema, s *jsonschema.Schema) {
	n.members = make(map[string]fastMember, len(s.Properties))
	for name, next := range s.Properties {
		n.members[name] = fastMember{schema: c.compile(next)}
	}
	for _, name := range s.Required {
		n.members[name] = fastMember{schema: n.members[name].schema, required: true}
	}
	for name := range n.members {
		if n.members[name].required {
			n.required++
		}
	}
	for names, next := range s.PatternProperties {
		n.patterns = append(n.patterns, fastPattern{names, c.compile(next)})
	}
	switch additional := s.AdditionalProperties.(type) {
	case nil:
	case bool:
		n.closed = !additional
	case *jsonschema.Schema:
		n.additional = c.compile(additional)
	default:
		c.fails = true
	}
}

func (c *fastCompiler) array(n *fastSchema, s *jsonschema.Schema) {
	if s.DraftVersion >= 2020 {
		n.prefix, n.items = c.all(s.PrefixItems), c.compile(s.Items2020)
		c.fails = c.fails || s.Items != nil
		return
	}
	c.fails = c.fails || len(s.PrefixItems) > 0 || s.Items2020 != nil
	switch items := s.Items.(type) {
	case nil:
	case *jsonschema.Schema:
		n.items = c.compile(items)
	case []*jsonschema.Schema:
		n.prefix = c.all(items)
	default:
		c.fails = true
	}
}

func (c *fastCompiler) all(list []*jsonschema.Schema) []*fastSchema {
	out := make([]*fastSchema, 0, len(list))
	for _, s := range list {
		out = append(out, c.compile(s))
	}
	return slices.Clip(out)
}
