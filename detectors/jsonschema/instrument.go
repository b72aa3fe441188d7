package jsonschema

import (
	"encoding/json"
	"math/big"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// instrument adds the meter to every schema that can be applied. It returns the length of the longest chain of schemas that
// apply to the same value one within another, and whether that is without end.
func (m *workMeter) instrument(first *jsonschema.Schema, assertFormat bool) (chain int, cyclic bool) {
	g := schemaGraph{meter: m, length: map[*jsonschema.Schema]int{}, assertFormat: assertFormat}
	all := append([]*jsonschema.Schema{first}, m.dynamicAnchors...)
	for i := 0; i < len(all); i++ { // all grows
		s := all[i]
		if _, seen := g.length[s]; seen || s == nil {
			continue
		}
		g.length[s] = unmeasured
		all = append(append(all, inPlaceSchemas(s)...), childSchemas(s)...)
		g.tracksEvaluated = g.tracksEvaluated || s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil
	}
	for s := range g.length {
		g.longestChain = max(g.longestChain, g.chainLength(s))
	}
	if g.cyclic {
		g.longestChain = len(g.length)
	}
	for s := range g.length {
		if s.Bool == nil {
			g.measure(s)
		}
	}
	return g.longestChain, g.cyclic
}

// Markers for a schema whose chain length is not known yet.
const (
	unmeasured = -1
	measuring  = -2
)

// schemaGraph holds the schemas that a compiled schema consists of.
type schemaGraph struct {
	meter           *workMeter
	length          map[*jsonschema.Schema]int // of the longest chain of in-place schemas, by schema
	longestChain    int
	cyclic          bool
	tracksEvaluated bool // a schema has unevaluatedItems or unevaluatedProperties
	assertFormat    bool // the keyword format
}

func (g *schemaGraph) chainLength(s *jsonschema.Schema) int {
	if s == nil {
		return 0
	}
	switch n := g.length[s]; n {
	case measuring:
		g.cyclic = true
		return 0
	case unmeasured:
	default:
		return n
	}
	g.length[s] = measuring
	n := 0
	for _, next := range inPlaceSchemas(s) {
		n = max(n, 1+g.chainLength(next))
	}
	for _, next := range g.meter.dynamicAnchors {
		if s.DynamicRef != nil && s.DynamicRef.Anchor == next.DynamicAnchor {
			n = max(n, 1+g.chainLength(next))
		}
	}
	g.cyclic = g.cyclic || s.RecursiveRef != nil && s.RecursiveRef.RecursiveAnchor // its target is any schema in scope
	g.length[s] = n
	return n
}

// inPlaceSchemas returns the schemas that s applies to the value itself.
func inPlaceSchemas(s *jsonschema.Schema) []*jsonschema.Schema {
	var out []*jsonschema.Schema
	for _, next := range []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else} {
		if next != nil {
			out = append(out, next)
		}
	}
	if s.DynamicRef != nil {
		out = append(out, s.DynamicRef.Ref)
	}
	out = append(append(append(out, s.AllOf...), s.AnyOf...), s.OneOf...)
	for _, next := range s.DependentSchemas {
		out = append(out, next)
	}
	for _, next := range s.Dependencies {
		out = append(out, schemasOf(next)...)
	}
	return out
}

// childSchemas returns the schemas that s applies to parts of the value.
func childSchemas(s *jsonschema.Schema) []*jsonschema.Schema {
	out := append([]*jsonschema.Schema{}, s.PrefixItems...)
	for _, next := range s.Properties {
		out = append(out, next)
	}
	return append(append(out, memberSchemas(s)...), elementSchemas(s)...)
}

// memberSchemas returns the schemas that s may apply to any property or its name.
func memberSchemas(s *jsonschema.Schema) []*jsonschema.Schema {
	out := schemasOf(s.AdditionalProperties, s.UnevaluatedProperties, s.PropertyNames)
	for _, next := range s.PatternProperties {
		out = append(out, next)
	}
	return out
}

