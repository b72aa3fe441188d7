package jsonschema

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"confab/detectors"
	"confab/detectors/jsonschema/format"
	"confab/detectors/jsonschema/strictjson"
)

// maxSchemaWork limits the work per answer, about 30 ms of one core: parsing and compiling the schema, parsing the answer,
// validating it and describing violations. Compiling counts even when the schema is cached, so that the outcome does not
// depend on earlier events.
const maxSchemaWork = 3_000_000

// Costs in units of about 10 ns. BenchmarkSchemaHostile compares counted time with CPU time for every kind. They were
// calibrated on one core of an AMD EPYC server, garbage collection included, to within a factor of about 2, rather too high
// than too low. "per" in a comment means that so many are one unit.
const (

	// Applying one schema to one value.
	perSchema  = 40 // the validator's state and scope
	perChild   = 12 // of each element or property that a child schema is applied to: its path and state
	perMember  = 3  // of each property without a child schema
	perName    = 7  // of a name looked up in an object, with the memory for a missing one
	perTracked = 20 // of each element that unevaluatedItems or unevaluatedProperties track
	perNamed   = 70 // of each property whose name propertyNames validates
	perFailure = 70 // of an error, about 200 bytes kept to the end; plus two per level of the value
	perWrapper = 35 // of an error that wraps those of in-place schemas or of a reference; plus two per level of the value
	perLevel   = 8  // per levels of the value, of each member: its path is copied
	perCopied  = 6  // per bytes of a string that the library copies
	perLink    = 8  // per schemas applied before to the same value: searched for cycles
	perCycle   = 60 // of each of them when a cycle of references is described, plus a tenth of their square
	perScope   = 4  // of each schema in scope that a dynamic reference searches

	// Values.
	perCompared = 2   // of each value that is compared or hashed
	perUnique   = 16  // of each element of uniqueItems: its place in the index
	perKey      = 4   // of a key looked up in another object
	perHashed   = 64  // per bytes of a string that is compared or hashed
	perNumber   = 8   // of reading a number
	perDigits   = 2   // per digits of it
	perRat      = 130 // of parsing a number as big.Rat
	perRatDigit = 2   // of each digit
	perQuotient = 300 // of dividing two of them
	perRune     = 8   // per bytes of a string whose characters are counted

	// Formats and patterns.
	perFormat     = 12   // of validating a format
	perURIByte    = 1    // of each byte of a URI
	perFormatByte = 3    // of each byte of any other
	perHostByte   = 60   // of each byte of a host name, up to the longest
	perMatched    = 15   // of a match
	perMatch      = 4    // per instructions × bytes of a match
	perLongMatch  = 2    // the same beyond maxBacktrack
	perParsed     = 25   // of each byte of a pattern that is parsed
	perClass      = 5000 // of each \p{...}, about 700 ranges of characters
	perReplacer   = 100  // of making the replacer for lookaround
	perStep       = 12   // of each instruction that is compiled

	// Describing.
	perSorted = 40 // of each additional property
)

const (
	maxPattern = 4096 // bytes
	maxSteps   = 8192 // instructions of a pattern's program

	maxBacktrack = 256 << 10 // instructions × bytes up to which package regexp uses its fast matcher
)

// workExceeded is the panic that ends a validation with too much work. guard recovers it.
type workExceeded struct{}

// workMeter counts the work of one compiled schema.
type workMeter struct {
	left    int             // of maxSchemaWork
	work    *detectors.Work // of the interaction
	depth   int             // levels of the value
	keyWork int             // work of hashing the value's longest key

	dynamicAnchors []*jsonschema.Schema // schemas with $dynamicAnchor, which references resolve while validating
}

// start resets the meter for one interaction.
func (m *workMeter) start(work *detectors.Work) *workMeter {
	m.left, m.work = maxSchemaWork, work
	return m
}

// begin meters the validation of a value of that size, with left of maxSchemaWork.
func (m *workMeter) begin(left int, work *detectors.Work, size strictjson.Size) {
	m.left, m.work, m.depth, m.keyWork = left, work, size.Depth, size.Key/perHashed
}

// take charges work before it is done and reports whether the limits allow it. When too little is left, all of it is spent,
// so that the charge does not depend on map iteration order.
func (m *workMeter) take(units int) bool {
	if units > m.left {
		m.work.Spend(m.left)
		m.left = 0
		return false
	}
	m.left -= units
	return m.work.Spend(units)
}

func (m *workMeter) charge(units int) {
	if !m.take(units) {
		panic(workExceeded{}) //nolint:forbidigo // the library takes no context and has no other exit; guard turns it into an error
	}
}

// guard calls run and turns its panics into errors: exceeded work, or a bug of the validator on a hostile schema.
func (m *workMeter) guard(run func() error) (err error) {
	defer func() {
		switch recover().(type) {
		case nil:
		case workExceeded:
			err = errSchemaWork
		default:
			err = errSchemaFailed
		}
	}()
	return run()
}

// vocabulary defines no keyword; it collects the schemas with dynamic anchors while they are compiled.
func (m *workMeter) vocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "confab:///vocabulary/work",
		Compile: func(ctx *jsonschema.CompilerContext, object map[string]any) (jsonschema.SchemaExt, error) {
			if _, anchor := object["$dynamicAnchor"].(string); anchor {
				m.dynamicAnchors = append(m.dynamicAnchors, ctx.Enqueue(nil))
			}
			return nil, nil
		},
	}
}

// failure charges one validation error.
func (m *workMeter) failure() { m.charge(perFailure + 2*m.depth) }

// compilePattern compiles an ECMA-262 pattern for Go's linear-time matcher.
func (m *workMeter) compilePattern(pattern string) (jsonschema.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, errSchemaPattern
	}
	translated, parsed, err := m.parsePattern(pattern)
	if err != nil {
		return nil, err
	}
	steps := instructions(parsed)
	if steps > maxSteps {
		return nil, errSchemaPattern
	}
	m.charge(perStep*steps + parseWork(translated)) // regexp.Compile parses it again
	compiled, err := regexp.Compile(translated)
	if err != nil {
		return nil, err
	}
	return &meteredPattern{re: compiled, source: pattern, steps: steps, meter: m}, nil
}

// parsePattern translates an ECMA-262 pattern to Go syntax and parses it.
func (m *workMeter) parsePattern(pattern string) (string, *syntax.Regexp, error) {
	m.charge(len(pattern))
	translated, err := format.FromECMA(pattern)
	if err != nil {
		return "", nil, err
	}
	m.charge(parseWork(translated))
	parsed, err := syntax.Parse(translated, syntax.Perl)
	return translated, parsed, err
}

// parseWork returns the work of parsing a Go pattern.
func parseWork(pattern string) int {
	return perParsed*len(pattern) + perClass*(strings.Count(pattern, `\p`)+strings.Count(pattern, `\P`))
}

// instructions estimates the length of a pattern's program, in which repeats are expanded.
func instructions(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return n
}

// meteredPattern charges its matches to a meter.
type meteredPattern struct {
	re     *regexp.Regexp
	source string
	steps  int
	meter  *workMeter
}

func (c *meteredPattern) MatchString(s string) bool {
	work := c.steps * len(s)
	if work > maxBacktrack {
		work *= perMatch / perLongMatch
	}
	c.meter.charge(perMatched + work/perMatch)
	return c.re.MatchString(s)
}

func (c *meteredPattern) String() string { return c.source }
