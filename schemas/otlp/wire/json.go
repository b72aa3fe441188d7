package wire

import (
	"cmp"

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
	members, known := 0, false
	o := w.Object("an object")
	for name, ok := w.Next(&o); ok; name, ok = w.Next(&o) {
		members++
		switch name {
		case "resourceSpans", "resource_spans":
			known = true
			w.outer(func() { w.resource(false) })
		case "resourceLogs", "resource_logs":
			known = true
			w.outer(func() { w.resource(true) })
		default:
			w.Skip()
		}
	}
	w.End()
	if w.Err == nil && members > 0 && !known { // an empty object is an empty batch
		w.Fault(scan.ReasonWrongType, "expected resourceSpans or resourceLogs")
	}
	return w.Err
}

// outer calls read for every item of a list around spans; null is an empty one. Another value is the fault of the record: what
// it stands for would be lost.
func (w *jsonWalk) outer(read func()) {
	if w.Peek() == 'n' {
		w.Skip()
		return
	}
	l := w.List(w.Size(), "a list")
	for w.More(&l) {
		read()
	}
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
	b := w.b
	b.Resources = append(b.Resources, Resource{})
	at := len(b.Resources) - 1
	o := w.Object("an object")
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
			w.outer(func() { w.scope(logs) })
		default:
			w.Skip()
		}
	}
}

func (w *jsonWalk) scope(logs bool) {
	b := w.b
	b.scopes = append(b.scopes, scope{logs: logs})
	at := len(b.scopes) - 1
	o := w.Object("an object")
	for name, ok := w.Next(&o); ok; name, ok = w.Next(&o) {
		switch name {
		case "scope":
			b.scopes[at].raw = w.source()
		case "spans", "logRecords", "log_records":
			w.outer(func() { w.scopeEntry(logs) })
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

// isObserved reports the member with the time at which a log record was seen.
func isObserved(name string) bool {
	return name == "observedTimeUnixNano" || name == "observed_time_unix_nano"
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
		case isObserved(name):
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
