package names

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"io"

	"github.com/FastFilter/xorfilter"
)

// The file of an index is the magic text with the number of the format, the SHA-256 of the rest, and a fileContent in the encoding of
// package gob.
const (
	magic   = "CFBNAMES2\n"
	maxFile = 128 << 20
)

type fileContent struct {
	Ecosystem Ecosystem
	Names     int
	Filter    xorfilter.BinaryFuse[uint8]
}

// Errors of ReadIndex.
var (
	ErrNoIndex = errors.New("not an index of package names: build one with `confab index`")
	ErrDamaged = errors.New("the index is damaged or cut short, its checksum does not match: copy the file again, or build it again with `confab index`")
)

// WriteTo writes the index in its file format. Equal names give equal bytes.
func (x *Index) WriteTo(w io.Writer) (int64, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(fileContent{x.ecosystem, x.count, x.filter}); err != nil {
		return 0, err
	}
	sum := sha256.Sum256(b.Bytes())
	n, err := w.Write(append(append([]byte(magic), sum[:]...), b.Bytes()...))
	return int64(n), err
}

// ReadIndex reads an index that WriteTo wrote, as its checksum says.
func ReadIndex(r io.Reader) (*Index, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("read an index of names: %w", err)
	}
	body, ok := bytes.CutPrefix(b, []byte(magic))
	switch {
	case len(b) > maxFile:
		return nil, fmt.Errorf("more than %d bytes, which is the limit: %w", maxFile, ErrNoIndex)
	case !ok:
		return nil, ErrNoIndex
	case len(body) < sha256.Size || sha256.Sum256(body[sha256.Size:]) != [sha256.Size]byte(body):
		return nil, ErrDamaged
	}
	var c fileContent
	if err := gob.NewDecoder(bytes.NewReader(body[sha256.Size:])).Decode(&c); err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return &Index{ecosystem: c.Ecosystem, count: c.Names, filter: c.Filter}, nil
}
