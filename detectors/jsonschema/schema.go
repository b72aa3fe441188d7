package jsonschema

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/detectors"
	"confab/detectors/jsonschema/strictjson"
	"confab/schemas"
)

// Reasons of the schema detector, all fixed.
const (
	reasonNoSchema  = "no schema"
	reasonTooLong   = "answer too long to be validated"
	reasonNoAnswer  = "no answer to validate: the model called a tool or was stopped"
	reasonNotJSON   = "the answer is not the JSON that it was asked for"
	reasonTruncated = "the token limit cut the answer off: it is no complete JSON"
	reasonViolation = "the answer breaks the JSON Schema that it was asked to follow"
)

// FormatAssert and FormatAnnotate are the values of Options.Format.
const (
	FormatAssert   = "assert"
	FormatAnnotate = "annotate"
)

const (
	maxEventSchema = 64 << 10 // bytes of a schema that travels with an event
	maxReported    = 3        // violations with evidence
)

// Options set up the schema detector.
type Options struct {
	// Format says whether the keyword of that name is asserted or only an annotation, as the specification has it since
	// draft 2019-09. Asserted by default: whoever writes "format": "date" means it.
	Format string `yaml:"format"`
	// TolerateFence accepts an answer that is wrapped, as a whole, in one Markdown code fence.
	TolerateFence bool `yaml:"tolerate_fence"`
	// CacheSize is how many schemas that travel with events are kept compiled.
	CacheSize int `yaml:"cache_size"`
}

// DefaultOptions assert formats, take no fence for JSON, and keep 256 schemas.
func DefaultOptions() Options {
	return Options{Format: FormatAssert, CacheSize: 256}
}

// schemaDetector asks whether the answer keeps the contract that it was asked for: JSON that follows a JSON Schema of draft
// 2020-12, 7, or whatever else $schema names among 4, 6 and 2019-09; without $schema it is 2020-12.
//
// The event's own response_schema wins over the one that is configured for its operation: it is what the model was given
// for this very call, while a file may be older or newer than the application. Without either the outcome is
// not_checkable. The score is 1 for an answer that is no JSON or breaks the schema, else 0.
//
// JSON is read strictly: text around it, duplicate keys, more than 64 levels and numbers of more than 400 digits or
// decimal places are no JSON here, because some reader downstream would choke on each. References out of the schema are
// refused, whatever they name. A schema that cannot be used makes the outcome error, never a pass: not a schema,
// references elsewhere, patterns in ECMA syntax that linear-time matching cannot express (lookaround, back-references).
// A pair of schema and answer that takes more than maxSchemaWork is skipped: the error is a schemas.NotJudged.
type schemaDetector struct {
	options    Options
	operations map[string]*responseSchema
	events     *schemaCache
}

// New builds the detector over the schemas of operations.
func New(o Options, schemaTexts map[string]string) (detectors.Detector, error) {
	if o.Format != FormatAssert && o.Format != FormatAnnotate {
		return nil, fmt.Errorf("format is %q: set it to %s or %s", o.Format, FormatAssert, FormatAnnotate)
	}
	if o.CacheSize < 1 {
		return nil, fmt.Errorf("cache_size is %d: set it to 1 or more", o.CacheSize)
	}
	s := &schemaDetector{options: o, operations: make(map[string]*responseSchema, len(schemaTexts)), events: newSchemaCache(o.CacheSize)}
	var errs []error
	for operation, text := range schemaTexts {
		c := newResponseSchema(text, o.Format == FormatAssert, &workMeter{left: math.MaxInt, work: new(detectors.Work)})
		c.cost = 0
		if c.err != nil {
			errs = append(errs, fmt.Errorf("JSON Schema of operation %q: %w (%w)", operation, c.err, c.cause))
		}
		s.operations[operation] = c
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return s, errors.Join(errs...)
}

func (*schemaDetector) Name() string { return "schema" }

// Detect measures errors (violations found), truncated (1 when the token limit cut the answer off) and fenced (1 when a
// fence was taken off).
func (s *schemaDetector) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	in := doc.Interaction()
	if in.ResponseSchema == "" && s.operations[in.Operation] == nil {
		return detectors.Finding{NotCheckable: reasonNoSchema}, nil
	}
	m := new(workMeter).start(doc.Work())
	c := s.schemaFor(in, m)
	answer := doc.Answer()
	switch {
	case len(answer) < len(in.Answer):
		return detectors.Finding{NotCheckable: reasonTooLong}, nil
	case answer == "" && expectsNoText(in.FinishReason):
		return detectors.Finding{NotCheckable: reasonNoAnswer}, nil
	case c.err != nil:
		return detectors.Finding{}, c.err
	}
	return s.validateAnswer(doc, c, m)
}

