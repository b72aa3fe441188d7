package measure

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// RowHashes identifies a set of labelled rows by their bytes, whatever their files and order. It holds 32 bytes per row
// and is not safe for concurrent use.
type RowHashes struct{ sums [][sha256.Size]byte }

// Add adds the bytes of one row, without surrounding white space.
func (p *RowHashes) Add(row []byte) { p.sums = append(p.sums, sha256.Sum256(bytes.TrimSpace(row))) }

// Fingerprint is the first 16 hex digits of the SHA-256 over the sorted SHA-256 sums of the rows.
func (p *RowHashes) Fingerprint() string {
	sorted := slices.Clone(p.sums)
	slices.SortFunc(sorted, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for i := range sorted {
		h.Write(sorted[i][:])
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
