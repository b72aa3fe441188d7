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
	depth := a.meter.depth
	units := a.base + a.wrappers*(perWrapper+2*depth) + a.scopes*(depth+1)*perScope
	switch v := v.(type) {
	case map[string]any:
		units += a.object + len(v)*(a.member+a.meter.keyWork+depth/perLevel)
	case []any:
		units += a.array + len(v)*(a.element+depth/perLevel)
	case string:
		units += len(v) / perCopied
	}
	a.meter.charge(units)
	if k := a.firstViolation(v); k != nil {
		a.meter.failure()
		return &violation{k}
	}
	return nil
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
	if a.allowed&typeOf(v) != 0 {
		return true
	}
	n, ok := v.(json.Number)
	if !ok || a.allowed&integerType == 0 {
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
