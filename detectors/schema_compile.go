package detectors

import (
	"crypto/sha256"
	"errors"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Why a schema cannot be used, or a validation did not end. They hold none of the schema's text: it may be an event's.
var (
	errSchemaSize    = errors.New("schema: longer than 64 KiB")
	errSchemaJSON    = errors.New("schema: the schema is not JSON")
	errSchemaPattern = errors.New("schema: a pattern is not supported: ECMA-262 without lookaround and back-references, and not too large")
	errSchemaRef     = errors.New("schema: a reference leads out of the schema: move what it names into $defs")
	errSchemaInvalid = errors.New("schema: the schema is not valid under its draft")
	errSchemaWork    = errors.New("schema: validating takes too much work")
	errSchemaFailed  = errors.New("schema: the validator failed")
)

// schemaURL is the base of every schema: nothing can be loaded from it.
const schemaURL = "confab:///schema.json"

const (
	maxIdle   = 32      // compiled copies that a contract keeps
	maxMatrix = 4 << 20 // JSON values of the answer × the widest keyword of the schema
	maxChain  = 40_000  // levels of the answer × keywords of the schema that apply another schema in place
)

// contract is one schema: what it is made of, or why it cannot be used. Validating takes a compiled copy of its own,
// because a copy counts the work that is done with it; copies are kept for the next time.
type contract struct {
	doc         any
	assert      bool // the keyword format
	width, hops int
	err, cause  error

	mu   sync.Mutex
	idle []*compiled
}

// compiled is a schema ready to validate one value at a time.
type compiled struct {
	schema *jsonschema.Schema
	meter  *meter
}

// newContract reads and compiles a schema. A schema that cannot be used is one with an error, so that it is refused once
// and then remembered.
func newContract(text string, assertFormat bool) *contract {
	doc, _, bad := parseJSON(strings.Clone(text)) // the text is the event's, the contract outlives it
	if bad != nil {
		return &contract{err: errSchemaJSON, cause: bad}
	}
	c := &contract{doc: doc, assert: assertFormat}
	c.width, c.hops = survey(doc)
	adaptFormats(doc, assertFormat)
	first, err := c.compile()
	if err != nil {
		c.err, c.cause, c.doc = reasonOf(err), err, nil
		return c
	}
	c.idle = append(c.idle, first)
	return c
}

func (c *contract) compile() (*compiled, error) {
	m := &meter{left: maxWork}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(refuseAll{})
	compiler.UseRegexpEngine(m.regexp)
	compiler.RegisterVocabulary(m.vocabulary())
	compiler.AssertVocabs()
	if c.assert {
		compiler.AssertFormat()
		for _, f := range formats() {
			compiler.RegisterFormat(f)
		}
	}
	if err := compiler.AddResource(schemaURL, c.doc); err != nil {
		return nil, err
	}
	var s *jsonschema.Schema
	err := m.guard(func() (err error) {
		s, err = compiler.Compile(schemaURL)
		return err
	})
	return &compiled{schema: s, meter: m}, err
}

// validate holds a value against the schema. The first result tells how it breaks the schema, nil when it does not.
func (c *contract) validate(value any, size jsonSize) (*jsonschema.ValidationError, error) {
	if size.values*c.width > maxMatrix || (size.depth+1)*c.hops > maxChain {
		return nil, errSchemaWork
	}
	ready, err := c.take()
	if err != nil {
		return nil, err
	}
	ready.meter.left = maxWork
	err = ready.meter.guard(func() error { return ready.schema.Validate(value) })
	c.give(ready)
	if broken, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return broken, nil
	}
	return nil, err
}

func (c *contract) take() (*compiled, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		ready := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return ready, nil
	}
	c.mu.Unlock()
	ready, err := c.compile()
	if err != nil {
		return nil, reasonOf(err)
	}
	return ready, nil
}

func (c *contract) give(ready *compiled) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.idle) < maxIdle {
		c.idle = append(c.idle, ready)
	}
}

// reasonOf says in fixed words why a schema did not compile.
func reasonOf(err error) error {
	var load *jsonschema.LoadURLError
	var pattern *jsonschema.InvalidRegexError
	var invalid *jsonschema.SchemaValidationError
	var broken *jsonschema.ValidationError
	switch {
	case errors.Is(err, errSchemaWork), errors.Is(err, errSchemaFailed):
		return err
	case errors.As(err, &load):
		return errSchemaRef
	case errors.As(err, &pattern):
		return errSchemaPattern
	case errors.As(err, &invalid) && errors.As(invalid.Err, &broken):
		bad := errSchemaInvalid
		leaves(broken, func(e *jsonschema.ValidationError) {
			if f, ok := e.ErrorKind.(*kind.Format); ok && f.Want == "regex" {
				bad = errSchemaPattern // the draft's own schema looks at patterns first
			}
		})
		return bad
	}
	return errSchemaInvalid
}

// contracts keep the schemas that travel with events, the least recently used ones leaving first. The key is a digest:
// the schema's text dies with its event.
type contracts struct {
	cache *lru.Cache[[sha256.Size]byte, *contract]
}

func newContracts(size int) *contracts {
	cache, err := lru.New[[sha256.Size]byte, *contract](size)
	if err != nil { // only for a size below 1, which the options refuse
		cache = nil
	}
	return &contracts{cache: cache}
}

func (c *contracts) get(text string, assertFormat bool) *contract {
	if len(text) > maxEventSchema {
		return &contract{err: errSchemaSize}
	}
	key := sha256.Sum256([]byte(text))
	if c.cache == nil {
		return newContract(text, assertFormat)
	}
	if known, ok := c.cache.Get(key); ok {
		return known
	}
	fresh := newContract(text, assertFormat)
	c.cache.Add(key, fresh)
	return fresh
}

// refuseAll loads nothing: neither files nor networks can be reached through a $ref.
type refuseAll struct{}

var errRefused = errors.New("references out of the schema are refused")

func (refuseAll) Load(string) (any, error) { return nil, errRefused }

// survey finds what the work on a schema grows with: the largest list of a keyword that is gone through for each value,
// and how many keywords apply another schema to the same value.
func survey(doc any) (width, hops int) {
	width = 1
	visit(doc, func(object map[string]any) {
		for key, v := range object {
			n := size(v)
			switch key {
			case "allOf", "anyOf", "oneOf", "dependentSchemas", "dependencies":
				width, hops = max(width, n), hops+n
			case "not", "if", "then", "else", "$ref", "$dynamicRef", "$recursiveRef":
				hops++
			case "enum", "required", "patternProperties", "dependentRequired":
				width = max(width, n)
			}
		}
	})
	return width, hops
}

// adaptFormats removes the keyword format where it is not asserted, which drafts before 2019-09 do on their own, and gives
// the format that the library does not let replace another name where it is.
func adaptFormats(doc any, assert bool) {
	visit(doc, func(object map[string]any) {
		switch name, keyword := object["format"].(string); {
		case keyword && !assert:
			delete(object, "format")
		case keyword && name == "regex":
			object["format"] = regexFormat
		}
	})
}

// visit calls f for every object of a schema, but not within values that keywords compare with.
func visit(v any, f func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			visit(e, f)
		}
	case map[string]any:
		f(v)
		for key, e := range v {
			if key != "const" && key != "enum" && key != "default" && key != "examples" {
				visit(e, f)
			}
		}
	}
}

func size(v any) int {
	switch v := v.(type) {
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}
