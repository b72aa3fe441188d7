package jsonschema

import (
	"confab/detectors"
	"confab/detectors/jsonschema/strictjson"
)

// maxDear is the work of patterns, formats and numbers up to which an answer is accepted: it is done again if the answer is
// not. About 1.5 ms.
const maxDear = 150_000

// fastValidator validates an answer by a fastSchema. It decides only what the library would decide alike. Its meter charges
// work that takes as long here as with the library; cheap is the other work that the library is charged.
type fastValidator struct {
	schema *fastSchema // nil: only the library validates
	meter  *workMeter
	spare  detectors.Work // charged in place of the interaction's
	tape   *strictjson.Tape

	cheap, most int
	copied      int  // metered work that the library does not do
	unsure      bool // the library has to decide
	boolean     bool // the library would stop at the first violation
}

// accepts reports whether the schema allows the value on the tape, and the work that the library is charged for it, without
// parsing. Of any other value it only knows that the library has to look at it.
func (c *responseSchema) accepts(tape *strictjson.Tape, size strictjson.Size, spent *workMeter) (units int, ok bool) {
	ready, err := c.take()
	if err != nil {
		return 0, false
	}
	defer c.give(ready)
	f := &ready.fast
	if f.schema == nil || (size.Depth+1)*(ready.chain+1) > maxChain {
		return 0, false
	}
	*f = fastValidator{schema: f.schema, meter: f.meter, tape: tape, most: spent.left}
	dear := min(spent.left, maxDear)
	f.meter.begin(dear, &f.spare, size)
	err = f.meter.guard(func() error {
		ok = f.apply(f.schema, 0, true)
		return nil
	})
	units = f.cheap + dear - f.meter.left - f.copied
	return units, ok && err == nil && !f.unsure && units <= spent.left
}

// apply applies a schema to the value at an index of the tape. With only, the first violation ends it.
func (f *fastValidator) apply(n *fastSchema, at int32, only bool) bool {
	if n.always != nil {
		return *n.always
	}
	if !f.enter(n.app, at) {
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
		ok = (n.choices == 0 || f.inPlace(n, at, only)) && ok
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
