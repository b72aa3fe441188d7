package jsonschema

import (
	"encoding/json"
	"unicode/utf8"

	"confab/detectors"
	"confab/detectors/jsonschema/strictjson"
)

// fewElements is the number of elements up to which uniqueItems compares each with each.
const fewElements = 64

// maxDear is the work of patterns, formats and numbers up to which an answer is accepted: it is done again if the answer is
// not. About 3 ms.
const maxDear = 300_000

// fastValidator validates an answer by a fastSchema. It decides only what the library would decide alike. Its meter charges
// work that takes as long here as with the library; cheap is the other work that the library is charged.
type fastValidator struct {
	schema *fastSchema // nil: only the library validates
	meter  *workMeter
	spare  detectors.Work // charged in place of the interaction's
	tape   *strictjson.Tape

	cheap, most int
	unsure      bool // the library has to decide
	boolean     bool // the library would stop at the first violation
}

// accepts reports whether the text is JSON that the schema allows, and the work that the library is charged for it. Of any
// other text it only knows that the library has to look at it.
func (c *responseSchema) accepts(tape *strictjson.Tape, text string, spent *workMeter) (units int, ok bool) {
	ready, err := c.take()
	if err != nil {
		return 0, false
	}
	defer c.give(ready)
	f := &ready.fast
	if f.schema == nil {
		return 0, false
	}
	size, scanned := tape.Scan(text)
	defer tape.Release()
	if !scanned || (size.Depth+1)*(ready.chain+1) > maxChain {
		return 0, false
	}
	*f = fastValidator{schema: f.schema, meter: f.meter, tape: tape, cheap: size.Work(text), most: spent.left}
	dear := min(spent.left, maxDear)
	f.meter.begin(dear, &f.spare, size)
	err = f.meter.guard(func() error {
		ok = f.apply(f.schema, 0, true)
		return nil
	})
	units = f.cheap + dear - f.meter.left
	return units, ok && err == nil && !f.unsure && units <= spent.left
}

// apply applies a schema to the value at an index of the tape. With only, the first violation ends it.
func (f *fastValidator) apply(n *fastSchema, at int32, only bool) bool {
	if n.always != nil {
		return *n.always
	}
	v := &f.tape.Values[at]
	if !f.enter(n.app, v) {
		return false
	}
	ok := true
	if n.ref != nil {
		if ok = f.apply(n.ref, at, only); n.refOnly {
			return ok
		}
	}
	ok = f.within(n, at, only) && ok
	if ok || !only {
		ok = f.inPlace(n, at, only) && ok
		ok = f.leave(n.app, at) && ok
	}
	return ok
}

// within applies the schemas of members or elements.
func (f *fastValidator) within(n *fastSchema, at int32, only bool) bool {
	switch f.tape.Values[at].Kind {
	case strictjson.Object:
		return f.object(n, at, only)
	case strictjson.Array:
		return f.array(n, at, only)
	default:
		return true
	}
}

// inPlace applies allOf, anyOf and oneOf. Of a failed alternative the library is charged for every violation.
func (f *fastValidator) inPlace(n *fastSchema, at int32, only bool) bool {
	ok := true
	for _, s := range n.allOf {
		if ok = f.apply(s, at, only) && ok; !ok && only {
			return false
		}
	}
	if len(n.anyOf) > 0 {
		ok = f.anyOf(n.anyOf, at) && ok
	}
	if len(n.oneOf) > 0 {
		ok = f.oneOf(n.oneOf, at) && ok
	}
	return ok
}

// anyOf reports whether one of the schemas allows the value.
func (f *fastValidator) anyOf(of []*fastSchema, at int32) bool {
	for _, s := range of {
		if f.apply(s, at, f.boolean) {
			return true
		}
	}
	return false
}

// oneOf reports whether exactly one of the schemas allows the value.
func (f *fastValidator) oneOf(of []*fastSchema, at int32) bool {
	before, count := f.boolean, 0
	for i := 0; i < len(of) && count < 2; i++ {
		f.boolean = before || count > 0
		if f.apply(of[i], at, f.boolean) {
			count++
		}
	}
	f.boolean = before
	return count == 1
}

func (f *fastValidator) object(n *fastSchema, at int32, only bool) bool {
	count := int(f.tape.Values[at].Count)
	ok := inBounds(count, n.minProperties, n.maxProperties)
	required := 0
	key := at + 1
	for range count {
		name, value := f.tape.Raw(&f.tape.Values[key]), key+1
		member := n.members[name]
		if member.required {
			required++
		}
		if !f.member(n, name, member.schema, value, only) {
			if ok = false; only {
				return false
			}
		}
		key = f.tape.Values[value].Next
	}
	return ok && required == n.required
}

// member applies the schemas of a member to its value; own is nil without one by its name.
func (f *fastValidator) member(n *fastSchema, name string, own *fastSchema, value int32, only bool) bool {
	ok, evaluated := true, own != nil
	if own != nil {
		ok = f.apply(own, value, only)
	}
	for i := range n.patterns {
		if n.patterns[i].names.MatchString(name) {
			evaluated = true
			ok = f.apply(n.patterns[i].schema, value, only) && ok
		}
	}
	switch {
	case evaluated:
	case n.additional != nil:
		ok = f.apply(n.additional, value, only)
	case n.closed:
		ok = false
	}
	return ok
}

