package strictyaml

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// expandScalar returns a scalar's expanded text; ok is false if it has reported a problem.
func (d *Decoder) expandScalar(n *yaml.Node, path string) (text string, ok bool) {
	if d.lookup == nil || n.Tag == textTag || !strings.Contains(n.Value, "$") {
		return n.Value, true
	}
	text, problems := expandVariables(n.Value, d.lookup)
	for _, p := range problems {
		d.fail(n, path, "%s", p)
	}
	return text, len(problems) == 0
}

// scalar sets a value that is written as one scalar.
func (d *Decoder) scalar(n *yaml.Node, v reflect.Value, path string, r Rules) {
	if n.Kind != yaml.ScalarNode {
		hint := ""
		if reason := d.removedReason(path); reason != "" {
			hint = "; " + reason
		}
		d.fail(n, path, "expected %s, got %s%s", Expectation(v.Type(), r), kindOf(n), hint)
		return
	}
	text, ok := d.expandScalar(n, path)
	if !ok {
		return
	}
	target := reflect.New(v.Type()).Elem()
	elem := target
	if elem.Kind() == reflect.Pointer {
		elem.Set(reflect.New(elem.Type().Elem()))
		elem = elem.Elem()
	}
	problem := ""
	if literal := n.Tag != textTag && text == n.Value; literal {
		problem = describeMismatch(n, elem.Type(), r)
	}
	if problem == "" {
		problem = assignText(elem, d.resolvePath(path, text), r, mayBeEmpty(v, path))
	}
	if problem != "" {
		d.fail(n, path, "%s", problem)
		return
	}
	v.Set(target)
}

// describeMismatch returns a problem if the YAML type of a scalar does not fit the setting.
func describeMismatch(n *yaml.Node, t reflect.Type, r Rules) string {
	switch tag := n.ShortTag(); {
	case tag == "!!null":
		return fmt.Sprintf("has no value; give one (%s) or remove the key", Expectation(t, r))
	case !tagFits(tag, t):
		return fmt.Sprintf("expected %s, got %s", Expectation(t, r), kindOf(n)) + percentHint(n.Value, t)
	default:
		return ""
	}
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

// mayBeEmpty reports whether v accepts an empty text, which it does if its default is empty. Elements of lists do not.
func mayBeEmpty(v reflect.Value, path string) bool {
	return v.Kind() == reflect.String && v.String() == "" && !strings.HasSuffix(path, "]")
}

// assignText sets v from text and returns the problem with it, if any.
func assignText(v reflect.Value, text string, r Rules, emptyAllowed bool) (problem string) {
	if err := parseText(text, v); err != nil {
		return err.Error()
	}
	if text == "" && emptyAllowed {
		return ""
	}
	return r.check(v)
}

// tagFits reports whether a YAML scalar of that type may set a value of the Go type. Numbers may be text: a client id of 7.
func tagFits(tag string, t reflect.Type) bool {
	if readsText(t) || IsDuration(t) {
		return tag == "!!str" || tag == "!!int"
	}
	switch t.Kind() {
	case reflect.Bool:
		return tag == "!!bool"
	case reflect.String:
		return tag == "!!str" || tag == "!!int" || tag == "!!float" || tag == "!!timestamp"
	case reflect.Float32, reflect.Float64:
		return tag == "!!int" || tag == "!!float"
	default:
		return tag == "!!int"
	}
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
	case v.CanInt() || v.CanUint() || v.CanFloat():
		err = parseNumber(plain, v)
	default:
		return fmt.Errorf("cannot be configured: unsupported type %s", v.Type())
	}
	if err != nil {
		return fmt.Errorf("expected %s", Expectation(v.Type(), Rules{}))
	}
	return nil
}

func parseNumber(text string, v reflect.Value) error {
	bits := v.Type().Bits()
	switch {
	case v.CanInt():
		i, err := strconv.ParseInt(text, 10, bits)
		v.SetInt(i)
		return err
	case v.CanUint():
		u, err := strconv.ParseUint(text, 10, bits)
		v.SetUint(u)
		return err
	default:
		f, err := strconv.ParseFloat(text, bits)
		if err == nil && (math.IsNaN(f) || math.IsInf(f, 0)) {
			err = strconv.ErrRange
		}
		v.SetFloat(f)
		return err
	}
}

// Expectation describes the values that a setting of the type accepts.
func Expectation(t reflect.Type, r Rules) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case len(r.Enum) > 0:
		return "one of " + strings.Join(r.Enum, ", ")
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
	if v.Kind() == reflect.String && len(r.Enum) > 0 {
		text := v.String()
		if slices.Contains(r.Enum, text) {
			return ""
		}
		problem := fmt.Sprintf("expected %s", Expectation(v.Type(), r))
		if best := nearestWord(text, r.Enum); best != "" {
			problem += fmt.Sprintf("; did you mean %q?", best)
		}
		return problem
	}
	if r.Min != "" && number(v) < number(Bound(v, r.Min)) {
		return "too small: the least is " + r.Min
	}
	if r.Max != "" && number(v) > number(Bound(v, r.Max)) {
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
