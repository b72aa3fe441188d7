package wire

import (
	"cmp"

	"google.golang.org/protobuf/encoding/protowire"

	"confab/internal/recordformat"
	"confab/schemas/json/scan"
)

// protoReader reads the fields of one protobuf message.
type protoReader struct {
	data []byte
	num  protowire.Number
	typ  protowire.Type
	raw  []byte // of a length-delimited field
	bits uint64 // of a number
	bad  bool
}

// next reads a field; false at the end or at a fault.
func (r *protoReader) next() bool {
	if len(r.data) == 0 || r.bad {
		return false
	}
	num, typ, n := protowire.ConsumeTag(r.data)
	if n < 0 {
		r.bad = true
		return false
	}
	r.num, r.typ, r.raw, r.bits = num, typ, nil, 0
	body := r.data[n:]
	switch typ {
	case protowire.BytesType:
		r.raw, n = protowire.ConsumeBytes(body)
	case protowire.VarintType:
		r.bits, n = protowire.ConsumeVarint(body)
	case protowire.Fixed64Type:
		r.bits, n = protowire.ConsumeFixed64(body)
	case protowire.Fixed32Type:
		var v uint32
		v, n = protowire.ConsumeFixed32(body)
		r.bits = uint64(v)
	default:
		n = protowire.ConsumeFieldValue(num, typ, body)
	}
	if n < 0 {
		r.bad = true
		return false
	}
	r.data = body[n:]
	return true
}

// is reports whether the field has that number and type. A known number of another type is an unknown field.
func (r *protoReader) is(num protowire.Number, typ protowire.Type) bool {
	return r.num == num && r.typ == typ
}

func (r *protoReader) text() string { return recordformat.StringView(r.raw) }

// Numbers of fields that several messages share.
const (
	fieldFirst  = 1 // the repeated message of a request, the resource, the scope, a key, a list's values
	fieldSecond = 2 // scopes of a resource, spans of a scope, a value
)

func syntaxError(detail string) *scan.Error {
	return &scan.Error{Reason: scan.ReasonSyntax, Detail: detail}
}

const (
	notProto   = "not protobuf of an OTLP export request, or cut off"
	badEntry   = "not protobuf of a span or log record"
	manyDetail = "write smaller batches: send_batch_max_size of the Collector's batch processor"
)

// ReadProto reads a record in protobuf. The error concerns the whole record; faults within a span are the span's.
func (b *Batch) ReadProto(data []byte, keep Keep) *scan.Error {
	b.Reset()
	r := protoReader{data: data}
	for r.next() {
		if !r.is(fieldFirst, protowire.BytesType) {
			continue
		}
		if err := b.protoResource(r.raw, keep); err != nil {
			return err
		}
	}
	if r.bad {
		return syntaxError(notProto)
	}
	return nil
}

// protoResource reads what one resource sent.
func (b *Batch) protoResource(data []byte, keep Keep) *scan.Error {
	b.Resources = append(b.Resources, Resource{})
	at := len(b.Resources) - 1
	r := protoReader{data: data}
	for r.next() {
		switch {
		case r.is(fieldFirst, protowire.BytesType):
			from := len(b.attrs)
			if !b.protoAttributes(r.raw, fieldFirst, keep, from) {
				return syntaxError(notProto)
			}
			b.Resources[at].raw, b.Resources[at].Attributes = r.raw, b.since(from)
		case r.is(fieldSecond, protowire.BytesType):
			if err := b.protoScope(r.raw, keep); err != nil {
				return err
			}
		}
	}
	if r.bad {
		return syntaxError(notProto)
	}
	return nil
}

// protoScope reads what one instrumentation scope sent.
func (b *Batch) protoScope(data []byte, keep Keep) *scan.Error {
	b.scopes = append(b.scopes, scope{})
	at := len(b.scopes) - 1
	r := protoReader{data: data}
	for r.next() {
		switch {
		case r.is(fieldFirst, protowire.BytesType):
			b.scopes[at].raw = r.raw
		case r.is(fieldSecond, protowire.BytesType):
			if !b.beginEntry(Entry{raw: r.raw}) {
				return &scan.Error{Reason: scan.ReasonTooMany, Detail: manyDetail}
			}
			e := &b.Entries[len(b.Entries)-1]
			e.Log = isLogRecord(r.raw)
			b.scopes[at].logs = e.Log
			b.protoEntry(e, keep)
		}
	}
	if r.bad {
		return syntaxError(notProto)
	}
	return nil
}

