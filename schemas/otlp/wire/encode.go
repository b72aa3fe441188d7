package wire

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// AppendEntry appends a record of one span or log record, as it was written, with its resource and scope. Nothing is decoded:
// a faulty span stays as it is.
func (b *Batch) AppendEntry(dst []byte, i int) []byte {
	e := &b.Entries[i]
	resource, scope := b.Resources[e.Resource].raw, b.scopes[e.scope].raw
	if b.json {
		return appendJSONEntry(dst, e, resource, scope)
	}
	size := func(raw []byte) int { return 1 + protowire.SizeBytes(len(raw)) }
	inner, outer := size(e.raw), 0
	if scope != nil {
		inner += size(scope)
	}
	outer = 1 + protowire.SizeBytes(inner)
	if resource != nil {
		outer += size(resource)
	}
	dst = slices.Grow(dst, outer+16)
	field := func(num protowire.Number, raw []byte) {
		dst = protowire.AppendTag(dst, num, protowire.BytesType)
		dst = protowire.AppendBytes(dst, raw)
	}
	dst = protowire.AppendTag(dst, fieldFirst, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(outer))
	if resource != nil {
		field(fieldFirst, resource)
	}
	dst = protowire.AppendTag(dst, fieldSecond, protowire.BytesType)
	dst = protowire.AppendVarint(dst, uint64(inner))
	if scope != nil {
		field(fieldFirst, scope)
	}
	field(fieldSecond, e.raw)
	return dst
}

func appendJSONEntry(dst []byte, e *Entry, resource, scope []byte) []byte {
	names := [3]string{"resourceSpans", "scopeSpans", "spans"}
	if e.Log {
		names = [3]string{"resourceLogs", "scopeLogs", "logRecords"}
	}
	dst = append(dst, `{"`+names[0]+`":[{`...)
	if resource != nil {
		dst = append(append(append(dst, `"resource":`...), resource...), ',')
	}
	dst = append(dst, `"`+names[1]+`":[{`...)
	if scope != nil {
		dst = append(append(append(dst, `"scope":`...), scope...), ',')
	}
	dst = append(dst, `"`+names[2]+`":[`...)
	dst = append(dst, e.raw...)
	return append(dst, `]}]}]}`...)
}
