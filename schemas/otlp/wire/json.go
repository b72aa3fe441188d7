package wire

import (
	"cmp"
	"encoding/hex"
	"math"
	"strconv"

	"confab/schemas/json/scan"
)

// jsonDepth bounds the nesting of JSON: each level of a structured value takes four or five.
const jsonDepth = 4*maxDepth + 16

// NewScanner returns a scanner for ReadJSON.
func NewScanner() scan.Scanner { return scan.New(jsonDepth) }

// jsonWalk reads a record in JSON.
type jsonWalk struct {
	*scan.Scanner

	b    *Batch
	keep Keep
}

// ReadJSON reads a record in JSON. The error concerns the whole record: JSON that is broken anywhere has no spans. Values of
// a wrong type within a span are the span's fault.
func (b *Batch) ReadJSON(data []byte, s *scan.Scanner, keep Keep) *scan.Error {
	b.Reset()
	b.json = true
	s.Start(data)
	defer s.Release()
	w := jsonWalk{s, b, keep}
	o := w.Object("an object")
	for name, ok := w.Next(&o); ok; name, ok = w.Next(&o) {
		switch name {
		case "resourceSpans", "resource_spans":
			w.each(func() { w.resource(false) })
		case "resourceLogs", "resource_logs":
			w.each(func() { w.resource(true) })
		default:
			w.Skip()
		}
	}
	w.End()
	return w.Err
}

// each calls read for every item of the next list. Other values are skipped.
func (w *jsonWalk) each(read func()) {
	if w.Peek() != '[' {
		w.Skip()
		return
	}
	l := w.List(w.Size(), "")
	for w.More(&l) {
		read()
	}
}

// object reports whether the next value is an object; another one is skipped.
func (w *jsonWalk) object() bool {
	if w.Peek() == '{' {
		return true
	}
	w.Skip()
	return false
}

func (w *jsonWalk) resource(logs bool) {
	if !w.object() {
		return
	}
	b := w.b
	b.Resources = append(b.Resources, Resource{})
	at := len(b.Resources) - 1
	o := w.Object("")
	for name, ok := w.Next(&o); ok; name, ok = w.Next(&o) {
		switch name {
		case "resource":
			raw := w.source()
			from := len(b.attrs)
			w.within(raw, func(inner *jsonWalk) {
				inner.member("attributes", func() { inner.attributes(from) })
			})
			b.Resources[at].raw, b.Resources[at].Attributes = raw, b.since(from)
		case "scopeSpans", "scope_spans", "scopeLogs", "scope_logs":
			w.each(func() { w.scope(logs) })
		default:
			w.Skip()
		}
	}
}

func (w *jsonWalk) scope(logs bool) {
	if !w.object() {
		return
	}
	b := w.b
	b.scopes = append(b.scopes, scope{logs: logs})
	at := len(b.scopes) - 1
	o := w.Object("")
	for name, ok := w.Next(&o); ok; name, ok = w.Next(&o) {
		switch name {
		case "scope":
			b.scopes[at].raw = w.source()
		case "spans", "logRecords", "log_records":
			w.each(func() { w.scopeEntry(logs) })
		default:
			w.Skip()
		}
	}
}

// source skips the next value and returns its text.
func (w *jsonWalk) source() []byte {
	w.Peek()
	start := w.Pos
	if w.Skip(); w.Err != nil {
		return nil
	}
	return w.BytesSince(start)
}

// within calls read with a walk of a part that was found sound, whose faults are those of w.
func (w *jsonWalk) within(raw []byte, read func(inner *jsonWalk)) {
	if w.Err != nil {
		return
	}
	s := w.Inner(raw)
	read(&jsonWalk{&s, w.b, w.keep})
	w.Scratch, w.Err = s.Scratch, s.Err
}

// member calls read at a member of the next object.
func (w *jsonWalk) member(want string, read func()) {
	if w.Peek() != '{' {
		return
	}
	o := w.Object("")
	for name, ok := w.Next(&o); ok; name, ok = w.Next(&o) {
		if name == want {
			read()
		} else {
			w.Skip()
		}
	}
}

// scopeEntry reads the next span or log record. A value of a wrong type in it is its own fault.
func (w *jsonWalk) scopeEntry(logs bool) {
	if w.Peek(); w.Err != nil {
		return
	}
	start, mark := w.Pos, w.Mark()
	if !w.b.beginEntry(Entry{Log: logs}) {
		w.Fault(scan.ReasonTooMany, manyDetail)
		return
	}
	e := &w.b.Entries[len(w.b.Entries)-1]
	w.entry(e)
	if w.Err != nil && isOwnFault(w.Err) {
		e.Err = w.Err
		e.Name, e.Body, e.Attributes, e.Events = "", Value{}, nil, nil
		w.Rewind(mark)
		w.Field = ""
		w.Skip()
	}
	if w.Err == nil {
		e.raw = w.BytesSince(start)
	}
}

// isOwnFault reports whether a fault concerns a value, and not the JSON of the record.
func isOwnFault(err *scan.Error) bool {
	return err.Reason == scan.ReasonWrongType || err.Reason == scan.ReasonOutOfRange || err.Reason == scan.ReasonTooMany && err.Field != ""
}

