package jsonschema

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"

	"confab/detectors"
	"confab/schemas"
)

const (
	reasonNoSchema  = "no schema"
	reasonTooLong   = "answer too long to be validated"
	reasonNoAnswer  = "no answer to validate: the model called a tool or was stopped"
	reasonNotJSON   = "the answer is not valid JSON"
	reasonTruncated = "the token limit cut the answer off: its JSON is incomplete"
	reasonViolation = "the answer violates its JSON Schema"
)

// The values of Options.Format.
const (
	FormatAssert   = "assert"
	FormatAnnotate = "annotate"
)

const maxReported = 3 // violations with evidence

// Options configure the schema detector.
type Options struct {
	// Format says whether the keyword format is asserted or only an annotation, which is the specification's default since
	// draft 2019-09. The default is to assert it.
	Format string `yaml:"format"`
	// TolerateFence accepts an answer that is one Markdown code fence as a whole.
	TolerateFence bool `yaml:"tolerate_fence"`
}

// DefaultOptions assert formats and do not tolerate a fence.
func DefaultOptions() Options { return Options{Format: FormatAssert} }

// cachedSchemas is the number of schemas from events that are kept compiled.
const cachedSchemas = 256

// schemaDetector validates the answer against a JSON Schema of draft 4, 6, 7, 2019-09 or 2020-12, which is the default
// without $schema.
//
// The event's own response_schema takes precedence over the one configured for its operation: it is what the model was
// given for this call. Without either the outcome is not_checkable. The score is 1 for an answer that is not JSON or
// violates the schema, else 0.
//
// JSON is parsed strictly: text around it, duplicate keys, more than 64 levels and numbers of more than 400 digits or
// decimal places are rejected, because some JSON parsers fail on each. A schema that cannot be used makes the outcome error,
// never clear: an invalid schema, one over the caps of size, references out of it, dynamic references, patterns that RE2
// cannot express (lookaround, back-references). A schema and answer that take more than maxSchemaWork are skipped: the error
// is a schemas.NotJudged.
type schemaDetector struct {
	options    Options
	operations map[string]*responseSchema
	events     *lru.Cache[[sha256.Size]byte, *responseSchema] // by digest, because the text belongs to the event
}

// New returns the detector with the configured schemas by operation.
func New(o Options, schemaTexts map[string]string) (detectors.Detector, error) {
	if o.Format != FormatAssert && o.Format != FormatAnnotate {
		return nil, fmt.Errorf("format is %q: set it to %s or %s", o.Format, FormatAssert, FormatAnnotate)
	}
	events, err := lru.New[[sha256.Size]byte, *responseSchema](cachedSchemas)
	if err != nil {
		return nil, err
	}
	s := &schemaDetector{options: o, operations: make(map[string]*responseSchema, len(schemaTexts)), events: events}
	var errs []error
	for operation, text := range schemaTexts {
		c := newResponseSchema(text, o.Format == FormatAssert)
		c.cost = 0 // trusted
		if c.err != nil {
			errs = append(errs, fmt.Errorf("JSON Schema of operation %q: %w (%w)", operation, c.err, c.cause))
		}
		s.operations[operation] = c
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return s, errors.Join(errs...)
}

// Detect measures errors (violations found), truncated (1 when the token limit cut the answer off) and fenced (1 when a
// fence was removed).
func (s *schemaDetector) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	in := doc.Interaction()
	if in.ResponseSchema == "" && s.operations[in.Operation] == nil {
		return detectors.Finding{NotCheckable: reasonNoSchema}, nil
	}
	b := &budget{left: maxSchemaWork, work: doc.Work()}
	c := s.schemaFor(in)
	answer := doc.RawAnswer()
	switch {
	case len(answer) < len(in.Answer):
		return detectors.Finding{NotCheckable: reasonTooLong}, nil
	case answer == "" && expectsNoText(in.FinishReason):
		return detectors.Finding{NotCheckable: reasonNoAnswer}, nil
	case !b.take(c.cost):
		return detectors.Finding{}, errSchemaWork
	case c.err != nil:
		return detectors.Finding{}, c.err
	}
	return s.validateAnswer(doc, c, b)
}

