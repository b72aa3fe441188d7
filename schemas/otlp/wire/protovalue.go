package wire

import "google.golang.org/protobuf/encoding/protowire"

// protoAttributes reads the key-values in a field of a message into the batch's storage.
func (b *Batch) protoAttributes(data []byte, field protowire.Number, keep Keep, from int) bool {
	r := protoReader{data: data}
	for r.next() {
		if !r.is(field, protowire.BytesType) {
			continue
		}
		a, ok := protoKeyValue(r.raw)
		if !ok {
			return false
		}
		if keep(a.Key) {
			if !b.fits(from) {
				return false
			}
			b.attrs = append(b.attrs, a)
		}
	}
	return !r.bad
}

func (b *Batch) protoEvents(e *Entry, keep Keep) bool {
	first := len(b.events)
	r := protoReader{data: e.raw}
	for r.next() {
		if r.is(fieldEvents, protowire.BytesType) && !b.protoEvent(r.raw, keep) {
			return false
		}
	}
	e.Events = b.events[first:len(b.events):len(b.events)]
	return true
}

func (b *Batch) protoEvent(data []byte, keep Keep) bool {
	const name, attributes = 2, 3
	event := Event{}
	r := protoReader{data: data}
	for r.next() {
		if r.is(name, protowire.BytesType) {
			event.Name = r.text()
		}
	}
	if r.bad || !isEvent(event.Name) {
		return !r.bad
	}
	from := len(b.attrs)
	ok := b.protoAttributes(data, attributes, keep, from)
	event.Attributes = b.since(from)
	b.events = append(b.events, event)
	return ok
}

// protoKeyValue reads a key with its value.
func protoKeyValue(data []byte) (a Attribute, ok bool) {
	r := protoReader{data: data}
	ok = true
	for ok && r.next() {
		switch {
		case r.is(fieldFirst, protowire.BytesType):
			a.Key = r.text()
		case r.is(fieldSecond, protowire.BytesType):
			a.Value, ok = protoValue(r.raw)
		}
	}
	return a, ok && !r.bad
}

// protoValue reads which value a message holds; the last one counts.
func protoValue(data []byte) (v Value, ok bool) {
	r := protoReader{data: data}
	for r.next() {
		var kind Kind
		switch {
		case r.is(1, protowire.BytesType):
			kind = String
		case r.is(2, protowire.VarintType):
			kind = Bool
		case r.is(3, protowire.VarintType):
			kind = Int
		case r.is(4, protowire.Fixed64Type):
			kind = Double
		case r.is(5, protowire.BytesType):
			kind = List
		case r.is(6, protowire.BytesType):
			kind = Map
		case r.is(7, protowire.BytesType):
			kind = Bytes
		default:
			continue
		}
		v = Value{Kind: kind, raw: r.raw, bits: r.bits}
	}
	return v, !r.bad
}
