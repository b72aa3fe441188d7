package jsonschema

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"confab/detectors"
	"confab/detectors/jsonschema/format"
	"confab/detectors/jsonschema/strictjson"
	"confab/schemas"
)

// Errors for a schema that cannot be used or a validation that did not end. They contain no text of the schema, which may
// come with an event.
var (
	errSchemaSize    = errors.New("schema: longer than 64 KiB")
	errSchemaJSON    = errors.New("schema: the schema is not JSON")
	errSchemaPattern = errors.New("schema: a pattern is not supported: use ECMA-262 without lookaround and back-references, and keep it small")
	errSchemaRef     = errors.New("schema: a reference leads out of the schema: move its target into $defs")
	errSchemaInvalid = errors.New("schema: the schema is not valid under its draft")
	errSchemaWork    = fmt.Errorf("schema: validating takes too much work: %w", schemas.BudgetSpent)
	errSchemaFailed  = errors.New("schema: the validator failed")
)

// schemaURL is the base URL of every schema. Nothing can be loaded from it.
const schemaURL = "confab:///schema.json"

const (
	maxIdle  = 32     // compiled copies that a responseSchema keeps
	maxChain = 10_000 // levels of the answer × longest chain of in-place schemas: the depth of the validator's calls
)

// responseSchema is one parsed schema, or the reason why it cannot be used. Each validation takes a compiled copy for itself,
// because a copy counts the work done with it; idle copies are kept.
type responseSchema struct {
	text         string
	doc          any
	assertFormat bool // the keyword format
	cost         int  // the part of maxSchemaWork for compiling it; 0 for the trusted schema of an operation
	err, cause   error

	mu   sync.Mutex
	idle []*compiledSchema
}

// compiledSchema validates one value at a time.
type compiledSchema struct {
	schema *jsonschema.Schema
	meter  *workMeter
	chain  int
	fast   fastValidator
}

// newResponseSchema parses and compiles a schema. A schema that cannot be used has err set, so that it can be cached as well.
func newResponseSchema(text string, assertFormat bool, m *workMeter) *responseSchema {
	before := m.left
	text = strings.Clone(text) // the schema outlives the event
	doc, size, bad := strictjson.Parse(text)
	c := &responseSchema{text: text, doc: doc, assertFormat: assertFormat}
	var first *compiledSchema
	switch {
	case !m.take(size.Work(text)):
		c.err = errSchemaWork
	case bad != nil:
		c.err, c.cause = errSchemaJSON, bad
	case !m.take(surveySchema(doc).work()):
		c.err = errSchemaWork
	default:
		own := *m // the copy keeps it
		if first, c.cause = c.compile(&own); c.cause != nil {
			c.err = reasonOf(c.cause)
		}
		m.left = own.left
	}
	c.cost = before - m.left
	if c.err != nil {
		c.doc = nil
		return c
	}
	c.idle = append(c.idle, first)
	return c
}

// compile returns a copy that m meters from now on.
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
	ready := &compiledSchema{meter: m, fast: fastValidator{meter: m}}
	err := m.guard(func() (err error) {
		if ready.schema, err = compiler.Compile(schemaURL); err == nil {
			cyclic := false
			if ready.chain, cyclic = m.instrument(ready.schema, c.assertFormat); !cyclic {
				ready.fast.schema = newFastSchema(ready.schema)
			}
		}
		return err
	})
	return ready, err
}

// parsedAnswer is an answer parsed as JSON.
type parsedAnswer struct {
	value any
	size  strictjson.Size
	text  string // the JSON, which begins at byte base of the answer
	base  int
}

// validate returns evidence of the first violations and the number of all. spent is the meter that the answer's parsing was
// charged to.
func (c *responseSchema) validate(answer parsedAnswer, spent *workMeter) (rows []detectors.Evidence, count int, err error) {
	ready, err := c.take()
	if err != nil {
		return nil, 0, err
	}
	m := ready.meter
	m.begin(spent.left, spent.work, answer.size)
	defer c.give(ready)
	if (answer.size.Depth+1)*(ready.chain+1) > maxChain {
		m.left = 0 // the call stack would grow too deep
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

// reasonOf maps a compile error to a fixed error.
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
		if isBadPattern(broken) { // the metaschema checks patterns first
			return errSchemaPattern
		}
	}
	return errSchemaInvalid
}

// isBadPattern reports whether an invalid pattern is among the causes.
func isBadPattern(e *jsonschema.ValidationError) bool {
	f, ok := e.ErrorKind.(*kind.Format)
	return ok && f.Want == "regex" || slices.ContainsFunc(e.Causes, isBadPattern)
}

// schemaCache caches the schemas that come with events and evicts the least recently used. The key is a digest, because the
// text belongs to the event.
type schemaCache struct {
	cache *lru.Cache[[sha256.Size]byte, *responseSchema]
	last  atomic.Pointer[responseSchema] // most events have the schema of the event before
}

func newSchemaCache(size int) *schemaCache {
	cache, err := lru.New[[sha256.Size]byte, *responseSchema](size)
	if err != nil { // only for a size below 1, which New rejects
		cache = nil
	}
	return &schemaCache{cache: cache}
}

// get returns the schema of the text. The meter is charged the same whether it was cached or not.
func (c *schemaCache) get(text string, assertFormat bool, m *workMeter) *responseSchema {
	if len(text) > maxEventSchema {
		return &responseSchema{err: errSchemaSize}
	}
	if last := c.last.Load(); last != nil && last.text == text {
		m.take(last.cost)
		return last
	}
	key := sha256.Sum256([]byte(text))
	if c.cache != nil {
		if known, ok := c.cache.Get(key); ok {
			m.take(known.cost)
			c.last.Store(known)
			return known
		}
	}
	fresh := newResponseSchema(text, assertFormat, m)
	if c.cache != nil && m.work.Ended() == "" { // otherwise compiling was interrupted
		c.cache.Add(key, fresh)
	}
	return fresh
}

// denyLoader rejects every $ref out of the schema, so that it cannot reach files or the network.
type denyLoader struct{}

var errExternalRef = errors.New("references out of the schema are not allowed")

func (denyLoader) Load(string) (any, error) { return nil, errExternalRef }
