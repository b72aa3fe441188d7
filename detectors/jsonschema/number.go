package jsonschema

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
)

// exactNumber is a JSON number that is compared without big.Rat, which takes 100 times as long, where that is exact.
type exactNumber struct {
	text  json.Number
	float float64 // the nearest float64, ±Inf beyond the range, never -0
	// If small, the number is mantissa × 10^exp, without trailing zeros, so that equal numbers have equal fields.
	mantissa int64
	exp      int
	small    bool
}

const maxMantissa = 17 // digits: a mantissa may be multiplied by 10

func newExact(n json.Number) exactNumber {
	d := exactNumber{text: n, small: len(n) <= maxMantissa}
	if d.small {
		d.read()
	}
	if d.small && d.exp == 0 {
		d.float = float64(d.mantissa)
		return d
	}
	d.float, _ = strconv.ParseFloat(string(n), 64)
	d.float += 0 // -0 becomes 0
	return d
}

// read sets mantissa and exponent from the text, which is a valid JSON number.
func (d *exactNumber) read() {
	places := 0
	for i := range len(d.text) {
		switch b := d.text[i]; {
		case '0' <= b && b <= '9':
			d.mantissa = d.mantissa*10 + int64(b-'0')
			d.exp -= places
		case b == '.':
			places = 1
		case b == 'e' || b == 'E':
			exp, _ := strconv.Atoi(string(d.text[i+1:]))
			d.exp += exp
			d.normalize()
			return
		}
	}
	d.normalize()
}

func (d *exactNumber) normalize() {
	if d.text[0] == '-' {
		d.mantissa = -d.mantissa
	}
	if d.mantissa == 0 {
		d.exp = 0
	}
	for d.mantissa != 0 && d.mantissa%10 == 0 {
		d.mantissa, d.exp = d.mantissa/10, d.exp+1
	}
}

// scaled returns the mantissa at a smaller exponent; false when it overflows.
func (d *exactNumber) scaled(exp int) (int64, bool) {
	m := d.mantissa
	for range d.exp - exp {
		if m > math.MaxInt64/10 || m < math.MinInt64/10 {
			return 0, false
		}
		m *= 10
	}
	return m, true
}

// rat returns the number with all its digits.
func (m *workMeter) rat(d *exactNumber) *big.Rat {
	m.charge(perRat + len(d.text)*perRatDigit)
	r, ok := new(big.Rat).SetString(string(d.text))
	if !ok {
		return new(big.Rat) // not reached: the text is a valid JSON number
	}
	return r
}

// compare orders two numbers exactly.
func (m *workMeter) compare(a, b *exactNumber) int {
	if c := cmp.Compare(a.float, b.float); c != 0 {
		return c // rounding keeps the order
	}
	if a.text == b.text {
		return 0
	}
	if a.small && b.small {
		exp := min(a.exp, b.exp)
		x, fits := a.scaled(exp)
		y, fit := b.scaled(exp)
		if fits && fit {
			return cmp.Compare(x, y)
		}
	}
	return m.rat(a).Cmp(m.rat(b))
}

func (m *workMeter) isInteger(d *exactNumber) bool {
	return d.small && d.exp >= 0 || !d.small && m.rat(d).IsInt()
}

// isMultiple reports whether d is an integer multiple of step.
func (m *workMeter) isMultiple(d, step *exactNumber) bool {
	if d.small && step.small && step.mantissa != 0 {
		exp := min(d.exp, step.exp)
		x, fits := d.scaled(exp)
		y, fit := step.scaled(exp)
		if fits && fit {
			return x%y == 0
		}
	}
	x, y := m.rat(d), m.rat(step)
	m.charge(perQuotient)
	return y.Sign() != 0 && x.Quo(x, y).IsInt()
}
