package avro

import (
	"encoding/binary"
	"math"
	"unicode/utf8"
)

// oracleChecker checks the bytes of a value against the types of its schema before goavro decodes them.
type oracleChecker struct {
	data   []byte
	pos    int
	cost   int    // memory that goavro will allocate for list items so far
	fault  string // reason of the first fault
	detail string
}

func (w *oracleChecker) fail(reason string) { w.failWith(reason, detailInvalid) }

func (w *oracleChecker) failWith(reason, detail string) {
	if w.fault == "" {
		w.fault, w.detail = reason, detail
	}
	w.pos = len(w.data)
}

// value checks one value of type n.
func (w *oracleChecker) value(n *schemaType) {
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

func (w *oracleChecker) scalar(n *schemaType) {
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

func (w *oracleChecker) skip(n int) bool {
	if n > len(w.data)-w.pos {
		w.fail(ReasonSyntax)
		return false
	}
	w.pos += n
	return true
}

// long reads a zigzag varint of at most 64 bits. Longer encodings of a value are accepted, as by every reader.
func (w *oracleChecker) long() int64 {
	v, n := binary.Uvarint(w.data[w.pos:])
	if n <= 0 {
		w.fail(ReasonSyntax)
		return 0
	}
	w.pos += n
	return int64(v>>1) ^ -int64(v&1)
}

// int reads a zigzag varint of at most 32 bits and five bytes: other readers stop there.
func (w *oracleChecker) int() int64 {
	begin := w.pos
	v := w.long()
	if v != int64(int32(v)) || (w.fault == "" && w.pos-begin > binary.MaxVarintLen32) {
		w.fail(ReasonSyntax)
	}
	return v
}

// length reads a length that the data can have.
func (w *oracleChecker) length() int {
	n := w.long()
	if n < 0 || n > int64(len(w.data)-w.pos) {
		w.fail(ReasonSyntax)
		return 0
	}
	return int(n)
}

func (w *oracleChecker) text() {
	n := w.length()
	if !utf8.Valid(w.data[w.pos : w.pos+n]) {
		w.failWith(ReasonBadUTF8, "a string is not UTF-8")
		return
	}
	w.pos += n
}

// index reads an index below n.
func (w *oracleChecker) index(n int) int {
	i := w.int()
	if i < 0 || i >= int64(n) {
		w.fail(ReasonSyntax)
		return 0
	}
	return int(i)
}

// list checks the blocks of an array or a map.
func (w *oracleChecker) list(n *schemaType) {
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
func (w *oracleChecker) block(n *schemaType) (count int64, size int) {
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
	w.cost += oracleCost(n, int(count))
	if count > MaxItems || w.cost > maxCost+costPerByte*len(w.data) {
		w.failWith(ReasonTooMany, "more than 65,536 items in a block of a list, or too many for so few bytes")
		return 0, -1
	}
	return count, size
}

// oracleCost returns the memory of a block of count list items.
func oracleCost(n *schemaType, count int) int {
	switch {
	case count == 0:
		return 0
	case n.kind == kindMap:
		return costBlock + count*(costEntry+n.items.cost)
	default:
		return count * (costItem + n.items.cost)
	}
}
