package names

import (
	"fmt"
	"slices"

	"github.com/FastFilter/xorfilter"
	"github.com/cespare/xxhash/v2"
)

// Index says whether an ecosystem has a package of a name. Every name it was built from is in it; of other names one in
// 256 is taken for one (a binary fuse filter of 8 bits: Graf and Lemire, "Binary Fuse Filters", 2022). Nine bits a name,
// no name can be read out of it. It is safe for concurrent use.
type Index struct {
	ecosystem Ecosystem
	count     int
	filter    xorfilter.BinaryFuse[uint8]
}

// FalsePositives is the share of names that do not exist and that an index knows all the same.
const FalsePositives = 1.0 / 256

// Ecosystem is whose names it holds.
func (x *Index) Ecosystem() Ecosystem { return x.ecosystem }

// Len is the number of names.
func (x *Index) Len() int { return x.count }

// Contains reports whether the name, in any of its spellings, is known. It allocates nothing.
func (x *Index) Contains(name string) bool {
	if len(name) > MaxName {
		return false
	}
	var buf [MaxName]byte
	return x.filter.Contains(xxhash.Sum64(x.ecosystem.AppendNormal(buf[:0], name)))
}

// ContainsPath reports whether the name, or what is left of it without its last elements, is known: Go packages are
// known by their modules.
func (x *Index) ContainsPath(path string) bool {
	for end := len(path); end > 0; end-- {
		if (end == len(path) || path[end] == '/') && x.Contains(path[:end]) {
			return true
		}
	}
	return false
}

// Builder collects names of an ecosystem.
type Builder struct {
	ecosystem Ecosystem
	hashes    []uint64
	buf       []byte
}

// maxNames bounds what an index may hold: ten times the largest ecosystem of today.
const maxNames = 50_000_000

// NewBuilder starts an empty index.
func NewBuilder(e Ecosystem) *Builder { return &Builder{ecosystem: e} }

// Add takes a name in any spelling. Its error says that it is none.
func (b *Builder) Add(name string) error {
	if !b.ecosystem.Valid(name) {
		return errName
	}
	if len(b.hashes) == maxNames {
		return fmt.Errorf("more than %d names: this is no list of one ecosystem", maxNames)
	}
	b.buf = b.ecosystem.AppendNormal(b.buf[:0], name)
	b.hashes = append(b.hashes, xxhash.Sum64(b.buf))
	return nil
}

// Build makes the index. The same names give the same index, whatever their order, spelling and repetition.
func (b *Builder) Build() (*Index, error) {
	slices.Sort(b.hashes)
	b.hashes = slices.Compact(b.hashes)
	if len(b.hashes) == 0 {
		return nil, fmt.Errorf("there are no names: give one a line, as %s publishes them", b.ecosystem)
	}
	filter, err := xorfilter.NewBinaryFuse[uint8](b.hashes)
	if err != nil {
		return nil, fmt.Errorf("build the filter: %w", err)
	}
	return &Index{ecosystem: b.ecosystem, count: len(b.hashes), filter: *filter}, nil
}
