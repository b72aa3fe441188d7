package jsonschema

import (
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"confab/detectors"
	"confab/detectors/jsonschema/format"
)

// maxSchemaWork bounds what one answer's schema costs: reading and compiling the schema, reading the answer, validating it
// and describing what is wrong. It is about 30 ms of one core. A schema's own share counts each time, cached or not, so that
// the outcome does not depend on what was validated before.
const maxSchemaWork = 3_000_000

// What work costs, in units of about 10 ns. BenchmarkSchemaHostile shows counted time beside CPU time for every kind: they
// were calibrated on one core of an AMD EPYC server, garbage collection included, to be within a factor of about 2, and
// higher than the CPU time where in doubt. "per" in a comment means that so many are one unit.
const (

	// Applying one schema to one value.
	perSchema  = 40 // the validator's state and scope
	perChild   = 12 // of each element or property that another schema is applied to: its path and state
	perMember  = 3  // of each property that is only looked at
	perName    = 7  // of a name looked for in an object, and of the memory that it takes where it is missing
	perTracked = 20 // of each element that unevaluatedItems or unevaluatedProperties keep account of
	perNamed   = 70 // of each property whose name propertyNames holds against a schema
	perFailure = 70 // of an error: about 200 bytes that are kept to the end, and reading it; plus two per level of the value
	perWrapper = 35 // of an error that holds those of schemas in place, or of a reference; plus two per level of the value
	perLevel   = 8  // per levels of the value, of each member: its path is copied
	perCopied  = 6  // per bytes of a string that the library copies
	perLink    = 8  // per schemas that were applied before in the same place: looked through for cycles
	perCycle   = 60 // of each of them where a cycle of references is described, plus a tenth of their square
	perScope   = 4  // of each schema in scope that a dynamic reference looks at

	// Values.
	perCompared = 2   // of each value that is compared or hashed
	perUnique   = 16  // of each element of uniqueItems: its place in the index
	perKey      = 4   // of a key looked up in another object
	perHashed   = 64  // per bytes of a string that is compared or hashed
	perNumber   = 8   // of reading a number
	perDigits   = 2   // per digits of it
	perRat      = 130 // of reading a number with all its digits
	perRatDigit = 2   // of each digit
	perQuotient = 300 // of dividing two of them
	perRune     = 8   // per bytes of a string whose characters are counted

	// Formats and patterns.
	perFormat     = 12   // of holding a string against a format
	perURIByte    = 1    // of each byte of a URI
	perFormatByte = 3    // of each byte of any other
	perHostByte   = 60   // of each byte of a host name, up to the longest
	perMatched    = 15   // of a match
	perMatch      = 4    // per instructions × bytes of a match
	perLongMatch  = 2    // per instructions × bytes of one that is beyond maxBacktrack
	perParsed     = 25   // of each byte of a pattern that is parsed
	perClass      = 5000 // of each \p{...}, about 700 ranges of characters
	perReplacer   = 100  // of making the replacer of look-around
	perStep       = 12   // of each instruction that is compiled

	// Describing.
	perSorted = 40 // of each property that is one too many
)

const (
	maxPattern = 4096 // bytes
	maxSteps   = 8192 // instructions of a pattern's program

	maxBacktrack = 256 << 10 // instructions × bytes up to which package regexp uses its fast matcher
)

// workExceeded ends a validation that took more work than is left. It never leaves guard.
type workExceeded struct{}

// workMeter counts the work of one compiled schema, which validates one value at a time.
type workMeter struct {
	left    int             // of maxSchemaWork
	work    *detectors.Work // of the interaction
	depth   int             // levels of the value
	keyWork int             // work that hashing the value's longest key takes

	dynamicAnchors []*jsonschema.Schema // those with a $dynamicAnchor, which references lead to only while validating
}

// start counts anew what one interaction may spend.
func (m *workMeter) start(work *detectors.Work) *workMeter {
	m.left, m.work = maxSchemaWork, work
	return m
}

// take charges work that is about to be done, and reports whether it may be. What is left is spent when that is too little:
// an interaction is charged the same in whatever order a map was gone through.
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

// guard runs what is charged to the meter. Whatever panics on a hostile schema becomes an error.
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

// vocabulary has no keyword: through it the schemas with dynamic anchors are found. With one in use, the library holds a
// schema against the vocabularies of its draft that validate, and not against those for annotations.
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

// failure charges an error that is kept to the end of the validation.
func (m *workMeter) failure() { m.charge(perFailure + 2*m.depth) }

// compilePattern compiles a pattern of ECMA-262, as JSON Schema has it, for Go's linear-time matcher.
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
	m.charge(perStep*steps + parseWork(translated)) // it is parsed again
	compiled, err := regexp.Compile(translated)
	if err != nil {
		return nil, err
	}
	return &meteredPattern{re: compiled, source: pattern, steps: steps, meter: m}, nil
}

// parsePattern reads a pattern of ECMA-262 as one of Go.
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

// parseWork is the work of reading a pattern of Go.
func parseWork(pattern string) int {
	return perParsed*len(pattern) + perClass*(strings.Count(pattern, `\p`)+strings.Count(pattern, `\P`))
}

// instructions is about how long a pattern's program is: repeats are written out.
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

// meteredPattern is a pattern whose matches are charged to a meter.
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
