package measure

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// RowHashes names a set of labelled rows by their bytes, whatever the files they stand in and their order. It holds 32
// bytes a row. It is for one goroutine.
type RowHashes struct{ sums [][sha256.Size]byte }

// Add takes the bytes of one row. Blanks around it do not count.
func (p *RowHashes) Add(row []byte) { p.sums = append(p.sums, sha256.Sum256(bytes.TrimSpace(row))) }

// Fingerprint is the SHA-256 over the sorted SHA-256 sums of the rows, 16 hex digits of it.
func (p *RowHashes) Fingerprint() string {
	sorted := slices.Clone(p.sums)
	slices.SortFunc(sorted, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for i := range sorted {
		h.Write(sorted[i][:])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Repeated is how many rows are the bytes of another one again.
func (p *RowHashes) Repeated() int {
	seen := make(map[[sha256.Size]byte]struct{}, len(p.sums))
	for _, sum := range p.sums {
		seen[sum] = struct{}{}
	}
	return len(p.sums) - len(seen)
}
