package wire

import (
	"encoding/hex"
	"math"
	"strconv"

	"confab/schemas/json/scan"
)

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