// entry reads a span or log record.
func (w *jsonWalk) entry(e *Entry) {
	from := len(w.b.attrs)
	events, observed := []byte(nil), uint64(0)
	o := w.Object("a span or log record")
	for name, ok := w.Next(&o); ok; name, ok = w.Next(&o) {
		switch {
		case w.identity(e, name):
		case name == "attributes":
			w.attributes(from)
		case name == "events" && !e.Log:
			events = w.source()
		case name == "body" && e.Log:
			e.Body = w.value()
		case (name == "observedTimeUnixNano" || name == "observed_time_unix_nano") && e.Log:
			observed = w.unsigned("occurred_at")
		default:
			w.Skip()
		}
	}
	e.Attributes = w.b.since(from)
	e.End = cmp.Or(e.End, observed)
	if events != nil {
		w.within(events, func(inner *jsonWalk) { inner.events(e) })
	}
}

// identity reads a member that is a number, an id or a name; false for another one.
func (w *jsonWalk) identity(e *Entry, name string) bool {
	switch name {
	case "traceId", "trace_id":
		w.id(e, e.Trace[:])
	case "spanId", "span_id":
		w.id(e, e.Span[:])
	case "parentSpanId", "parent_span_id":
		w.id(e, e.Parent[:])
	case "name", "eventName", "event_name":
		e.Name = w.OptionalText()
	case "kind":
		e.Kind = w.enum("SPAN_KIND_", []string{"UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"})
	case "status":
		w.member("code", func() { e.Failed = w.enum("STATUS_CODE_", []string{"UNSET", "OK", "ERROR"}) == 2 })
	case "startTimeUnixNano", "start_time_unix_nano":
		e.Start = w.unsigned("occurred_at")
	case "endTimeUnixNano", "end_time_unix_nano", "timeUnixNano", "time_unix_nano":
		e.End = w.unsigned("occurred_at")
	default:
		return false
	}
	return true
}

func (w *jsonWalk) id(e *Entry, id []byte) {
	text := w.OptionalText()
	clear(id)
	if text == "" {
		return
	}
	if len(text) != 2*len(id) {
		e.BadIDs = true
	} else if _, err := hex.Decode(id, []byte(text)); err != nil {
		clear(id)
		e.BadIDs = true
	}
}

// unsigned reads a number, or its digits in a text.
func (w *jsonWalk) unsigned(field string) uint64 {
	text := ""
	switch c := w.Peek(); {
	case c == 'n':
		w.Skip()
		return 0
	case c == '"':
		text = w.Text()
	case c-'0' <= 9:
		text = string(w.source())
	default:
		w.Field = field
		w.WrongType("a whole number")
		return 0
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil && w.Err == nil && text != "" {
		w.Field = field
		w.Fault(scan.ReasonWrongType, "expected a whole number")
	}
	return n
}

// enum reads a number or a name.
func (w *jsonWalk) enum(prefix string, names []string) int32 {
	if w.Peek() != '"' {
		if c := w.Peek(); c-'0' > 9 {
			w.Skip()
			return 0
		}
		return int32(w.Integer(0, math.MaxInt32))
	}
	text := w.Text()
	for i, n := range names {
		if text == prefix+n || text == n {
			return int32(i)
		}
	}
	return 0
}

// attributes reads a list of keys with values.
func (w *jsonWalk) attributes(from int) {
	w.each(func() {
		if a := w.attribute(); a.Key != "" && w.keep(a.Key) {
			if !w.b.fits(from) {
				w.Field = "attributes"
				w.Fault(scan.ReasonTooMany, "")
				return
			}
			w.b.attrs = append(w.b.attrs, a)
		}
	})
}

func (w *jsonWalk) attribute() (a Attribute) {
	if !w.object() {
		return a
	}
	o := w.Object("")
	for name, ok := w.Next(&o); ok; name, ok = w.Next(&o) {
		switch {
		case name == "key" && w.Peek() == '"':
			a.Key = w.Text()
		case name == "value":
			a.Value = w.value()
		default:
			w.Skip()
		}
	}
	return a
}

// value reads which value the next object holds; the last one counts.
func (w *jsonWalk) value() (v Value) {
	if w.Peek() != '{' {
		w.Skip()
		return v
	}
	start := w.Pos
	o := w.Object("")
	for name, ok := w.Next(&o); ok; name, ok = w.Next(&o) {
		kind := kindOf(name)
		if raw := w.source(); kind != Absent {
			v = Value{Kind: kind, raw: raw, json: true}
		}
	}
	if v.Structured() && w.Err == nil {
		v.raw = w.BytesSince(start)
	}
	return v
}

// kindOf is the kind of a value by its member's name.
func kindOf(name string) Kind {
	switch name {
	case "stringValue", "string_value":
		return String
	case "boolValue", "bool_value":
		return Bool
	case "intValue", "int_value":
		return Int
	case "doubleValue", "double_value":
		return Double
	case "arrayValue", "array_value":
		return List
	case "kvlistValue", "kvlist_value":
		return Map
	case "bytesValue", "bytes_value":
		return Bytes
	default:
		return Absent
	}
}

func (w *jsonWalk) events(e *Entry) {
	first := len(w.b.events)
	w.each(func() { w.event() })
	e.Events = w.b.events[first:len(w.b.events):len(w.b.events)]
}

func (w *jsonWalk) event() {
	raw, name := w.source(), ""
	w.within(raw, func(inner *jsonWalk) {
		inner.member("name", func() { name = inner.OptionalText() })
	})
	if !isEvent(name) {
		return
	}
	from := len(w.b.attrs)
	w.within(raw, func(inner *jsonWalk) {
		inner.member("attributes", func() { inner.attributes(from) })
	})
	w.b.events = append(w.b.events, Event{Name: name, Attributes: w.b.since(from)})
}
