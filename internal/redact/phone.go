package redact

const (
	maxPhoneDigits = 15 // ITU-T E.164
	maxPhoneGroups = 8
)

// phoneRead is a run of digit groups that may be a phone number.
type phoneRead struct {
	plus   bool
	zero   bool // the first digit is 0
	zeros  bool // the first group has only zeros
	zeroes int  // zeros at the beginning
	first  byte
	dots   int  // separators that are dots
	spaces int  // separators that are single spaces
	paren  bool // a group is in parentheses
	round  int  // groups that end with 0
	groups [maxPhoneGroups]int
	n      int // groups
	digits int
}

// phone matches + with 8 to 15 digits in groups or 10 to 15 in one; North American numbers (3-3-4, with or without 1); and
// numbers with a trunk 0 and a separate area code (020 7946 0958). One group of digits without + is kept, because other
// numbers look the same.
func (sc *scanner) phone(p int) bool {
	r := phoneRead{plus: sc.text[p] == '+', zeros: true}
	i, end := p, 0
	if r.plus {
		i++
	}
	for r.n < maxPhoneGroups {
		var ok bool
		if i, ok = sc.phoneGroup(i, &r); !ok {
			break
		}
		if r.accepts() && sc.endsNumber(i) && !sc.listsNumbers(p, i, &r) {
			end = i
		}
		if i = sc.phoneSeparator(i, &r); i < 0 {
			break
		}
	}
	if end == 0 {
		return false
	}
	return sc.found(p, end, "[phone]")
}

// beginsPhone reports whether a number without + may begin with the group of n digits at p and the separator behind it.
func (sc *scanner) beginsPhone(p, n int) bool {
	next := p + n + 1
	switch {
	case sc.byteAt(next) != '(' && !isDigit(sc.byteAt(next)):
		return false
	case sc.text[p] == '0':
		return n >= 2 && n <= 5
	case n != 1 && n != 3:
		return false
	}
	return sc.byteAt(next) == '(' || isDigit(sc.byteAt(next+1)) && isDigit(sc.byteAt(next+2))
}

// phoneGroup reads a group of digits at i, in parentheses or not.
func (sc *scanner) phoneGroup(i int, r *phoneRead) (int, bool) {
	open := sc.byteAt(i) == '('
	if open {
		i++
	}
	start := i
	for ; isDigit(sc.byteAt(i)) && r.digits <= maxPhoneDigits; i++ {
		if r.digits == 0 {
			r.first, r.zero = sc.text[i], sc.text[i] == '0'
		}
		if r.digits == r.zeroes && sc.text[i] == '0' {
			r.zeroes++
		}
		if r.n == 0 && sc.text[i] != '0' {
			r.zeros = false
		}
		r.digits++
	}
	if i == start || r.digits > maxPhoneDigits {
		return i, false
	}
	if open {
		if sc.byteAt(i) != ')' {
			return i, false
		}
		i++
	}
	r.groups[r.n] = i - start
	if sc.text[i-1] == '0' {
		r.round++
	}
	if open {
		r.paren = true
		r.groups[r.n]--
	}
	r.n++
	return i, true
}

// phoneSeparator skips the separator between two groups. It returns -1 when no group follows.
func (sc *scanner) phoneSeparator(i int, r *phoneRead) int {
	switch b := sc.byteAt(i); b {
	case ' ':
		r.spaces++
	case '-', '/':
	case '.':
		r.dots++
	default:
		if i > 0 && sc.text[i-1] == ')' && isDigit(b) {
			return i
		}
		return -1
	}
	i++
	if b := sc.byteAt(i); isDigit(b) || b == '(' && isDigit(sc.byteAt(i+1)) {
		return i
	}
	return -1
}

// accepts reports whether the groups read so far are a phone number.
func (r *phoneRead) accepts() bool {
	g := r.groups[:r.n]
	if r.plus {
		return r.digits >= 10 || r.n > 1 && r.digits >= 8 && (r.n > 2 || r.dots == 0) // +1.2345678 is a number
	}
	if r.zero && g[0] == 2 {
		return !r.zeros && r.isArea()
	}
	if r.zero && r.zeroes == 2 && r.n > 1 && 4 <= g[0] && g[0] <= 5 {
		return r.dots == 0 && r.digits >= 10
	}
	if r.zero {
		return r.n >= 2 && g[0] >= 3 && g[0] <= 5 && !r.zeros && r.dots == 0 && r.digits >= 10 && r.digits <= 12
	}
	if r.n == 5 && r.first == '8' {
		return g[0] == 1 && g[1] == 3 && g[2] == 3 && g[3] == 2 && g[4] == 2 // Russia
	}
	if r.paren && r.n == 3 && g[0] == 2 {
		return (g[1] == 4 || g[1] == 5) && g[2] == 4 // Brazil
	}
	if r.n == 4 && g[0] == 1 {
		g = g[1:]
	}
	return len(g) == 3 && g[0] == 3 && g[1] == 3 && g[2] == 4
}

// isArea reports the layouts of numbers whose area code is 0 and a digit: 06 39 98 01 23, 03-1234-5678 and 06-12345678.
func (r *phoneRead) isArea() bool {
	g := r.groups[:r.n]
	switch r.n {
	case 2:
		return g[1] == 8 && r.dots == 0
	case 3:
		return g[1] == 4 && g[2] == 4 && r.dots == 0
	case 5:
		return g[1] == 2 && g[2] == 2 && g[3] == 2 && g[4] == 2
	}
	return false
}

// listsNumbers reports groups that spaces separate and that are rather numbers of their own: an area code that begins with 0
// or 1, only round numbers, or more numbers next to them.
func (sc *scanner) listsNumbers(p, end int, r *phoneRead) bool {
	if r.zero && r.groups[0] == 2 && r.n == 5 { // more pairs
		return isDigit(sc.before(p, 2)) && sc.before(p, 1) == sc.byteAt(p+2) || sc.byteAt(end) == sc.byteAt(p+2) && isDigit(sc.byteAt(end+1))
	}
	if r.plus || r.zero || r.paren || r.spaces != r.n-1 {
		return false
	}
	area := sc.text[p]
	if r.n == 4 {
		area = sc.byteAt(p + 2)
	}
	return area < '2' || r.round == r.n || sc.before(p, 1) == ' ' && isDigit(sc.before(p, 2)) ||
		sc.byteAt(end) == ' ' && isDigit(sc.byteAt(end+1))
}
