package scan

import (
	"math"
	"strconv"

	"confab/internal/recordformat"
)

// parsedNumber is a JSON number: ±mantissa × 10^exponent if exact, else only its text is valid.
type parsedNumber struct {
	text     []byte
	mantissa uint64
	exponent int
	negative bool
	exact    bool // the mantissa has all digits
	whole    bool // written without fraction and exponent
}

// maxExponent bounds the parsed exponent: far above any float64, far below an overflow.
const maxExponent = 1 << 20

// parseNumber parses the next number.
func (s *Scanner) parseNumber() parsedNumber {
	n := parsedNumber{exact: true, whole: true}
	start := s.Pos
	if s.Pos < len(s.data) && s.data[s.Pos] == '-' {
		n.negative = true
		s.Pos++
	}
	first := s.Pos
	if s.digits(&n, false) == 0 || (s.data[first] == '0' && s.Pos > first+1) {
		s.Fault(ReasonSyntax, "expected a value")
		return parsedNumber{}
	}
	if s.Pos < len(s.data) && s.data[s.Pos] == '.' {
		n.whole = false
		s.Pos++
		if s.digits(&n, true) == 0 {
			s.Fault(ReasonSyntax, "a number ends in its point")
			return parsedNumber{}
		}
	}
	if s.Pos < len(s.data) && s.data[s.Pos]|0x20 == 'e' {
		n.whole = false
		s.Pos++
		s.exponent(&n)
	}
	n.text = s.data[start:s.Pos]
	return n
}

// digits parses decimal digits into the mantissa and returns their number. Local variables keep the loop in registers.
func (s *Scanner) digits(n *parsedNumber, fraction bool) int {
	mantissa, at := n.mantissa, s.Pos
	for ; at < len(s.data); at++ {
		d := s.data[at] - '0'
		if d > 9 {
			break
		}
		if mantissa > (math.MaxUint64-9)/10 {
			n.exact = false
			continue
		}
		mantissa = mantissa*10 + uint64(d)
	}
	count := at - s.Pos
	if n.mantissa, s.Pos = mantissa, at; fraction {
		n.exponent = -count
	}
	return count
}

// exponent parses the part after e.
func (s *Scanner) exponent(n *parsedNumber) {
	sign := 1
	if s.Pos < len(s.data) && (s.data[s.Pos] == '+' || s.data[s.Pos] == '-') {
		if s.data[s.Pos] == '-' {
			sign = -1
		}
		s.Pos++
	}
	start, e := s.Pos, 0
	for ; s.Pos < len(s.data); s.Pos++ {
		d := s.data[s.Pos] - '0'
		if d > 9 {
			break
		}
		e = min(e*10+int(d), maxExponent)
	}
	if s.Pos == start {
		s.Fault(ReasonSyntax, "a number ends in its exponent")
	}
	n.exponent += sign * e
}

// exactTens are the powers of ten that a float64 holds exactly.
//
//nolint:gochecknoglobals // a read-only table
var exactTens = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
	1e21, 1e22,
}

// float returns the nearest float64, or an infinity.
func (n *parsedNumber) float() float64 {
	f := float64(n.mantissa)
	switch e := n.exponent; {
	case !n.exact || n.mantissa > 1<<53 || e < -22 || e > 22:
		// The text is valid, so that the only possible error is one of range, with f = ±Inf.
		f, _ = strconv.ParseFloat(recordformat.StringView(n.text), 64)
		return f
	case e < 0:
		f /= exactTens[-e]
	default:
		f *= exactTens[e]
	}
	if n.negative {
		return -f
	}
	return f
}

// Float reads a finite number.
func (s *Scanner) Float() float64 {
	f := s.FloatOrInf()
	if math.IsInf(f, 0) {
		s.Fault(ReasonOutOfRange, "larger than a float64")
		return 0
	}
	return f
}

// FloatOrInf reads a number; one beyond float64 is infinite.
func (s *Scanner) FloatOrInf() float64 {
	if c := s.Peek(); c != '-' && c-'0' > 9 {
		s.WrongType("a number")
		return 0
	}
	n := s.parseNumber()
	if s.Err != nil {
		return 0
	}
	return n.float()
}

// Integer reads a whole number between low and high.
func (s *Scanner) Integer(low, high int64) int64 {
	if c := s.Peek(); c != '-' && c-'0' > 9 {
		s.WrongType("an integer")
		return 0
	}
	n := s.parseNumber()
	switch {
	case s.Err != nil:
		return 0
	case !n.whole:
		s.Fault(ReasonWrongType, "expected an integer")
		return 0
	}
	v, err := strconv.ParseInt(recordformat.StringView(n.text), 10, 64)
	if err != nil || v < low || v > high {
		s.Fault(ReasonOutOfRange, "")
		return 0
	}
	return v
}

// Bool reads true or false.
func (s *Scanner) Bool() bool {
	switch s.Peek() {
	case 't':
		s.literal("true")
		return s.Err == nil
	case 'f':
		s.literal("false")
	default:
		s.WrongType("true or false")
	}
	return false
}
