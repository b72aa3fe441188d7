package names

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/FastFilter/xorfilter"
)

// The file format of an index, integers little-endian:
//
//	8   magic "CFBNAMES"
//	2   format, 1
//	10  ecosystem, padded with zeros
//	8   names
//	8   seed of the filter
//	4   length of a segment, a power of two
//	4   segments
//	4   fingerprints: (segments + 2) × length of a segment
//	…   fingerprints, a byte each
//	32  SHA-256 of all before it
const (
	magic       = "CFBNAMES"
	format      = 1
	headerBytes = 8 + 2 + 10 + 8 + 8 + 4 + 4 + 4
	maxFile     = 128 << 20
)

// Errors of ReadIndex.
var (
	ErrNoIndex  = errors.New("not an index of package names: build one with `confab index`")
	ErrFormat   = errors.New("the index has another format: build it again with this version of confab")
	ErrCutShort = errors.New("the index is cut short: copy the file again, or build it again with `confab index`")
	ErrDamaged  = errors.New("the index is damaged, its checksum does not match: copy the file again, or build it again with `confab index`")
)

// WriteTo writes the index in its file format. Equal names give equal bytes.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	f := &x.filter
	b := make([]byte, 0, headerBytes+len(f.Fingerprints)+sha256.Size)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, format)
	var name [10]byte
	copy(name[:], x.ecosystem)
	b = append(b, name[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(x.count))
	b = binary.LittleEndian.AppendUint64(b, f.Seed)
	b = binary.LittleEndian.AppendUint32(b, f.SegmentLength)
	b = binary.LittleEndian.AppendUint32(b, f.SegmentCount)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.Fingerprints)))
	b = append(b, f.Fingerprints...)
	sum := sha256.Sum256(b)
	n, err := w.Write(append(b, sum[:]...))
	return int64(n), err
}

// ReadIndex reads an index that WriteTo wrote. It validates the file, so that Contains cannot panic on it.
func ReadIndex(r io.Reader) (*Index, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read an index of names: %w", err)
	case len(b) > maxFile:
		return nil, fmt.Errorf("more than %d bytes, which is the limit: %w", maxFile, ErrNoIndex)
	case len(b) < len(magic) || string(b[:len(magic)]) != magic:
		return nil, ErrNoIndex
	case len(b) < len(magic)+2:
		return nil, ErrCutShort
	case binary.LittleEndian.Uint16(b[8:]) != format:
		return nil, fmt.Errorf("format %d: %w", binary.LittleEndian.Uint16(b[8:]), ErrFormat)
	case len(b) < headerBytes+sha256.Size:
		return nil, ErrCutShort
	}
	fingerprints := int64(binary.LittleEndian.Uint32(b[44:]))
	switch want := headerBytes + fingerprints + sha256.Size; {
	case int64(len(b)) < want:
		return nil, ErrCutShort
	case int64(len(b)) > want:
		return nil, ErrDamaged
	}
	body, sum := b[:len(b)-sha256.Size], b[len(b)-sha256.Size:]
	if got := sha256.Sum256(body); !bytes.Equal(got[:], sum) {
		return nil, ErrDamaged
	}
	return parseIndex(body)
}

// parseIndex reads a body with a valid checksum. It still validates all fields.
func parseIndex(b []byte) (*Index, error) {
	e, err := ParseEcosystem(strings.TrimRight(string(b[10:20]), "\x00"))
	if err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrFormat, err)
	}
	x := &Index{ecosystem: e, count: int(binary.LittleEndian.Uint64(b[20:]) & (1<<62 - 1))}
	length, segments := binary.LittleEndian.Uint32(b[36:]), binary.LittleEndian.Uint32(b[40:])
	x.filter = xorfilter.BinaryFuse[uint8]{
		Seed: binary.LittleEndian.Uint64(b[28:]), SegmentLength: length, SegmentLengthMask: length - 1,
		SegmentCount: segments, SegmentCountLength: segments * length, Fingerprints: b[headerBytes:],
	}
	if bits.OnesCount32(length) != 1 || segments == 0 || (uint64(segments)+2)*uint64(length) != uint64(len(b)-headerBytes) {
		return nil, ErrDamaged
	}
	return x, nil
}
