package jsonschema

import (
	"encoding/json"
	"hash/maphash"
	"unicode/utf8"

	"confab/detectors/jsonschema/strictjson"
)

// fewElements is the number of elements up to which uniqueItems compares each with each.
const fewElements = 64

// perCopy is the work of copying a value from the tape.
const perCopy = 10

// enter does for a value on the tape what the application's enter does for one of the library.
func (f *fastValidator) enter(a *schemaApplication, at int32) bool {
	v := &f.tape.Values[at]
	t, n := tapeType(v.Kind), int(v.Count)
	if t == stringType {
		n = int(v.End - v.Start)
	}
	if f.cheap += a.entryWork(t, n); f.cheap > f.most {
		f.unsure = true
		return false
	}
	ok := (a.types == nil || a.allows(t, json.Number(f.number(v)))) && (a.constant == nil || f.among(a.constant, at)) &&
		(a.enum == nil || f.among(a.enum, at)) && (a.format == nil || t != stringType || a.format.Validate(f.tape.Text(v)) == nil)
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
func (f *fastValidator) among(set *valueSet, at int32) bool {
	m, v := f.meter, &f.tape.Values[at]
	switch v.Kind {
	case strictjson.String:
		return m.containsText(set, f.tape.Text(v))
	case strictjson.Number:
		return m.containsNumber(set, json.Number(f.tape.Raw(v)))
	default:
		return len(set.others) > 0 && m.contains(set, f.copyOf(at))
	}
}

// copyOf returns the value at an index as the library has it.
func (f *fastValidator) copyOf(at int32) any {
	work := int(f.tape.Values[at].Next-at) * perCopy
	f.meter.charge(work)
	f.copied += work
	return f.tape.Value(at)
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
		if a.unique && !f.fewTexts(at) {
			return f.distinct(at)
		}
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

// distinct reports whether the elements of an array are different.
func (f *fastValidator) distinct(at int32) bool {
	array, _ := f.copyOf(at).([]any)
	_, _, found := f.meter.duplicate(array, maphash.MakeSeed())
	if found {
		f.meter.failure()
	}
	return !found
}

// fewTexts reports whether the elements of an array are few strings, all different.
func (f *fastValidator) fewTexts(at int32) bool {
	array := &f.tape.Values[at]
	if array.Count > fewElements || int(array.Next-at)-1 != int(array.Count) {
		return false
	}
	work := int(array.Count) * perUnique
	for i := at + 1; i < array.Next; i++ {
		v := &f.tape.Values[i]
		if v.Kind != strictjson.String || v.Escaped {
			return false
		}
		work += perCompared + int(v.End-v.Start)/perHashed
		for j := at + 1; j < i; j++ {
			if f.tape.Raw(v) == f.tape.Raw(&f.tape.Values[j]) {
				return false
			}
		}
	}
	f.meter.charge(work)
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