// elementSchemas returns the schemas that s may apply to any element.
func elementSchemas(s *jsonschema.Schema) []*jsonschema.Schema {
	return schemasOf(s.Items, s.AdditionalItems, s.Items2020, s.Contains, s.UnevaluatedItems)
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

// measure computes the cost of applying s and takes over the keywords whose cost depends on values.
func (g *schemaGraph) measure(s *jsonschema.Schema) {
	a := &schemaApplication{meter: g.meter, base: perSchema + g.longestChain/perLink}
	g.inPlaceWork(a, s)
	a.object = namesWork(s)
	if a.object > 0 {
		a.wrappers++ // the error for missing names
	}
	a.member = perMember
	if len(s.Properties) > 0 || s.AdditionalProperties != nil || len(s.PatternProperties) > 0 {
		a.member += perChild
	}
	for _, next := range memberSchemas(s) {
		a.member += unmetered(next)
	}
	if s.PropertyNames != nil {
		a.member += perNamed
	}
	for _, next := range s.Properties {
		a.object += unmetered(next)
	}
	for _, next := range s.PrefixItems {
		a.array += perChild + unmetered(next)
	}
	for _, next := range elementSchemas(s) {
		a.element += perChild + unmetered(next)
	}
	if g.tracksEvaluated {
		a.member += perTracked
		a.element += perTracked
	}
	a.takeKeywords(s, g.assertFormat)
}

// namesWork returns the work of looking up names in an object.
func namesWork(s *jsonschema.Schema) int {
	n := len(s.Required)
	for _, names := range s.DependentRequired {
		n += 1 + len(names)
	}
	for _, names := range s.Dependencies {
		list, _ := names.([]string)
		n += 1 + len(list)
	}
	return n*perName + len(s.DependentSchemas)*(perName+perChild)
}

// inPlaceWork adds the work of in-place schemas without a meter, of the errors that wrap theirs, and of references.
func (g *schemaGraph) inPlaceWork(a *schemaApplication, s *jsonschema.Schema) {
	next := inPlaceSchemas(s)
	for _, n := range next {
		a.base += unmetered(n)
	}
	for _, wraps := range []bool{s.Ref != nil || s.DynamicRef != nil || s.RecursiveRef != nil, s.Not != nil, s.AllOf != nil, s.AnyOf != nil, s.OneOf != nil} {
		if wraps {
			a.wrappers++
		}
	}
	if s.DynamicRef != nil || s.RecursiveRef != nil {
		a.scopes = g.longestChain + 1
	}
	if g.cyclic && len(next) > 0 {
		a.base += perCycle*g.longestChain + g.longestChain*g.longestChain/10
	}
}

// unmetered returns the work of applying a schema that is true or false, for which the library makes no call.
func unmetered(s *jsonschema.Schema) int {
	switch {
	case s.Bool == nil:
		return 0
	case *s.Bool:
		return perChild
	}
	return perChild + perFailure
}

// takeKeywords moves keywords from the schema to a.
func (a *schemaApplication) takeKeywords(s *jsonschema.Schema, assert bool) {
	a.types, s.Types = s.Types, nil
	if a.types != nil {
		for _, name := range a.types.ToStrings() {
			a.allowed |= 1 << slices.Index(typeNames(), name)
		}
	}
	if s.Const != nil {
		a.constant, s.Const = newValueSet([]any{*s.Const}), nil
	}
	if s.Enum != nil {
		a.enum, s.Enum = newValueSet(s.Enum.Values), nil
	}
	if assert {
		a.format = a.meter.meteredFormat(s.Format)
	}
	s.Format = &jsonschema.Format{Name: "any", Validate: a.enter}
	a.minLength, s.MinLength = s.MinLength, nil
	a.maxLength, s.MaxLength = s.MaxLength, nil
	if a.pattern, s.Pattern = s.Pattern, nil; a.pattern != nil {
		a.patternText = a.pattern.String()
	}
	a.unique, s.UniqueItems = s.UniqueItems, false
	a.takeBounds(s)
	s.Extensions = append(s.Extensions, a)
}

func (a *schemaApplication) takeBounds(s *jsonschema.Schema) {
	take := func(limit **big.Rat, holds func(order int) bool, k func(got, want *big.Rat) jsonschema.ErrorKind) {
		if want := *limit; want != nil {
			a.bounds = append(a.bounds, numericBound{exactOf(want), holds, func(got *big.Rat) jsonschema.ErrorKind { return k(got, want) }})
			*limit = nil
		}
	}
	take(&s.Minimum, func(order int) bool { return order >= 0 }, func(got, want *big.Rat) jsonschema.ErrorKind { return &kind.Minimum{Got: got, Want: want} })
	take(&s.Maximum, func(order int) bool { return order <= 0 }, func(got, want *big.Rat) jsonschema.ErrorKind { return &kind.Maximum{Got: got, Want: want} })
	take(&s.ExclusiveMinimum, func(order int) bool { return order > 0 }, func(got, want *big.Rat) jsonschema.ErrorKind { return &kind.ExclusiveMinimum{Got: got, Want: want} })
	take(&s.ExclusiveMaximum, func(order int) bool { return order < 0 }, func(got, want *big.Rat) jsonschema.ErrorKind { return &kind.ExclusiveMaximum{Got: got, Want: want} })
	if s.MultipleOf != nil {
		d := exactOf(s.MultipleOf)
		a.step, a.stepRat, s.MultipleOf = &d, s.MultipleOf, nil
	}
}

// exactOf converts a number of a schema, which has a finite decimal form.
func exactOf(r *big.Rat) exactNumber {
	digits, _ := r.FloatPrec()
	return newExact(json.Number(r.FloatString(digits)))
}
