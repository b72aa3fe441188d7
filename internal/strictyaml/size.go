package strictyaml

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bytes is a size in bytes, written as a number or with a binary or decimal unit: 1048576, 512KiB, 1MiB, 10MB.
type Bytes int64

// Binary units.
const (
	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
)

type byteUnit struct {
	suffix string
	size   Bytes
}

// byteUnits are the units, the largest binary one first, and longer suffixes before their own suffixes.
func byteUnits() []byteUnit {
	return []byteUnit{{"GiB", GiB}, {"MiB", MiB}, {"KiB", KiB}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}
}

// UnmarshalText reads a size.
func (b *Bytes) UnmarshalText(text []byte) error {
	number, unit := strings.TrimSpace(string(text)), Bytes(1)
	for _, u := range byteUnits() {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 {
		return errors.New("expected a size such as 1MiB, 512KiB or 1048576")
	}
	if n > math.MaxInt64/int64(unit) {
		return fmt.Errorf("a size of %s is too large", text)
	}
	*b = Bytes(n) * unit
	return nil
}

// MarshalText writes the size with the largest binary unit that divides it.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// String is the size with the largest binary unit that divides it.
func (b Bytes) String() string {
	for _, u := range byteUnits()[:3] {
		if b != 0 && b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(b), 10)
}
