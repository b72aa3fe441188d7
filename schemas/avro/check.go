package avro

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// Limits of values.
const (
	MaxBytes = 64 << 20 // of a value; callers have lower limits
	MaxItems = 1 << 16  // of a block of an array or a map

	// The items of a value's lists may take maxCost bytes of memory plus costPerByte for each byte of the value.
	maxCost     = 6 << 20
	costPerByte = 8
)

// valueChecker checks the bytes of a value against its schema, without allocations. It refuses what goavro would accept:
// counts that exceed the data, numbers longer than 64 bits, indices without a symbol, strings that are not UTF-8, blocks
// of a wrong size.
type valueChecker struct {
	data   []byte
	pos    int
	cost   int    // memory that goavro will allocate for list items so far
	fault  string // reason of the first fault
	detail string
}

// Details of faults. Other readers accept the last two.
const (
	detailInvalid = "the bytes do not match the writer's schema"
	detailBoolean = "a boolean is not 0 or 1"
	detailBlock   = "a block of a list does not have its stated size"
)

func (w *valueChecker) fail(reason string) { w.failWith(reason, detailInvalid) }

func (w *valueChecker) failWith(reason, detail string) {
	if w.fault == "" {
		w.fault, w.detail = reason, detail
	}
	w.pos = len(w.data)
}

// value checks one value of type n.
func (w *valueChecker) value(n *schemaType) {
	switch n.kind {
	case kindRecord:
		for i := range n.fields {
			w.value(n.fields[i].typ)
		}
	case kindUnion:
		if i := w.index(len(n.branches)); w.fault == "" {
			w.value(n.branches[i])
		}
	case kindArray, kindMap:
		w.list(n)
	default:
		if w.fault == "" {
			w.scalar(n)
		}
	}
}

func (w *valueChecker) scalar(n *schemaType) {
	switch n.kind {
	case kindBoolean:
		if at := w.pos; w.skip(1) && w.data[at] > 1 {
			w.failWith(ReasonSyntax, detailBoolean)
		}
	case kindInt:
		w.int()
	case kindLong:
		w.long()
	case kindFloat, kindDouble, kindFixed:
		w.skip(n.width)
	case kindBytes:
		w.skip(w.length())
	case kindString:
		w.text()
	case kindEnum:
		w.index(len(n.symbols))
	default: // null
	}
}

func (w *valueChecker) skip(n int) bool {
	if n > len(w.data)-w.pos {
		w.fail(ReasonSyntax)
		return false
	}
	w.pos += n
	return true
}

// long reads a zigzag varint of at most 64 bits. Longer encodings of a value are accepted, as by every reader.
func (w *valueChecker) long() int64 {
	v, n := binary.Uvarint(w.data[w.pos:])
	if n <= 0 {
		w.fail(ReasonSyntax)
		return 0
	}
	w.pos += n
	return int64(v>>1) ^ -int64(v&1)
}

// int reads a zigzag varint of at most 32 bits and five bytes: other readers stop there.
func (w *valueChecker) int() int64 {
	begin := w.pos
	v := w.long()
	if v != int64(int32(v)) || (w.fault == "" && w.pos-begin > binary.MaxVarintLen32) {
		w.fail(ReasonSyntax)
	}
	return v
}

// length reads a length that the data can have.
func (w *valueChecker) length() int {
	n := w.long()
	if n < 0 || n > int64(len(w.data)-w.pos) {
		w.fail(ReasonSyntax)
		return 0
	}
	return int(n)
}

func (w *valueChecker) text() {
	n := w.length()
	if !utf8.Valid(w.data[w.pos : w.pos+n]) {
		w.failWith(ReasonBadUTF8, "a string is not UTF-8")
		return
	}
	w.pos += n
}

// index reads an index below n.
func (w *valueChecker) index(n int) int {
	i := w.int()
	if i < 0 || i >= int64(n) {
		w.fail(ReasonSyntax)
		return 0
	}
	return int(i)
}

// list checks the blocks of an array or a map.
func (w *valueChecker) list(n *schemaType) {
	for w.fault == "" {
		count, size := w.block(n)
		if count == 0 {
			return
		}
		begin := w.pos
		for i := int64(0); i < count && w.fault == ""; i++ {
			if n.kind == kindMap {
				w.text()
			}
			w.value(n.items)
		}
		if size >= 0 && w.pos-begin != size {
			w.failWith(ReasonSyntax, detailBlock)
		}
	}
}

// block reads the head of a block: its number of items, 0 at the end of the list, and its size in bytes, or -1 when it
// has none. Every item takes bytes, which bounds the count by the data left.
func (w *valueChecker) block(n *schemaType) (count int64, size int) {
	count, size = w.long(), -1
	if count < 0 && count != math.MinInt64 {
		if count, size = -count, int(w.long()); size < 0 || size > len(w.data)-w.pos {
			w.failWith(ReasonSyntax, detailBlock)
			return 0, -1
		}
	}
	width := int64(n.items.width)
	if n.kind == kindMap {
		width++
	}
	if count < 0 || count > int64(len(w.data)-w.pos)/width {
		w.fail(ReasonSyntax)
		return 0, -1
	}
	w.cost += n.blockCost(int(count))
	if count > MaxItems || w.cost > maxCost+costPerByte*len(w.data) {
		w.failWith(ReasonTooMany, "more than 65,536 items in a block of a list, or too many for so few bytes")
		return 0, -1
	}
	return count, size
}
