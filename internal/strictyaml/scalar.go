package strictyaml

import (
	"encoding"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// scalar sets a value that is written as one scalar.
func (d *Decoder) scalar(n *yaml.Node, v reflect.Value, path string, r Rules) { //nolint:cyclop // one check after the other
	if n.Kind != yaml.ScalarNode {
		d.fail(n, path, "expected %s, got %s", Expectation(v.Type(), r), kindOf(n))
		return
	}
	text, ok := d.expand(n, path)
	if !ok {
		return
	}
	if n.Tag != textTag && text == n.Value && n.ShortTag() == "!!null" {
		d.fail(n, path, "has no value; give one (%s) or remove the key", Expectation(v.Type(), r))
		return
	}
	target := reflect.New(v.Type()).Elem()
	elem := target
	if elem.Kind() == reflect.Pointer {
		elem.Set(reflect.New(elem.Type().Elem()))
		elem = elem.Elem()
	}
	mayBeEmpty := v.Kind() == reflect.String && v.String() == "" && !strings.HasSuffix(path, "]") // as its default
	if err := parseText(d.resolvePath(path, text), elem); err != nil {
		d.fail(n, path, "%s", err)
		return
	}
	if problem := r.check(elem); problem != "" && (text != "" || !mayBeEmpty) {
		d.fail(n, path, "%s", problem)
		return
	}
	v.Set(target)
}

// resolvePath makes the value of a file or directory key relative to the source's directory.
func (d *Decoder) resolvePath(path, text string) string {
	isPath := strings.HasSuffix(path, "_file") || strings.HasSuffix(path, "_dir")
	if !isPath || d.dir == "" || text == "" || filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(d.dir, text)
}

// expand returns a scalar's expanded text; ok is false if it has reported a problem.
func (d *Decoder) expand(n *yaml.Node, path string) (text string, ok bool) {
	if d.lookup == nil || n.Tag == textTag {
		return n.Value, true
	}
	text, problems := expandVariables(n.Value, d.lookup)
	for _, p := range problems {
		d.fail(n, path, "%s", p)
	}
	return text, len(problems) == 0
}

var (
	reference    = regexp.MustCompile(`\$\$|\$\{[^}]*\}?`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// expandVariables replaces ${VAR} and ${VAR:-default} by values of lookup and $$ by a dollar sign. Other dollar signs stay.
// Defaults are not expanded again. Problems contain no values.
func expandVariables(text string, lookup func(string) (string, bool)) (expanded string, problems []string) {
	fail := func(format string, args ...any) string {
		problems = append(problems, fmt.Sprintf(format, args...))
		return ""
	}
	expanded = reference.ReplaceAllStringFunc(text, func(match string) string {
		if match == "$$" {
			return "$"
		}
		inner, closed := strings.CutSuffix(match[2:], "}")
		name, fallback, hasFallback := strings.Cut(inner, ":-")
		value, set := lookup(name)
		switch {
		case !closed:
			return fail("${ without its }: close it, or write $$ for a dollar sign")
		case !variableName.MatchString(name):
			return fail("${...} does not hold the name of an environment variable: write ${NAME} or ${NAME:-default}, and $$ for a dollar sign")
		case strings.Contains(fallback, "${"):
			return fail("the default of ${%s} holds another ${...}, which is not supported", name)
		case hasFallback && value == "":
			return fallback
		case !set:
			return fail("environment variable %s is not set: set it, or write ${%s:-default}", name, name)
		}
		return value
	})
	return expanded, problems
}

// parseText sets v from text. Its errors do not quote the text, which may be a secret.
func parseText(text string, v reflect.Value) error {
	if u, ok := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr()); ok {
		return u.UnmarshalText([]byte(text))
	}
	var err error
	switch plain := strings.TrimSpace(text); {
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Bool:
		if plain != "true" && plain != "false" {
			err = strconv.ErrSyntax
		}
		v.SetBool(plain == "true")
	case IsDuration(v.Type()):
		var d time.Duration
		d, err = time.ParseDuration(plain)
		v.SetInt(int64(d))
	case v.CanInt():
		var i int64
		i, err = strconv.ParseInt(plain, 10, v.Type().Bits())
		v.SetInt(i)
	case v.CanUint():
		var u uint64
		u, err = strconv.ParseUint(plain, 10, v.Type().Bits())
		v.SetUint(u)
	case v.CanFloat():
		err = parseFloat(plain, v)
	default:
		return fmt.Errorf("cannot be configured: unsupported type %s", v.Type())
	}
	if err != nil {
		return fmt.Errorf("expected %s", Expectation(v.Type(), Rules{})+percentHint(text, v.Type()))
	}
	return nil
}

func parseFloat(text string, v reflect.Value) error {
	f, err := strconv.ParseFloat(text, v.Type().Bits())
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return strconv.ErrRange
	}
	v.SetFloat(f)
	return err
}

// percentHint returns what to write instead of a percentage, "" for other values.
func percentHint(value string, t reflect.Type) string {
	share, percent := strings.CutSuffix(value, "%")
	number, err := strconv.ParseFloat(share, 64)
	if !percent || err != nil || t.Kind() != reflect.Float64 {
		return ""
	}
	return "; write " + strconv.FormatFloat(number/100, 'g', 6, 64) + " for " + value
}

// Expectation describes the values that a setting of the type accepts.
func Expectation(t reflect.Type, r Rules) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case len(r.Enum) > 0:
		return "one of " + strings.TrimPrefix(strings.Join(r.Enum, ", "), ", ")
	case IsDuration(t):
		return "a duration with its unit, such as 30s, 500ms or 1h30m"
	case t == reflect.TypeFor[Bytes]():
		return "a size such as 1MiB, 512KiB or 1048576"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Float64 || t.Kind() == reflect.Float32:
		return "a number"
	case t.Kind() == reflect.String:
		return "text"
	default:
		return "a whole number"
	}
}

// check returns the problem of a value under the rules, "" if there is none.
func (r Rules) check(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.String && len(r.Enum) > 0 && !slices.Contains(r.Enum, v.String()):
		problem := "expected " + Expectation(v.Type(), r)
		if best := nearestWord(v.String(), r.Enum); best != "" {
			problem += fmt.Sprintf("; did you mean %q?", best)
		}
		return problem
	case r.Min != "" && number(v) < number(Bound(v, r.Min)):
		return "too small: the least is " + r.Min
	case r.Max != "" && number(v) > number(Bound(v, r.Max)):
		return "too large: the most is " + r.Max
	}
	return ""
}

// number is a number as a float, 0 for other values. Settings are below 2^53.
func number(v reflect.Value) float64 {
	if !v.CanConvert(reflect.TypeFor[float64]()) {
		return 0
	}
	return v.Convert(reflect.TypeFor[float64]()).Float()
}

// Bound parses the limit of a tag as a value of v's type. It returns v if that fails.
func Bound(v reflect.Value, text string) reflect.Value {
	limit := reflect.New(v.Type()).Elem()
	if err := parseText(text, limit); err != nil {
		return v
	}
	return limit
}
