package otlp

import (
	"cmp"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"confab/schemas/json/scan"
)

// Split returns the records that an export request in protobuf becomes: the request as it is, or parts that fit, which keep
// the spans of a trace together as far as they fit. Spans that do not fit alone are left out and counted. The error, a
// *scan.Error, is about the whole request; what is wrong within a span shows when its record is decoded.
func Split(request []byte, fits func(record []byte) bool) (records [][]byte, left int, err error) {
	s := splitter{fits: fits, work: 32*len(request) + 1<<20}
	if bad := s.read(request); bad != nil {
		return nil, 0, bad
	}
	switch {
	case len(s.parts) == 0:
		return nil, 0, nil
	case fits(request):
		return [][]byte{request}, 0, nil
	}
	// Parts of one trace come next to each other.
	slices.SortStableFunc(s.parts, func(a, b part) int { return cmp.Compare(a.group, b.group) })
	if s.split(s.parts); s.work < 0 {
		return nil, 0, &scan.Error{Reason: scan.ReasonTooLarge, Detail: manyDetail}
	}
	return s.records, s.left, nil
}

// splitter splits one export request.
type splitter struct {
	fits    func([]byte) bool
	parts   []part
	records [][]byte
	left    int
	work    int // bytes that may still be built, those of records eight times: a large resource is repeated in each
}

// part is a span or log record of a request.
type part struct {
	at, group       int     // in the request; of the first part of its trace
	resource, scope *[]byte // without what they hold
	raw             []byte
}

// read reads the outline of a request. The spans are not decoded.
func (s *splitter) read(request []byte) *scan.Error {
	var b batch
	traces := map[string]int{}
	return b.each(request, 1, func(resource []byte) *scan.Error {
		outer := header(resource)
		return b.each(resource, 2, func(scope []byte) *scan.Error {
			inner := header(scope)
			return b.each(scope, 2, func(raw []byte) *scan.Error {
				p := part{len(s.parts), len(s.parts), &outer, &inner, raw}
				traceID := protowire.Number(1)
				if isLogRecord(raw) {
					traceID = 9
				}
				if id := string(last(raw, traceID)); id != "" {
					if first, known := traces[id]; known {
						p.group = first
					}
					traces[id] = p.group
				}
				if s.parts = append(s.parts, p); len(s.parts) > maxEntries {
					return tooMany()
				}
				return nil
			})
		})
	})
}

// header is a message without its second field, which holds others. A broken one is empty: each reports it.
func header(raw []byte) (out []byte) {
	for len(raw) > 0 {
		num, _, n := protowire.ConsumeField(raw)
		if n < 0 {
			return nil
		}
		if num != 2 {
			out = append(out, raw[:n]...)
		}
		raw = raw[n:]
	}
	return out
}

// split adds a record of the parts, or of their halves if it does not fit.
func (s *splitter) split(parts []part) {
	record := join(parts)
	if s.work -= len(record); s.work < 0 {
		return
	}
	switch {
	case s.fits(record):
		s.records = append(s.records, record)
		s.work -= 7 * len(record)
	case len(parts) == 1:
		s.left++
	default:
		at := half(parts)
		s.split(parts[:at])
		s.split(parts[at:])
	}
}

// half is the beginning of a trace that is nearest to the middle; the middle if all parts are of one trace.
func half(parts []part) int {
	middle := len(parts) / 2
	for d := range middle + 1 {
		for _, at := range [2]int{middle - d, middle + d} {
			if at > 0 && at < len(parts) && parts[at-1].group != parts[at].group {
				return at
			}
		}
	}
	return middle
}

// join is a request of the parts in their old order.
func join(parts []part) (record []byte) {
	parts = slices.SortedFunc(slices.Values(parts), func(a, b part) int { return cmp.Compare(a.at, b.at) })
	for len(parts) > 0 {
		outer, resource := parts[0].resource, slices.Clone(*parts[0].resource)
		for len(parts) > 0 && parts[0].resource == outer {
			inner, scope := parts[0].scope, slices.Clone(*parts[0].scope)
			for len(parts) > 0 && parts[0].scope == inner {
				scope = appendField(scope, 2, parts[0].raw)
				parts = parts[1:]
			}
			resource = appendField(resource, 2, scope)
		}
		record = appendField(record, 1, resource)
	}
	return record
}

func appendField(dst []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), message)
}
