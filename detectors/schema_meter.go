package detectors

import (
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxWork bounds one validation: about 100,000 applications of a schema to a value, or 128 million steps of matching.
	maxWork = 4_000_000

	perSchema  = 40    // work of applying a schema to a value, and of each schema and element below
	perDynamic = 2_000 // of a reference that is resolved while validating
	perMatch   = 32    // instructions × bytes of a match that are one unit

	maxPattern = 4096 // bytes
	maxSteps   = 8192 // instructions of a pattern's program
	perStep    = 8    // of compiling one
)

// overspent ends a validation that took more work than is left. It never leaves guard.
type overspent struct{}

// meter counts the work of one compiled schema, which validates one value at a time.
type meter struct{ left int }

func (m *meter) charge(work int) {
	if m.left -= work; m.left < 0 {
		panic(overspent{}) //nolint:forbidigo // the library takes no context and has no other exit; guard turns it into an error
	}
}

// guard runs what is charged to the meter. Whatever panics on a hostile schema becomes an error.
func (m *meter) guard(run func() error) (err error) {
	defer func() {
		switch recover().(type) {
		case nil:
		case overspent:
			err = errSchemaWork
		default:
			err = errSchemaFailed
		}
	}()
	return run()
}

// vocabulary adds to every schema a keyword that nobody writes, through which its applications are counted.
func (m *meter) vocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "confab:///vocabulary/work",
		Compile: func(_ *jsonschema.CompilerContext, object map[string]any) (jsonschema.SchemaExt, error) {
			below := size(object["allOf"]) + size(object["anyOf"]) + size(object["oneOf"])
			c := counter{meter: m, base: perSchema * (1 + below)}
			if object["$dynamicRef"] != nil || object["$recursiveRef"] != nil {
				c.base += perDynamic
			}
			return c, nil
		},
	}
}

type counter struct {
	meter *meter
	base  int
}

// Validate charges for one application of the schema.
func (c counter) Validate(_ *jsonschema.ValidatorContext, v any) {
	c.meter.charge(c.base + perSchema*size(v))
}

// regexp compiles a pattern of ECMA-262, as JSON Schema has it, for Go's linear-time matcher.
func (m *meter) regexp(pattern string) (jsonschema.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, errSchemaPattern
	}
	translated, err := fromECMA(pattern)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return nil, err
	}
	steps := instructions(parsed)
	if steps > maxSteps {
		return nil, errSchemaPattern
	}
	m.charge(perStep * steps)
	compiled, err := regexp.Compile(translated)
	if err != nil {
		return nil, err
	}
	return &charged{re: compiled, source: pattern, steps: steps, meter: m}, nil
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

// charged is a pattern whose matches are charged to a meter.
type charged struct {
	re     *regexp.Regexp
	source string
	steps  int
	meter  *meter
}

func (c *charged) MatchString(s string) bool {
	c.meter.charge(1 + c.steps*len(s)/perMatch)
	return c.re.MatchString(s)
}

func (c *charged) String() string { return c.source }
