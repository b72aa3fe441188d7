package jsonschema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patterns compiles the patterns of one schema, which are ECMA-262's, for Go's linear-time matcher, and charges their matches.
type patterns struct {
	budget                *budget
	bytes, classes, steps int
}

// pattern is a compiled pattern.
type pattern struct {
	*regexp.Regexp
	source string
	steps  int
	budget *budget
}

func (p *patterns) compile(source string) (jsonschema.Regexp, error) {
	text, err := translate(source)
	if err != nil {
		return nil, err
	}
	p.bytes += len(text)
	p.classes += strings.Count(text, `\p`) + strings.Count(text, `\P`)
	if p.bytes > maxPatterns || p.classes > maxClasses {
		return nil, errSchemaPattern
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	steps := instructions(parsed)
	if p.steps += steps; p.steps > maxSteps {
		return nil, errSchemaPattern
	}
	compiled, err := regexp.Compile(text)
	return &pattern{compiled, source, steps, p.budget}, err
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

func (p *pattern) String() string { return p.source }

func (p *pattern) MatchString(s string) bool {
	return p.budget.take(15+p.steps*len(s)/2) && p.Regexp.MatchString(s)
}

// The characters that \s and \S match in ECMA-262, as the content of a class. The first ends with a set, so that - after it
// is a literal.
const (
	ecmaSpace    = "\v\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff\\s"
	ecmaNotSpace = "\x00-\x08\x0e-\x1f!-\u009f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\U0010ffff"
)

// ecmaTokens are the brackets and escapes of a pattern.
var ecmaTokens = regexp.MustCompile(`(?s)\[\^?\]|[\[\]]|\\u\{[[:xdigit:]]+\}|(?:\\u[[:xdigit:]]{4})+|\\x[[:xdigit:]]{2}|\\c[A-Za-z]|\\[pP]\{|\\0[0-9]?|\\.`)

// foreign are the tokens that are no escapes of ECMA-262, back-references and unfinished escapes.
var foreign = regexp.MustCompile(`^\\(?:[1-9aceg-mo-quxyzACE-RT-VX-Z]|0[0-9])$`)

// translate writes a pattern of ECMA-262 in Go's syntax. Escapes that only Go has are errors.
func translate(source string) (text string, err error) {
	class := false
	text = ecmaTokens.ReplaceAllStringFunc(source, func(token string) string {
		switch {
		case token == "]":
			class = false
		case class && token[0] == '[': // a literal, never the opening of [:alpha:]
			class = token == "["
			return `\` + token
		case token == "[]":
			return `[^\x{0}-\x{10ffff}]`
		case token == "[^]":
			return `[\x{0}-\x{10ffff}]`
		case token == "[":
			class = true
		default:
			return escape(token, class, &err)
		}
		return token
	})
	return text, err
}

// escape translates an escape.
func escape(token string, class bool, err *error) string {
	switch c := token[1]; {
	case c == 's':
		return set(ecmaSpace, class)
	case c == 'S':
		return set(ecmaNotSpace, class)
	case c == 'b' && class: // a backspace
		return `\x08`
	case token == `\0`:
		return `\x00`
	case c == 'c' && len(token) == 3:
		return fmt.Sprintf(`\x%02x`, token[2]&31)
	case strings.HasPrefix(token, `\u{`):
		return `\x` + token[2:]
	case c == 'u' && len(token) > 2:
		return codeUnits(token)
	case foreign.MatchString(token):
		*err = errors.New(token + " is no escape of ECMA-262, or not supported")
	}
	return token
}

// set writes the content of a class, within one or alone.
func set(content string, class bool) string {
	if class {
		return content
	}
	return "[" + content + "]"
}

// codeUnits translates a run of \uXXXX, which may hold surrogate pairs.
func codeUnits(run string) string {
	var units []uint16
	for _, digits := range strings.Split(run, `\u`)[1:] {
		unit, _ := strconv.ParseUint(digits, 16, 16) // four hexadecimal digits
		units = append(units, uint16(unit))
	}
	var out strings.Builder
	for _, r := range utf16.Decode(units) {
		fmt.Fprintf(&out, `\x{%x}`, r)
	}
	return out.String()
}

// beyondGo are escapes, classes and groups, among them what only ECMA-262 has. The named groups say what becomes of them.
var beyondGo = regexp.MustCompile(`(?s)(?P<empty>\\[1-9][0-9]*|\\k<\w+>)|(?P<set>\\[pP]\{[^}]*\})|\\.|\[(?:\\.|[^\]\\])*\]` +
	`|(?P<look>\(\?<?[=!])|\(\?[[:alpha:]]+:|(?P<alien>\(\?[^<:])`)

// isPattern reports whether a text may be a pattern of ECMA-262. What Go's parser refuses for its size alone passes.
func isPattern(text string) bool {
	plain := beyondGo.ReplaceAllStringFunc(text, func(token string) string {
		groups := beyondGo.FindStringSubmatch(token)
		switch {
		case groups[1] != "":
			return "(?:)"
		case groups[2] != "" || strings.HasPrefix(token, "[") && strings.Contains(token, `\p`): // Go has fewer, and each is long
			return "a"
		case groups[3] != "":
			return "(?:"
		case groups[4] != "": // (?P<, (?#, (?i): other languages
			return "(*" // refused
		}
		return token
	})
	plain, err := translate(plain)
	if err != nil {
		return false
	}
	_, err = syntax.Parse(plain, syntax.Perl)
	var broken *syntax.Error
	return !errors.As(err, &broken) || slices.Contains([]syntax.ErrorCode{
		syntax.ErrInvalidRepeatSize, syntax.ErrInvalidCharRange, syntax.ErrNestingDepth, syntax.ErrLarge, syntax.ErrInvalidNamedCapture,
	}, broken.Code)
}
