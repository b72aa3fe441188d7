package json

import (
	"math"
	"strconv"
)

// number is a JSON number: ±mantissa × 10^exponent when exact, else only its text counts.
type number struct {
	text     []byte
	mantissa uint64
	exponent int
	negative bool
	exact    bool // no digit was left out of the mantissa
	whole    bool // written without fraction and exponent
}

// maxExponent bounds the written exponent: far past every float64, far from overflowing an int.
const maxExponent = 1 << 20

// number reads the number that comes next.
func (s *Scanner) number() number {
	n := number{exact: true, whole: true}
	start := s.pos
	if s.pos < len(s.data) && s.data[s.pos] == '-' {
		n.negative = true
		s.pos++
	}
	first := s.pos
	if s.digits(&n, false) == 0 || (s.data[first] == '0' && s.pos > first+1) {
		s.fault(ReasonSyntax, "expected a value")
		return number{}
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		n.whole = false
		s.pos++
		if s.digits(&n, true) == 0 {
			s.fault(ReasonSyntax, "a number ends in its point")
			return number{}
		}
	}
	if s.pos < len(s.data) && s.data[s.pos]|0x20 == 'e' {
		n.whole = false
		s.pos++
		s.exponent(&n)
	}
	n.text = s.data[start:s.pos]
	return n
}

// digits reads decimal digits into the mantissa and returns how many there were.
func (s *Scanner) digits(n *number, fraction bool) int {
	start := s.pos
	for ; s.pos < len(s.data); s.pos++ {
		d := s.data[s.pos] - '0'
		if d > 9 {
			break
		}
		if n.mantissa > (math.MaxUint64-9)/10 {
			n.exact = false
			continue
		}
		n.mantissa = n.mantissa*10 + uint64(d)
		if fraction {
			n.exponent--
		}
	}
	return s.pos - start
}

// exponent reads what follows the e of a number.
func (s *Scanner) exponent(n *number) {
	sign := 1
	if s.pos < len(s.data) && (s.data[s.pos] == '+' || s.data[s.pos] == '-') {
		if s.data[s.pos] == '-' {
			sign = -1
		}
		s.pos++
	}
	start, e := s.pos, 0
	for ; s.pos < len(s.data); s.pos++ {
		d := s.data[s.pos] - '0'
		if d > 9 {
			break
		}
		e = min(e*10+int(d), maxExponent)
	}
	if s.pos == start {
		s.fault(ReasonSyntax, "a number ends in its exponent")
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

// float is the nearest float64; infinite where the number is beyond all of them.
func (n *number) float() float64 {
	f := float64(n.mantissa)
	switch e := n.exponent; {
	case !n.exact || n.mantissa > 1<<53 || e < -22 || e > 22:
		// The text is a valid number, so the only error left is one of range, and f is then ±Inf: as documented.
		f, _ = strconv.ParseFloat(view(n.text), 64)
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

// float reads a finite number.
func (s *Scanner) float() float64 {
	f := s.floatOrInf()
	if math.IsInf(f, 0) {
		s.fault(ReasonOutOfRange, "larger than a float64")
		return 0
	}
	return f
}

// floatOrInf reads a number; one beyond every float64 is infinite.
func (s *Scanner) floatOrInf() float64 {
	if c := s.peek(); c != '-' && c-'0' > 9 {
		s.wrongType("a number")
		return 0
	}
	n := s.number()
	if s.err != nil {
		return 0
	}
	return n.float()
}

// integer reads a whole number between low and high.
func (s *Scanner) integer(low, high int64) int64 {
	if c := s.peek(); c != '-' && c-'0' > 9 {
		s.wrongType("an integer")
		return 0
	}
	n := s.number()
	switch {
	case s.err != nil:
		return 0
	case !n.whole:
		s.fault(ReasonWrongType, "expected an integer")
		return 0
	}
	v, err := strconv.ParseInt(view(n.text), 10, 64)
	if err != nil || v < low || v > high {
		s.fault(ReasonOutOfRange, "")
		return 0
	}
	return v
}

// flag reads true or false.
func (s *Scanner) flag() bool {
	switch s.peek() {
	case 't':
		s.word("true")
		return s.err == nil
	case 'f':
		s.word("false")
	default:
		s.wrongType("true or false")
	}
	return false
}