func inBounds(n int, low, high *int) bool {
	return (low == nil || n >= *low) && (high == nil || n <= *high)
}

func (f *fastValidator) array(n *fastSchema, at int32, only bool) bool {
	count := int(f.tape.Values[at].Count)
	ok := inBounds(count, n.minItems, n.maxItems)
	item := at + 1
	for i := range count {
		next := n.items
		if i < len(n.prefix) {
			next = n.prefix[i]
		}
		if next == nil {
			break
		}
		if !f.apply(next, item, only) {
			if ok = false; only {
				return false
			}
		}
		item = f.tape.Values[item].Next
	}
	return ok
}

// enter does for a value on the tape what the application's enter does for one of the library.
func (f *fastValidator) enter(a *schemaApplication, v *strictjson.TapeValue) bool {
	t, n := tapeType(v.Kind), int(v.Count)
	if t == stringType {
		n = int(v.End - v.Start)
	}
	if f.cheap += a.entryWork(t, n); f.cheap > f.most {
		f.unsure = true
		return false
	}
	ok := (a.types == nil || a.allows(t, json.Number(f.number(v)))) && (a.constant == nil || f.among(a.constant, v)) &&
		(a.enum == nil || f.among(a.enum, v)) && (a.format == nil || t != stringType || a.format.Validate(f.tape.Text(v)) == nil)
	if !ok {
		f.meter.failure()
	}
	return ok
}

// number returns the text of a number, "" of another value.
func (f *fastValidator) number(v *strictjson.TapeValue) string {
	if v.Kind == strictjson.Number {
		return f.tape.Raw(v)
	}
	return ""
}

// among reports whether a value is in a set.
func (f *fastValidator) among(set *valueSet, v *strictjson.TapeValue) bool {
	m := f.meter
	switch v.Kind {
	case strictjson.String:
		return m.containsText(set, f.tape.Text(v))
	case strictjson.Number:
		return m.containsNumber(set, json.Number(f.tape.Raw(v)))
	case strictjson.Null:
		return m.contains(set, nil)
	case strictjson.True, strictjson.False:
		return m.contains(set, v.Kind == strictjson.True)
	default:
		f.unsure = f.unsure || len(set.others) > 0
		return false
	}
}

// leave validates the keywords for strings, numbers and arrays.
func (f *fastValidator) leave(a *schemaApplication, at int32) bool {
	v := &f.tape.Values[at]
	switch v.Kind {
	case strictjson.String:
		return f.str(a, v)
	case strictjson.Number:
		return len(a.bounds) == 0 && a.step == nil || f.inRange(a, json.Number(f.tape.Raw(v)))
	case strictjson.Array:
		f.unsure = f.unsure || a.unique && !f.distinct(at)
	default:
	}
	return true
}

func (f *fastValidator) str(a *schemaApplication, v *strictjson.TapeValue) bool {
	if a.minLength == nil && a.maxLength == nil && a.pattern == nil {
		return true
	}
	s, violated := f.tape.Text(v), 0
	if a.minLength != nil || a.maxLength != nil {
		f.meter.charge(len(s) / perRune)
		n := utf8.RuneCountInString(s)
		for _, inside := range [...]bool{inBounds(n, a.minLength, nil), inBounds(n, nil, a.maxLength)} {
			if !inside {
				violated++
			}
		}
	}
	if a.pattern != nil && !a.pattern.MatchString(s) {
		violated++
	}
	for range violated {
		f.meter.failure()
	}
	return violated == 0
}

func (f *fastValidator) inRange(a *schemaApplication, n json.Number) bool {
	violated := 0
	d := f.meter.number(n)
	for i := range a.bounds {
		if f.meter.charge(1); !a.bounds[i].holds(f.meter.compare(&d, &a.bounds[i].limit)) {
			violated++
		}
	}
	if a.step != nil && !f.meter.isMultiple(&d, a.step) {
		violated++
	}
	for range violated { // the library describes each
		f.meter.charge(perRat + len(n)*perRatDigit)
		f.meter.failure()
	}
	return violated == 0
}

// distinct reports whether the elements of an array are surely different: few strings.
func (f *fastValidator) distinct(at int32) bool {
	array := &f.tape.Values[at]
	f.meter.charge(int(array.Count) * perUnique)
	if array.Count > fewElements {
		return false
	}
	for i := at + 1; i < array.Next; i++ {
		v := &f.tape.Values[i]
		if v.Kind != strictjson.String || v.Escaped {
			return false
		}
		f.meter.charge(perCompared + int(v.End-v.Start)/perHashed)
		for j := at + 1; j < i; j++ {
			if f.tape.Raw(v) == f.tape.Raw(&f.tape.Values[j]) {
				return false
			}
		}
	}
	return true
}

func tapeType(k strictjson.Kind) jsonType {
	switch k {
	case strictjson.True, strictjson.False:
		return booleanType
	case strictjson.Number:
		return numberType
	case strictjson.String:
		return stringType
	case strictjson.Array:
		return arrayType
	case strictjson.Object:
		return objectType
	default:
		return nullType
	}
}
