package jsonschema

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"confab/detectors"
	"confab/schemas"
)

// Errors for a schema that cannot be used or a validation that did not end. They contain no text of the schema, which may
// come with an event.
var (
	errSchemaSize    = errors.New("schema: longer than 64 KiB")
	errSchemaCaps    = errors.New("schema: more than 2,000 subschemas, 300 references or 100 identifiers, or very long paths: split it")
	errSchemaJSON    = errors.New("schema: the schema is not JSON")
	errSchemaPattern = errors.New("schema: a pattern is not supported: use ECMA-262 (\\A, \\z and \\Q are no escapes of it) without lookaround and back-references, and keep it small")
	errSchemaRef     = errors.New("schema: a reference leads out of the schema: move its target into $defs")
	errSchemaDynamic = errors.New("schema: $dynamicRef and $recursiveRef are not supported, and the metaschemas of 2019-09 and 2020-12 hold them: use $ref to a schema in $defs, or to the metaschema of draft 7")
	errSchemaChain   = errors.New("schema: a chain of references has no end, or more than 100 schemas")
	errSchemaInvalid = errors.New("schema: the schema is not valid under its draft")
	errSchemaWork    = fmt.Errorf("schema: validating takes too much work: %w", schemas.BudgetSpent)
	errNotOfFormat   = errors.New("not of this format")
	errSchemaFailed  = errors.New("schema: the validator failed")
)

// schemaURL is the base URL of every schema. Nothing can be loaded from it.
const schemaURL = "confab:///schema.json"

// responseSchema is one compiled schema, or the reason why it cannot be used. It validates one answer at a time, because
// the compiled schema counts its work.
type responseSchema struct {
	cost       int // the part of maxSchemaWork for compiling it
	err, cause error

	mu     sync.Mutex
	schema *jsonschema.Schema
	budget budget
}

// newResponseSchema parses and compiles a schema. A schema that cannot be used has err set, so that it can be cached as well.
func newResponseSchema(text string, assertFormat bool) *responseSchema {
	c := &responseSchema{cost: perSchemaByte * len(text)}
	if len(text) > maxSchema {
		c.cost, c.err, c.cause = 0, errSchemaSize, errSchemaSize
		return c
	}
	doc, bad := parse(strings.Clone(text)) // the schema outlives the event
	switch {
	case bad != nil:
		c.err, c.cause = errSchemaJSON, bad
	case !allows(doc.value):
		c.err, c.cause = errSchemaCaps, errSchemaCaps
	default:
		c.cause = guard(func() error { return c.compile(unwrapped(doc.value), assertFormat) })
		c.err = reasonOf(c.cause)
	}
	return c
}

// unwrapped is the schema within a response format, as requests to models have it. The types of formats are no types of JSON Schema.
func unwrapped(doc any) any {
	format, _ := doc.(map[string]any)
	switch inner, isNested := format["json_schema"].(map[string]any); {
	case isNested && (format["type"] == "json_schema" || len(format) == 1):
		return unwrapped(inner)
	case format["type"] == "json_object":
		return map[string]any{"type": "object"}
	}
	schema, isNested := format["schema"].(map[string]any)
	if _, isNamed := format["name"].(string); isNested && (isNamed || format["type"] == "json_schema") {
		return schema
	}
	return doc
}

func (c *responseSchema) compile(doc any, assertFormat bool) (err error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(denyLoader{})
	compiler.UseRegexpEngine((&patterns{budget: &c.budget}).compile)
	if assertFormat {
		compiler.AssertFormat()
		for _, f := range internationalFormats() {
			compiler.RegisterFormat(f)
		}
	}
	if err := compiler.AddResource(schemaURL, doc); err != nil {
		return err
	}
	if c.schema, err = compiler.Compile(schemaURL); err != nil {
		return err
	}
	return limit(c.schema, &c.budget, assertFormat)
}

// guard turns a panic of the library on a hostile schema into an error.
func guard(run func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errSchemaFailed
		}
	}()
	return run()
}

// parsedAnswer is an answer parsed as JSON, which begins at byte base of the answer.
type parsedAnswer struct {
	parsedJSON
	base int
}

// validate returns evidence of the first violations and the number of all. It charges spent, from which the parsing was
// taken.
func (c *responseSchema) validate(answer parsedAnswer, spent *budget) (rows []detectors.Evidence, count int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.budget = *spent
	c.budget.depth = answer.depth
	err = guard(func() error { return c.schema.Validate(answer.value) })
	over := c.budget.over
	c.budget = budget{}
	if over {
		return nil, 0, errSchemaWork
	}
	if broken, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		rows, count = explain(broken, answer)
		return rows, count, nil
	}
	return nil, 0, err
}

// reasonOf maps a compile error to a fixed error.
func reasonOf(err error) error {
	var load *jsonschema.LoadURLError
	var pattern *jsonschema.InvalidRegexError
	var invalid *jsonschema.SchemaValidationError
	var broken *jsonschema.ValidationError
	switch {
	case err == nil, errors.Is(err, errSchemaFailed), errors.Is(err, errSchemaDynamic), errors.Is(err, errSchemaChain):
		return err
	case errors.As(err, &load):
		return errSchemaRef
	case errors.As(err, &pattern):
		return errSchemaPattern
	case errors.As(err, &invalid) && errors.As(invalid.Err, &broken) && isBadPattern(broken): // the metaschema checks patterns first
		return errSchemaPattern
	}
	return errSchemaInvalid
}

// isBadPattern reports whether an invalid pattern is among the causes.
func isBadPattern(e *jsonschema.ValidationError) bool {
	f, ok := e.ErrorKind.(*kind.Format)
	return ok && f.Want == "regex" || slices.ContainsFunc(e.Causes, isBadPattern)
}

// denyLoader rejects every $ref out of the schema, so that it cannot reach files or the network.
type denyLoader struct{}

var errExternalRef = errors.New("references out of the schema are not allowed")

func (denyLoader) Load(string) (any, error) { return nil, errExternalRef }