// validateAnswer holds the answer against its schema.
func (s *schemaDetector) validateAnswer(doc *detectors.Document, c *responseSchema, m *workMeter) (detectors.Finding, error) {
	answer := doc.Answer()
	body, base := answer, 0
	if s.options.TolerateFence {
		body, base = stripFence(answer)
	}
	fenced := detectors.Measure{Name: "fenced", Value: 0}
	if len(body) < len(answer) {
		fenced.Value = 1
	}
	value, size, bad := strictjson.Parse(body)
	switch {
	case !m.take(size.Work(body)):
		return detectors.Finding{}, errSchemaWork
	case bad != nil:
		return notJSONFinding(doc, bad, base, fenced), nil
	}
	rows, count, err := c.validate(parsedAnswer{value: value, size: size, text: body, base: base}, m)
	if err != nil {
		return detectors.Finding{}, err
	}
	f := detectors.Finding{Type: schemas.Format}
	if count == 0 {
		f.Measures = doc.Measures(detectors.Measure{Name: "errors", Value: 0}, detectors.Measure{Name: "truncated", Value: 0}, fenced)
		return f, nil
	}
	f.Score, f.Reason = 1, reasonViolation
	f.Measures = doc.Measures(detectors.Measure{Name: "errors", Value: float64(count)}, detectors.Measure{Name: "truncated", Value: 0}, fenced)
	f.Evidence = doc.Evidence(rows...)
	return f, nil
}

// schemaFor is the schema that the answer has to follow. The meter is charged for an event's own.
func (s *schemaDetector) schemaFor(in *schemas.Interaction, m *workMeter) *responseSchema {
	if in.ResponseSchema != "" {
		return s.events.get(in.ResponseSchema, s.options.Format == FormatAssert, m)
	}
	return s.operations[in.Operation]
}

// expectsNoText says whether an empty answer is what such an end leaves: there was none to validate.
func expectsNoText(finishReason string) bool {
	switch finishReason {
	case "tool_calls", "tool_use", "function_call", "content_filter", "refusal":
		return true
	}
	return false
}

// notJSONFinding is the finding on an answer that does not parse.
func notJSONFinding(doc *detectors.Document, bad *strictjson.Error, base int, fenced detectors.Measure) detectors.Finding {
	f := detectors.Finding{Score: 1, Type: schemas.Format, Reason: reasonNotJSON}
	truncated := 0.0
	if reason := doc.Interaction().FinishReason; bad.EndOfText && (reason == "length" || reason == "max_tokens") {
		f.Reason, truncated = reasonTruncated, 1
	}
	f.Measures = doc.Measures(detectors.Measure{Name: "errors", Value: 1}, detectors.Measure{Name: "truncated", Value: truncated}, fenced)
	start, end := excerptAt(doc.Answer(), base+bad.Offset)
	f.Evidence = doc.Evidence(detectors.Evidence{Start: start, End: end, Source: -1, Note: bad.Reason})
	return f
}

// stripFence is the content of a text that is one Markdown code fence as a whole, and where it starts; else the text.
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
