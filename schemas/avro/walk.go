package avro

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"confab/schemas/json/scan"
)

// Limits of values.
const (
	MaxBytes = 64 << 20 // of a value; callers have lower limits
	MaxItems = 1 << 16  // of a block of an array or a map

	// A decoded value may take maxCost bytes of memory plus costPerByte for each of its bytes.
	maxCost     = 6 << 20
	costPerByte = 8
)

// Memory that goavro allocates, in bytes, rounded up from measurements (TestDecodeCost checks them).
const (
	costMap   = 64  // of a record, a map or a union's value, without its slots
	costSlot  = 36  // a field of a record
	costItem  = 80  // of an array, whose slice grows from block to block
	costEntry = 150 // of a map
	costBlock = 288 // of a map

	minSlots = 8 // least slots of a Go map
)

// costOf is the cost of values of some types, and of lists without their items.
//
//nolint:gochecknoglobals // a read-only table
var costOf = map[typeKind]int{
	kindBoolean: 8, kindInt: 8, kindLong: 8, kindFloat: 8, kindDouble: 8, kindBytes: 24, kindString: 24, kindFixed: 24, kindEnum: 24,
	kindArray: 32, kindMap: costMap,
}

// valueChecker checks the bytes of a value against its schema before goavro decodes them. It refuses what goavro would
// accept: counts that exceed the data, numbers longer than 64 bits, strings that are not UTF-8, blocks of a wrong size, and
// values that take too much memory.
type valueChecker struct {
	data []byte
	pos  int
	cost int // memory that goavro will allocate
	err  *scan.Error
}

// Details of faults. Other readers accept the last three.
const (
	detailInvalid = "the bytes do not match the writer's schema"
	detailBoolean = "a boolean is not 0 or 1"
	detailCount   = "a list of more items than bytes"
	detailBlock   = "a block of a list does not have its stated size"
)

// checkValue checks body as one value of type t.
func checkValue(t *schemaType, body []byte) *scan.Error {
	if len(body) > MaxBytes {
		return &scan.Error{Reason: scan.ReasonTooLarge, Detail: "more than 64 MiB"}
	}
	w := valueChecker{data: body}
	if w.value(t); w.err == nil && w.pos != len(body) {
		w.fail(scan.ReasonTrailingBytes, "the value is longer than the writer's schema says")
	}
	return w.err
}

func (w *valueChecker) fail(reason, detail string) {
	if w.err == nil {
		w.err = &scan.Error{Reason: reason, Detail: detail}
	}
	w.pos = len(w.data)
}

func (w *valueChecker) charge(bytes int) {
	if w.cost += bytes; w.cost > maxCost+costPerByte*len(w.data) {
		w.fail(scan.ReasonTooMany, "too many items for so few bytes")
	}
}

// mapCost is the memory of a Go map that is made for n entries.
func mapCost(n int) int { return costMap + costSlot*max(minSlots, 2*n) }

// value checks one value of type t.
func (w *valueChecker) value(t *schemaType) {
	if w.err != nil {
		return
	}
	switch t.kind {
	case kindRecord:
		w.charge(mapCost(len(t.parts)))
		for _, part := range t.parts {
			w.value(part)
		}
	case kindUnion:
		if part := t.parts[w.index(len(t.parts))]; part.kind != kindNull {
			w.charge(mapCost(1))
			w.value(part)
		}
	case kindArray, kindMap:
		w.charge(costOf[t.kind])
		w.list(t)
	default:
		w.scalar(t)
	}
}

func (w *valueChecker) scalar(t *schemaType) {
	w.charge(costOf[t.kind])
	switch t.kind {
	case kindNull:
	case kindBoolean:
		if b := w.take(1); len(b) > 0 && b[0] > 1 {
			w.fail(scan.ReasonSyntax, detailBoolean)
		}
	case kindInt:
		w.int()
	case kindLong:
		w.long()
	case kindFloat, kindDouble, kindFixed:
		w.take(int64(t.size))
	case kindBytes:
		w.take(w.long())
	case kindString:
		w.text()
	default:
		w.index(len(t.symbols))
	}
}

// take reads n bytes.
func (w *valueChecker) take(n int64) []byte {
	if n < 0 || n > int64(len(w.data)-w.pos) {
		w.fail(scan.ReasonSyntax, detailInvalid)
		return nil
	}
	w.pos += int(n)
	return w.data[w.pos-int(n) : w.pos]
}

func (w *valueChecker) text() {
	text := w.take(w.long())
	if !utf8.Valid(text) {
		w.fail(scan.ReasonBadUTF8, "a string is not UTF-8")
	}
}

// long reads a zigzag varint of at most 64 bits. Longer encodings of a value are accepted, as by every reader.
func (w *valueChecker) long() int64 {
	v, n := binary.Varint(w.data[w.pos:])
	if n <= 0 {
		w.fail(scan.ReasonSyntax, detailInvalid)
		return 0
	}
	w.pos += n
	return v
}

// int reads a zigzag varint of at most 32 bits and five bytes: other readers stop there.
func (w *valueChecker) int() int64 {
	begin := w.pos
	v := w.long()
	if v != int64(int32(v)) || w.err == nil && w.pos-begin > binary.MaxVarintLen32 {
		w.fail(scan.ReasonSyntax, detailInvalid)
	}
	return v
}

// index reads an index below n.
func (w *valueChecker) index(n int) int {
	i := w.int()
	if i < 0 || i >= int64(n) {
		w.fail(scan.ReasonSyntax, detailInvalid)
		return 0
	}
	return int(i)
}

// list checks the blocks of an array or a map.
func (w *valueChecker) list(t *schemaType) {
	for {
		count, size := w.block()
		begin := w.pos
		if count == 0 || w.err != nil {
			return
		}
		if t.kind == kindMap {
			w.charge(costBlock + count*costEntry)
		} else {
			w.charge(count * costItem)
		}
		for range count {
			if t.kind == kindMap {
				w.text()
			}
			if w.value(t.parts[0]); w.err != nil {
				return
			}
		}
		if size >= 0 && int64(w.pos-begin) != size {
			w.fail(scan.ReasonSyntax, detailBlock)
		}
	}
}

// block reads the head of a block: its number of items, 0 at the end of the list, and its size in bytes, or -1 when it
// has none.
func (w *valueChecker) block() (count int, size int64) {
	n := w.long()
	size = -1
	if n < 0 && n != math.MinInt64 {
		if n, size = -n, w.long(); size < 0 {
			w.fail(scan.ReasonSyntax, detailBlock)
		}
	}
	switch {
	case n < 0 || n > int64(len(w.data)-w.pos):
		w.fail(scan.ReasonSyntax, detailCount)
	case n > MaxItems:
		w.fail(scan.ReasonTooMany, "more than 65,536 items in a block of a list")
	}
	return int(n), size
}
