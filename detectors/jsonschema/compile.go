package jsonschema

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"confab/detectors"
	"confab/detectors/jsonschema/format"
	"confab/detectors/jsonschema/strictjson"
	"confab/schemas"
)

// Why a schema cannot be used, or a validation did not end. They hold none of the schema's text: it may be an event's.
var (
	errSchemaSize    = errors.New("schema: longer than 64 KiB")
	errSchemaJSON    = errors.New("schema: the schema is not JSON")
	errSchemaPattern = errors.New("schema: a pattern is not supported: ECMA-262 without lookaround and back-references, and not too large")
	errSchemaRef     = errors.New("schema: a reference leads out of the schema: move what it names into $defs")
	errSchemaInvalid = errors.New("schema: the schema is not valid under its draft")
	errSchemaWork    = fmt.Errorf("schema: validating takes too much work: %w", schemas.BudgetSpent)
	errSchemaFailed  = errors.New("schema: the validator failed")
)

// schemaURL is the base of every schema: nothing can be loaded from it.
const schemaURL = "confab:///schema.json"

const (
	maxIdle  = 32     // compiled copies that a contract keeps
	maxChain = 10_000 // levels of the answer × schemas that apply one another in place: the depth of the validator's calls
)

// responseSchema is one schema: what it is made of, or why it cannot be used. Validating takes a compiled copy of its own,
// because a copy counts the work that is done with it; copies are kept for the next time.
type responseSchema struct {
	doc          any
	assertFormat bool // the keyword format
	cost         int  // the part of maxSchemaWork that the schema itself takes; 0 for one of an operation, which is trusted
	err, cause   error

	mu   sync.Mutex
	idle []*compiledSchema
}

// compiledSchema is a schema ready to validate one value at a time.
type compiledSchema struct {
	schema *jsonschema.Schema
	meter  *workMeter
	chain  int
}

// newResponseSchema reads and compiles a schema. A schema that cannot be used is one with an error, so that it is refused once
// and then remembered.
func newResponseSchema(text string, assertFormat bool, m *workMeter) *responseSchema {
	before := m.left
	doc, size, bad := strictjson.Parse(strings.Clone(text)) // the text is the event's, the contract outlives it
	c := &responseSchema{doc: doc, assertFormat: assertFormat}
	var first *compiledSchema
	switch {
	case !m.take(size.Work(text)):
		c.err = errSchemaWork
	case bad != nil:
		c.err, c.cause = errSchemaJSON, bad
	case !m.take(surveySchema(doc).work()):
		c.err = errSchemaWork
	default:
		if first, c.cause = c.compile(m); c.cause != nil {
			c.err = reasonOf(c.cause)
		}
	}
	c.cost = before - m.left
	if c.err != nil {
		c.doc = nil
		return c
	}
	c.idle = append(c.idle, first)
	return c
}

// compile makes a copy whose meter is m from now on.
func (c *responseSchema) compile(m *workMeter) (*compiledSchema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(denyLoader{})
	compiler.UseRegexpEngine(m.compilePattern)
	compiler.RegisterVocabulary(m.vocabulary())
	compiler.AssertVocabs()
	if c.assertFormat {
		compiler.AssertFormat()
		for _, f := range format.All() {
			compiler.RegisterFormat(f)
		}
	}
	if err := compiler.AddResource(schemaURL, c.doc); err != nil {
		return nil, err
	}
	ready := &compiledSchema{meter: m}
	err := m.guard(func() (err error) {
		if ready.schema, err = compiler.Compile(schemaURL); err == nil {
			ready.chain = m.instrument(ready.schema, c.assertFormat)
		}
		return err
	})
	return ready, err
}

// parsedAnswer is an answer that was read.
type parsedAnswer struct {
	value any
	size  strictjson.Size
	text  string // the JSON, which begins at byte base of the answer
	base  int
}

// validate holds a value against the schema and describes how it breaks it: the first violations, and how many there are.
// spent is a meter from which the answer's work was taken.
func (c *responseSchema) validate(answer parsedAnswer, spent *workMeter) (rows []detectors.Evidence, count int, err error) {
	ready, err := c.take()
	if err != nil {
		return nil, 0, err
	}
	m := ready.meter
	m.left, m.work, m.depth, m.keyWork = spent.left, spent.work, answer.size.Depth, answer.size.Key/perHashed
	defer c.give(ready)
	if (answer.size.Depth+1)*(ready.chain+1) > maxChain {
		m.left = 0 // the stack would take it
	}
	err = m.guard(func() error {
		err := ready.schema.Validate(answer.value)
		if broken, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
			rows, count = m.explain(broken, answer)
			return nil
		}
		return err
	})
	return rows, count, err
}

func (c *responseSchema) take() (*compiledSchema, error) {
	c.mu.Lock()
	if n := len(c.idle); n > 0 {
		ready := c.idle[n-1]
		c.idle = c.idle[:n-1]
		c.mu.Unlock()
		return ready, nil
	}
	c.mu.Unlock()
	ready, err := c.compile(new(workMeter).start(new(detectors.Work)))
	if err != nil {
		return nil, reasonOf(err)
	}
	return ready, nil
}

func (c *responseSchema) give(ready *compiledSchema) {
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
		if isBadPattern(broken) { // the draft's own schema looks at patterns first
			return errSchemaPattern
		}
	}
	return errSchemaInvalid
}

// isBadPattern says whether a pattern is among what is wrong with a schema.
func isBadPattern(e *jsonschema.ValidationError) bool {
	f, ok := e.ErrorKind.(*kind.Format)
	return ok && f.Want == "regex" || slices.ContainsFunc(e.Causes, isBadPattern)
}

// schemaCache keep the schemas that travel with events, the least recently used ones leaving first. The key is a digest:
// the schema's text dies with its event.
type schemaCache struct {
	cache *lru.Cache[[sha256.Size]byte, *responseSchema]
}

func newSchemaCache(size int) *schemaCache {
	cache, err := lru.New[[sha256.Size]byte, *responseSchema](size)
	if err != nil { // only for a size below 1, which the options refuse
		cache = nil
	}
	return &schemaCache{cache: cache}
}

// get is the contract of a schema. The meter is charged for it, the same whether it was compiled before or not.
func (c *schemaCache) get(text string, assertFormat bool, m *workMeter) *responseSchema {
	if len(text) > maxEventSchema {
		return &responseSchema{err: errSchemaSize}
	}
	key := sha256.Sum256([]byte(text))
	if c.cache != nil {
		if known, ok := c.cache.Get(key); ok {
			m.take(known.cost)
			return known
		}
	}
	fresh := newResponseSchema(text, assertFormat, m)
	if c.cache != nil && m.work.Ended() == "" { // else it was given up half-way, for reasons that are not the schema's
		c.cache.Add(key, fresh)
	}
	return fresh
}

// denyLoader loads nothing: neither files nor networks can be reached through a $ref.
type denyLoader struct{}

var errExternalRef = errors.New("references out of the schema are refused")

func (denyLoader) Load(string) (any, error) { return nil, errExternalRef }