func (s *schemaDetector) validateAnswer(doc *detectors.Document, c *responseSchema, b *budget) (detectors.Finding, error) {
	answer := doc.RawAnswer()
	body, base := answer, 0
	if s.options.TolerateFence {
		body, base = stripFence(answer)
	}
	fenced := detectors.Measure{Name: "fenced", Value: 0}
	if len(body) < len(answer) {
		fenced.Value = 1
	}
	parsed, bad := parse(body)
	switch {
	case !b.take(parsed.values*perValue + len(body)/perText):
		return detectors.Finding{}, errSchemaWork
	case bad != nil:
		return notJSONFinding(doc, bad, base, fenced), nil
	}
	rows, count, err := c.validate(parsedAnswer{parsed, base}, b)
	if err != nil {
		return detectors.Finding{}, err
	}
	return schemaFinding(doc, rows, count, fenced), nil
}

// schemaFinding returns the finding for an answer that is JSON, with so many violations.
func schemaFinding(doc *detectors.Document, rows []detectors.Evidence, count int, fenced detectors.Measure) detectors.Finding {
	f := detectors.Finding{Type: schemas.Format}
	f.Measures = doc.Measures(detectors.Measure{Name: "errors", Value: float64(count)}, detectors.Measure{Name: "truncated", Value: 0}, fenced)
	if count > 0 {
		f.Score, f.Reason, f.Evidence = 1, reasonViolation, doc.Evidence(rows...)
	}
	return f
}

// schemaFor returns the schema of the interaction.
func (s *schemaDetector) schemaFor(in *schemas.Interaction) *responseSchema {
	if in.ResponseSchema == "" {
		return s.operations[in.Operation]
	}
	key := sha256.Sum256([]byte(in.ResponseSchema))
	known, ok := s.events.Get(key)
	if !ok {
		known = newResponseSchema(in.ResponseSchema, s.options.Format == FormatAssert)
		s.events.Add(key, known)
	}
	return known
}

// expectsNoText reports whether the answer is legitimately empty after this finish reason.
func expectsNoText(finishReason string) bool {
	switch finishReason {
	case "tool_calls", "tool_use", "function_call", "content_filter", "refusal":
		return true
	}
	return false
}

// notJSONFinding returns the finding for an answer that does not parse.
func notJSONFinding(doc *detectors.Document, bad *syntaxError, base int, fenced detectors.Measure) detectors.Finding {
	f := detectors.Finding{Score: 1, Type: schemas.Format, Reason: reasonNotJSON}
	truncated := 0.0
	if reason := doc.Interaction().FinishReason; bad.endOfText && (reason == "length" || reason == "max_tokens") {
		f.Reason, truncated = reasonTruncated, 1
	}
	f.Measures = doc.Measures(detectors.Measure{Name: "errors", Value: 1}, detectors.Measure{Name: "truncated", Value: truncated}, fenced)
	start, end := excerptAt(doc.RawAnswer(), base+bad.offset)
	f.Evidence = doc.Evidence(detectors.Evidence{Start: start, End: end, Source: -1, Note: bad.reason})
	return f
}

// stripFence returns the content of a text that is one Markdown code fence and its offset; any other text unchanged.
func stripFence(text string) (string, int) {
	const fence = "```"
	trimmed := strings.TrimSpace(text)
	inner, opened := strings.CutPrefix(trimmed, fence)
	inner, closed := strings.CutSuffix(inner, fence)
	info, body, lines := strings.Cut(inner, "\n")
	if !opened || !closed || !lines || len(info) > 16 || strings.ContainsAny(info, "`{[\"") {
		return text, 0
	}
	return body, strings.Index(text, fence) + len(fence) + len(info) + 1
}
