package avro

import (
	"encoding/binary"
	"math"
	"slices"
	"unicode/utf8"

	"confab/internal/recordformat"
)

// Limits of values.
const (
	MaxBytes = 64 << 20 // of a value; callers have lower limits
	MaxItems = 1 << 16  // of a block of an array or a map

	// The items of a value's lists may take maxCost bytes of memory plus costPerByte for each byte of the value.
	maxCost     = 6 << 20
	costPerByte = 8
)

// valueChecker checks the bytes of a value against its schema. It refuses what goavro would accept: counts that exceed
// the data, numbers longer than 64 bits, indices without a symbol, strings that are not UTF-8, blocks of a wrong size. It
// allocates only for maps of more than fewKeys keys.
type valueChecker struct {
	data    []byte
	pos     int
	cost    int    // memory that goavro will allocate for list items so far
	repeats bool   // a map names a key twice, if findsRepeats
	fault   string // reason of the first fault
	detail  string

	findsRepeats bool
}

// Details of faults. Other readers accept the last three.
const (
	detailInvalid = "the bytes do not match the writer's schema"
	detailBoolean = "a boolean is not 0 or 1"
	detailBlock   = "a block of a list does not have its stated size"
	detailRepeat  = "a map names a key twice"
)

// whole checks data as one record of type c. The positions of its known fields go to places. With nil, goavro follows: it
// finds repeated keys.
func (w *valueChecker) whole(c *compiledType, places *fieldPlaces) error {
	if len(w.data) > MaxBytes {
		return &Error{Reason: ReasonTooLarge, detail: "more than 64 MiB"}
	}
	w.findsRepeats = places != nil
	for i := range c.parts {
		if target := c.targets[i]; places != nil && target >= 0 {
			places[target] = fieldPlace{typ: &c.parts[i], pos: w.pos}
		}
		w.value(&c.parts[i])
	}
	switch {
	case w.fault != "":
		return &Error{Reason: w.fault, detail: w.detail}
	case w.pos != len(w.data):
		return &Error{Reason: ReasonTrailingBytes, detail: "the value is longer than the writer's schema says"}
	case w.repeats:
		return &Error{Reason: ReasonDuplicateKey, detail: detailRepeat}
	}
	return nil
}

func (w *valueChecker) fail(reason string) { w.failWith(reason, detailInvalid) }

func (w *valueChecker) failWith(reason, detail string) {
	if w.fault == "" {
		w.fault, w.detail = reason, detail
	}
	w.pos = len(w.data)
}

// value checks one value of type c.
func (w *valueChecker) value(c *compiledType) {
	if w.fault != "" {
		return
	}
	switch c.code {
	case codeString:
		w.text()
	case codeRecord:
		for i := range c.parts {
			w.value(&c.parts[i])
		}
	case codeFloat, codeDouble, codeFixed:
		w.skip(c.width)
	case codeUnion:
		w.value(&c.parts[w.index(len(c.parts))])
	case codeArray:
		w.array(c)
	case codeMap:
		w.dict(c)
	default:
		w.scalar(c)
	}
}

func (w *valueChecker) scalar(c *compiledType) {
	switch c.code {
	case codeBoolean:
		if at := w.pos; w.skip(1) && w.data[at] > 1 {
			w.failWith(ReasonSyntax, detailBoolean)
		}
	case codeInt:
		w.int()
	case codeLong:
		w.long()
	case codeBytes:
		w.skip(w.length())
	case codeEnum:
		w.index(len(c.symbols))
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
	if w.pos < len(w.data) && w.data[w.pos] < 0x80 {
		v := int64(w.data[w.pos])
		w.pos++
		return v>>1 ^ -(v & 1)
	}
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

func (w *valueChecker) text() []byte {
	n := w.length()
	text := w.data[w.pos : w.pos+n]
	if !utf8.Valid(text) {
		w.failWith(ReasonBadUTF8, "a string is not UTF-8")
		return nil
	}
	w.pos += n
	return text
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

// array checks the blocks of an array.
func (w *valueChecker) array(c *compiledType) {
	for {
		count, size := w.block(c)
		begin := w.pos
		for i := int64(0); i < count && w.fault == ""; i++ {
			w.value(&c.parts[0])
		}
		if count == 0 || !w.blockEnds(begin, size) {
			return
		}
	}
}

// dict checks the blocks of a map.
func (w *valueChecker) dict(c *compiledType) {
	var keys keySet
	for {
		count, size := w.block(c)
		begin := w.pos
		for i := int64(0); i < count && w.fault == ""; i++ {
			if key := w.text(); w.findsRepeats {
				w.repeats = keys.repeats(recordformat.StringView(key)) || w.repeats
			}
			w.value(&c.parts[0])
		}
		if count == 0 || !w.blockEnds(begin, size) {
			return
		}
	}
}

// blockEnds reports whether a block with items that began at begin is sound.
func (w *valueChecker) blockEnds(begin, size int) bool {
	if size >= 0 && w.pos-begin != size {
		w.failWith(ReasonSyntax, detailBlock)
	}
	return w.fault == ""
}

// block reads the head of a block: its number of items, 0 at the end of the list, and its size in bytes, or -1 when it
// has none. Every item takes bytes, which bounds the count by the data left.
func (w *valueChecker) block(c *compiledType) (count int64, size int) {
	count, size = w.long(), -1
	if count == 0 {
		return 0, -1
	}
	if count < 0 && count != math.MinInt64 {
		if count, size = -count, int(w.long()); size < 0 || size > len(w.data)-w.pos {
			w.failWith(ReasonSyntax, detailBlock)
			return 0, -1
		}
	}
	width := int64(c.parts[0].width)
	if c.code == codeMap {
		width++
	}
	if count < 0 || count > int64(len(w.data)-w.pos)/width {
		w.fail(ReasonSyntax)
		return 0, -1
	}
	w.cost += c.blockCost(int(count))
	if count > MaxItems || w.cost > maxCost+costPerByte*len(w.data) {
		w.failWith(ReasonTooMany, "more than 65,536 items in a block of a list, or too many for so few bytes")
		return 0, -1
	}
	return count, size
}

// fewKeys is the number of keys of a map that are compared one by one.
const fewKeys = 16

// keySet finds repeated keys of one map.
type keySet struct {
	few  [fewKeys]string
	n    int
	many map[string]struct{}
}

// repeats adds key and reports whether it was there before.
func (k *keySet) repeats(key string) bool {
	if k.many == nil {
		if slices.Contains(k.few[:k.n], key) {
			return true
		}
		if k.n < fewKeys {
			k.few[k.n] = key
			k.n++
			return false
		}
		k.many = make(map[string]struct{}, 4*fewKeys)
		for _, known := range k.few {
			k.many[known] = struct{}{}
		}
	}
	before := len(k.many)
	k.many[key] = struct{}{}
	return len(k.many) == before
}
