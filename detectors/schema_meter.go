package detectors

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxWork bounds one validation: about 100,000 applications of a schema to a value, or 128 million steps of matching.
	maxWork = 4_000_000

	perSchema  = 40    // work of applying a schema to a value, and of each schema and element below
	perDynamic = 2_000 // of a reference that is resolved while validating
	perMatch   = 32    // instructions × bytes of a match that are one unit

	maxPattern = 4096 // bytes
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
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	compiled, err := regexp.Compile(translated)
	if err != nil {
		return nil, err
	}
	return &charged{re: compiled, source: pattern, steps: len(program.Inst), meter: m}, nil
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

var errECMA = errors.New("no such escape in ECMA-262")

// ecmaSpace is what \s matches in ECMA-262, within brackets.
const ecmaSpace = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`

// fromECMA rewrites what ECMA-262 and Go spell or mean differently: \uXXXX, \u{X}, \cX, \s, \S, [] and [^]. Escapes that
// only Go knows are errors.
func fromECMA(pattern string) (string, error) {
	if !strings.ContainsAny(pattern, `\[`) {
		return pattern, nil
	}
	var out strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		switch b := pattern[i]; {
		case b == '[' && !class:
			rest := pattern[i:]
			switch {
			case strings.HasPrefix(rest, "[]"):
				out.WriteString(`[^\x{0}-\x{10ffff}]`)
				i++
			case strings.HasPrefix(rest, "[^]"):
				out.WriteString(`[\x{0}-\x{10ffff}]`)
				i += 2
			default:
				class = true
				out.WriteByte(b)
			}
		case b == '[':
			out.WriteString(`\[`) // within a class it is itself, never the opening of [:alpha:]
		case b == ']':
			class = false
			out.WriteByte(b)
		case b == '\\' && i+1 < len(pattern):
			text, used, ok := ecmaEscape(pattern[i:], class)
			if !ok {
				return "", errECMA
			}
			out.WriteString(text)
			i += used - 1
		default:
			out.WriteByte(b)
		}
	}
	return out.String(), nil
}

// ecmaEscape translates the escape that s begins with; used is its length.
func ecmaEscape(s string, class bool) (text string, used int, ok bool) {
	switch b := s[1]; b {
	case 's':
		if class {
			return ecmaSpace, 2, true
		}
		return "[" + ecmaSpace + "]", 2, true
	case 'S':
		if class {
			return `\S`, 2, true // Go's: white space of ASCII only; a negated set cannot stand within a set
		}
		return "[^" + ecmaSpace + "]", 2, true
	case 'u':
		return ecmaUnicode(s)
	case 'c':
		if len(s) < 3 || classOf(s[2]) != 'a' {
			return "", 0, false
		}
		return `\x{` + strconv.FormatInt(int64(s[2]&31), 16) + "}", 3, true
	case '0':
		if len(s) > 2 && classOf(s[2]) == '0' {
			return "", 0, false
		}
		return `\x{0}`, 2, true
	case 'b':
		if class {
			return `\x{8}`, 2, true
		}
		return s[:2], 2, true
	case 'p', 'P':
		return s[:2], 2, len(s) > 2 && s[2] == '{'
	case 'd', 'D', 'w', 'W', 'B', 'f', 'n', 'r', 't', 'v', 'x', 'k':
		return s[:2], 2, true
	default:
		return s[:2], 2, classOf(b) == 0
	}
}

// ecmaUnicode translates \uXXXX, pairs of surrogates among them, and \u{X}.
func ecmaUnicode(s string) (text string, used int, ok bool) {
	if strings.HasPrefix(s, `\u{`) {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return "", 0, false
		}
		_, err := strconv.ParseUint(s[3:end], 16, 21)
		return `\x{` + s[3:end] + "}", end + 1, err == nil
	}
	unit := func(s string) (rune, bool) {
		if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
			return 0, false
		}
		v, err := strconv.ParseUint(s[2:6], 16, 16)
		return rune(v), err == nil
	}
	r, ok := unit(s)
	if !ok {
		return "", 0, false
	}
	used = 6
	if low, pair := unit(s[6:]); pair && utf16.IsSurrogate(r) && utf16.IsSurrogate(low) {
		r, used = utf16.DecodeRune(r, low), 12
	}
	return `\x{` + strconv.FormatInt(int64(r), 16) + "}", used, true
}

// classOf is 'a' for an ASCII letter, '0' for a digit, 0 for anything else.
func classOf(b byte) byte {
	switch {
	case 'a' <= b|0x20 && b|0x20 <= 'z':
		return 'a'
	case '0' <= b && b <= '9':
		return '0'
	}
	return 0
}
