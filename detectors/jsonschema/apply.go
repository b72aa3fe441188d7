package jsonschema

import (
	"encoding/json"
	"errors"
	"hash/maphash"
	"math/big"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// schemaApplication applies one schema to one value, apart from its child schemas. The library calls enter, registered as
// the format of every schema, first, and Validate, registered as an extension, last. Keywords whose cost depends on values
// are validated here instead of by the library, so that their work is charged before it is done.
type schemaApplication struct {
	meter *workMeter

	// Work per application, in addition per object and array, and per member and element.
	base, object, member, array, element int
	wrappers, scopes                     int // errors that wrap those of in-place schemas; schemas that a dynamic reference searches

	types          *jsonschema.Types
	constant, enum *valueSet
	format         *jsonschema.Format
	minLength      *int
	maxLength      *int
	pattern        jsonschema.Regexp
	patternText    string
	bounds         []numericBound
	step           *exactNumber
	stepRat        *big.Rat
	unique         bool
	allowed        jsonType // 0 allows all
}

// numericBound is minimum, maximum, exclusiveMinimum or exclusiveMaximum.
type numericBound struct {
	limit exactNumber
	holds func(order int) bool
	kind  func(got *big.Rat) jsonschema.ErrorKind
}

// violation carries the kind of an error through the library, which reports it as a failed format.
type violation struct{ kind jsonschema.ErrorKind }

func (*violation) Error() string { return "violation" }

// kindOf returns the kind of an error, unwrapping a violation.
func kindOf(e *jsonschema.ValidationError) jsonschema.ErrorKind {
	if f, ok := e.ErrorKind.(*kind.Format); ok {
		if v, ok := errors.AsType[*violation](f.Err); ok {
			return v.kind
		}
	}
	return e.ErrorKind
}

// enter charges the application and validates type, const, enum and format, in the library's order.
func (a *schemaApplication) enter(v any) error {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		n = len(v)
	case []any:
		n = len(v)
	case string:
		n = len(v)
	}
	a.meter.charge(a.entryWork(typeOf(v), n))
	if k := a.firstViolation(v); k != nil {
		a.meter.failure()
		return &violation{k}
	}
	return nil
}

// entryWork returns the work of applying the schema to a value of n members, elements or bytes.
func (a *schemaApplication) entryWork(t jsonType, n int) int {
	depth := a.meter.depth
	units := a.base + a.wrappers*(perWrapper+2*depth) + a.scopes*(depth+1)*perScope
	switch t {
	case objectType:
		units += a.object + n*(a.member+a.meter.keyWork+depth/perLevel)
	case arrayType:
		units += a.array + n*(a.element+depth/perLevel)
	case stringType:
		units += n / perCopied
	default:
	}
	return units
}

// firstViolation returns the first violation of these keywords, nil for none.
func (a *schemaApplication) firstViolation(v any) jsonschema.ErrorKind {
	if a.types != nil && !a.hasType(v) {
		return &kind.Type{Got: typeNames()[bits.TrailingZeros8(uint8(typeOf(v)))], Want: a.types.ToStrings()}
	}
	if a.constant != nil && !a.meter.contains(a.constant, v) {
		return &kind.Const{Got: v, Want: a.constant.want[0]}
	}
	if a.enum != nil && !a.meter.contains(a.enum, v) {
		return &kind.Enum{Got: v, Want: a.enum.want}
	}
	if s, ok := v.(string); ok && a.format != nil {
		if err := a.format.Validate(v); err != nil {
			return &kind.Format{Got: truncateText(s, maxNote), Want: a.format.Name, Err: err}
		}
	}
	return nil
}

func (a *schemaApplication) hasType(v any) bool {
	n, _ := v.(json.Number)
	return a.allows(typeOf(v), n)
}

// allows reports whether the type of a value is allowed; n is the value, of a number.
func (a *schemaApplication) allows(t jsonType, n json.Number) bool {
	if a.allowed&t != 0 {
		return true
	}
	if t != numberType || a.allowed&integerType == 0 {
		return false
	}
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	d := a.meter.number(n)
	return a.meter.isInteger(&d)
}

// jsonType is a bit set of types.
type jsonType uint8

const (
	nullType jsonType = 1 << iota
	booleanType
	numberType
	integerType
	stringType
	arrayType
	objectType
)

// typeNames returns JSON Schema's type names in the order of their bits.
func typeNames() []string {
	return []string{"null", "boolean", "number", "integer", "string", "array", "object"}
}

func typeOf(v any) jsonType {
	switch v.(type) {
	case nil:
		return nullType
	case bool:
		return booleanType
	case json.Number:
		return numberType
	case string:
		return stringType
	case []any:
		return arrayType
	}
	return objectType
}

// Validate validates the keywords for strings, numbers and arrays.
func (a *schemaApplication) Validate(ctx *jsonschema.ValidatorContext, v any) {
	switch v := v.(type) {
	case string:
		a.validateString(ctx, v)
	case json.Number:
		if len(a.bounds) > 0 || a.step != nil {
			a.validateNumber(ctx, v)
		}
	case []any:
		if a.unique {
			if i, j, found := a.meter.duplicate(v, maphash.MakeSeed()); found {
				a.addError(ctx, &kind.UniqueItems{Duplicates: [2]int{i, j}})
			}
		}
	}
}

func (a *schemaApplication) validateString(ctx *jsonschema.ValidatorContext, s string) {
	if a.minLength != nil || a.maxLength != nil {
		a.meter.charge(len(s) / perRune)
		n := utf8.RuneCountInString(s)
		if a.minLength != nil && n < *a.minLength {
			a.addError(ctx, &kind.MinLength{Got: n, Want: *a.minLength})
		}
		if a.maxLength != nil && n > *a.maxLength {
			a.addError(ctx, &kind.MaxLength{Got: n, Want: *a.maxLength})
		}
	}
	if a.pattern != nil && !a.pattern.MatchString(s) {
		a.addError(ctx, &kind.Pattern{Got: truncateText(s, maxNote), Want: a.patternText})
	}
}

func (a *schemaApplication) validateNumber(ctx *jsonschema.ValidatorContext, n json.Number) {
	d := a.meter.number(n)
	for i := range a.bounds {
		b := &a.bounds[i]
		if a.meter.charge(1); !b.holds(a.meter.compare(&d, &b.limit)) {
			a.addError(ctx, b.kind(a.meter.rat(&d)))
		}
	}
	if a.step != nil && !a.meter.isMultiple(&d, a.step) {
		a.addError(ctx, &kind.MultipleOf{Got: a.meter.rat(&d), Want: a.stepRat})
	}
}

func (a *schemaApplication) addError(ctx *jsonschema.ValidatorContext, k jsonschema.ErrorKind) {
	a.meter.failure()
	ctx.AddError(k)
}
