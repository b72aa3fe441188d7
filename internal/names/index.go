package names

import (
	"fmt"
	"slices"

	"github.com/FastFilter/xorfilter"
	"github.com/cespare/xxhash/v2"
)

// Index is a membership filter of the package names of an ecosystem: it contains every name that it was built from and one
// in 256 of all others (a binary fuse filter of 8 bits: Graf and Lemire, "Binary Fuse Filters", 2022). It takes nine bits
// per name, from which names cannot be recovered. It is safe for concurrent use.
type Index struct {
	ecosystem Ecosystem
	count     int
	filter    xorfilter.BinaryFuse[uint8]
}

// Ecosystem returns the ecosystem of the names.
func (x *Index) Ecosystem() Ecosystem { return x.ecosystem }

// Len returns the number of names.
func (x *Index) Len() int { return x.count }

// Contains reports whether the name, in any of its spellings, is in the index. It does not allocate.
func (x *Index) Contains(name string) bool {
	if len(name) > MaxName {
		return false
	}
	var buf [MaxName]byte
	return x.filter.Contains(xxhash.Sum64(x.ecosystem.AppendNormal(buf[:0], name)))
}

// ContainsPath reports whether the index contains the path or a parent of it: Go packages are listed by their modules.
func (x *Index) ContainsPath(path string) bool {
	for end := len(path); end > 0; end-- {
		if (end == len(path) || path[end] == '/') && x.Contains(path[:end]) {
			return true
		}
	}
	return false
}

// Builder collects the names of an index.
type Builder struct {
	ecosystem Ecosystem
	hashes    []uint64
	buf       []byte
}

// maxNames limits the names of an index, at ten times the largest ecosystem of today.
const maxNames = 50_000_000

// NewBuilder starts an empty index.
func NewBuilder(e Ecosystem) *Builder { return &Builder{ecosystem: e} }

// Add adds a name in any spelling. It fails for names that the ecosystem does not permit.
func (b *Builder) Add(name string) error {
	if !b.ecosystem.Valid(name) {
		return errName
	}
	if len(b.hashes) == maxNames {
		return fmt.Errorf("more than %d names: not a list of one ecosystem", maxNames)
	}
	b.buf = b.ecosystem.AppendNormal(b.buf[:0], name)
	b.hashes = append(b.hashes, xxhash.Sum64(b.buf))
	return nil
}

// Build returns the index. It does not depend on the order, spelling and repetition of the names.
func (b *Builder) Build() (*Index, error) {
	slices.Sort(b.hashes)
	b.hashes = slices.Compact(b.hashes)
	if len(b.hashes) == 0 {
		return nil, fmt.Errorf("no names: write one per line, as %s publishes them", b.ecosystem)
	}
	filter, err := xorfilter.NewBinaryFuse[uint8](b.hashes)
	if err != nil {
		return nil, fmt.Errorf("build the filter: %w", err)
	}
	return &Index{ecosystem: b.ecosystem, count: len(b.hashes), filter: *filter}, nil
}