// isLogRecord decides by the first field that only one of the two messages can hold. A message without one is a span.
func isLogRecord(data []byte) bool {
	r := protoReader{data: data}
	for r.next() {
		length := r.typ == protowire.BytesType
		switch r.num {
		case 1, 2, 9: // ids of a span are bytes, time and severity of a log record are not; 9 is bytes in both
			if r.num != 9 {
				return !length
			}
		case 6: // attributes of a log record, the kind of a span
			return length
		case 7, 8: // times of a span; dropped attributes and flags of a log record
			return r.typ != protowire.Fixed64Type
		case 11: // the observed time of a log record, events of a span
			return r.typ == protowire.Fixed64Type
		case 12: // the event name of a log record, dropped events of a span
			return length
		default:
		}
	}
	return false
}

// protoEntry reads a span or log record. A fault is kept in the entry.
func (b *Batch) protoEntry(e *Entry, keep Keep) {
	field := fieldOfSpans
	if e.Log {
		field = fieldOfLogs
		e.protoLog()
	} else {
		e.protoSpan()
	}
	if e.Err != nil {
		return
	}
	from := len(b.attrs)
	ok := b.protoAttributes(e.raw, field, keep, from)
	e.Attributes = b.since(from)
	if ok && e.hasEvents {
		ok = b.protoEvents(e, keep)
	}
	switch {
	case ok:
	case b.fits(from):
		e.Err = syntaxError(badEntry)
	default:
		e.Err = tooManyAttributes()
	}
}

func tooManyAttributes() *scan.Error {
	return &scan.Error{Reason: scan.ReasonTooMany, Field: "attributes"}
}

// Numbers of the fields that hold attributes.
const (
	fieldOfSpans protowire.Number = 9
	fieldOfLogs  protowire.Number = 6
	fieldEvents  protowire.Number = 11
)

// protoSpan reads the span but for its attributes and events.
//
//nolint:cyclop // a table of fields as a switch
func (e *Entry) protoSpan() {
	r := protoReader{data: e.raw}
	ok := true
	for ok && r.next() {
		switch length := r.typ == protowire.BytesType; {
		case length && r.num == 1:
			e.setID(e.Trace[:], r.raw)
		case length && r.num == 2:
			e.setID(e.Span[:], r.raw)
		case length && r.num == 4:
			e.setID(e.Parent[:], r.raw)
		case length && r.num == 5:
			e.Name = r.text()
		case r.is(6, protowire.VarintType):
			e.Kind = int32(r.bits)
		case r.is(7, protowire.Fixed64Type):
			e.Start = r.bits
		case r.is(8, protowire.Fixed64Type):
			e.End = r.bits
		case r.is(fieldEvents, protowire.BytesType):
			e.hasEvents = true
		case length && r.num == 15:
			ok = e.protoStatus(r.raw)
		}
	}
	if r.bad || !ok {
		e.Err = syntaxError(badEntry)
	}
}

// protoLog reads the log record but for its attributes.
//
//nolint:cyclop // a table of fields as a switch
func (e *Entry) protoLog() {
	r := protoReader{data: e.raw}
	ok := true
	var observed uint64
	for ok && r.next() {
		switch length := r.typ == protowire.BytesType; {
		case r.is(1, protowire.Fixed64Type):
			e.End = r.bits
		case r.is(11, protowire.Fixed64Type):
			observed = r.bits
		case length && r.num == 5:
			e.Body, ok = protoValue(r.raw)
		case length && r.num == 9:
			e.setID(e.Trace[:], r.raw)
		case length && r.num == 10:
			e.setID(e.Span[:], r.raw)
		case length && r.num == 12:
			e.Name = r.text()
		}
	}
	e.End = cmp.Or(e.End, observed)
	if r.bad || !ok {
		e.Err = syntaxError(badEntry)
	}
}

func (e *Entry) protoStatus(data []byte) bool {
	const code, failed = 3, 2
	r := protoReader{data: data}
	for r.next() {
		if r.is(code, protowire.VarintType) {
			e.Failed = r.bits == failed
		}
	}
	return !r.bad
}

// setID copies an id. An empty one is absent.
func (e *Entry) setID(id, raw []byte) {
	clear(id)
	if len(raw) == len(id) {
		copy(id, raw)
	} else if len(raw) > 0 {
		e.BadIDs = true
	}
}
