package json

// Scanner reads one JSON text from front to back. The first fault sticks: every method is a no-op that returns zero
// values from then on, so that readers check once, at the end of a loop.
type Scanner struct {
	data     []byte
	pos      int
	depth    int
	maxDepth int
	field    string // the known top-level field being read, for errors
	err      *Error

	scratch  []byte // unescaped text; what was handed out stays valid when it grows
	repaired bool   // half a surrogate pair was replaced
	members  members
}

// NewScanner makes a scanner of texts that nest objects and lists no deeper than maxDepth.
func NewScanner(maxDepth int) Scanner { return Scanner{maxDepth: maxDepth} }

// start points the scanner at another text.
func (s *Scanner) start(data []byte) {
	s.data, s.pos, s.depth, s.field, s.err, s.repaired = data, 0, 0, "", nil, false
}

// restart goes back to the front of the text, with the names of its objects forgotten.
func (s *Scanner) restart() {
	s.members.reset()
	s.start(s.data)
}

// release forgets the text and everything that points into it.
func (s *Scanner) release() {
	s.start(nil)
	s.scratch = nil
	s.members.reset()
}

// size is the length of the text.
func (s *Scanner) size() int { return len(s.data) }

// since is the text from start to the present position, valid as long as the text is.
func (s *Scanner) since(start int) string { return view(s.data[start:s.pos]) }

// fault records the first fault.
func (s *Scanner) fault(reason, detail string) {
	if s.err == nil {
		s.err = &Error{Reason: reason, Field: s.field, Offset: min(s.pos, len(s.data)), detail: detail}
	}
}

// peek is the next byte that is no white space, 0 at the end.
func (s *Scanner) peek() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// take consumes c, which must come next.
func (s *Scanner) take(c byte, detail string) {
	if s.peek() != c {
		s.fault(ReasonSyntax, detail)
		return
	}
	s.pos++
}

// end makes sure that only white space is left.
func (s *Scanner) end() {
	if s.err == nil && (s.peek() != 0 || s.pos < len(s.data)) {
		s.fault(ReasonTrailingBytes, "one JSON object a record is expected")
	}
}

// wrongType refuses the next value: the field wants another type, unless it is no value at all.
func (s *Scanner) wrongType(want string) {
	switch c := s.peek(); c {
	case '{', '[', '"', 't', 'f', 'n', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		s.fault(ReasonWrongType, "expected "+want)
	default:
		s.fault(ReasonSyntax, "expected a value")
	}
}

// word consumes a literal: true, false or null.
func (s *Scanner) word(w string) {
	if end := s.pos + len(w); end <= len(s.data) && string(s.data[s.pos:end]) == w {
		s.pos = end
		return
	}
	s.fault(ReasonSyntax, "expected true, false or null")
}

// null consumes null, when that is the next value.
func (s *Scanner) null() bool {
	if s.peek() != 'n' {
		return false
	}
	s.word("null")
	return true
}

// enter opens an object or a list.
func (s *Scanner) enter() {
	s.pos++
	if s.depth++; s.depth > s.maxDepth {
		s.fault(ReasonTooDeep, "")
	}
}

// object is the state of reading one object.
type object struct {
	names   scope
	started bool
}

// object opens the object that comes next; want names what is expected there.
func (s *Scanner) object(want string) object {
	if s.peek() != '{' {
		s.wrongType(want)
		return object{}
	}
	s.enter()
	return object{names: s.members.open()}
}

// next moves to the next member of the object: its name is read, its value comes next. It returns false at the end.
func (s *Scanner) next(o *object) (name string, ok bool) {
	if s.err != nil {
		return "", false
	}
	c := s.peek()
	if c == '}' {
		s.pos++
		s.depth--
		s.members.close(o.names)
		return "", false
	}
	if o.started {
		s.take(',', "expected a comma or the object's end")
		c = s.peek()
	}
	o.started = true
	if c != '"' {
		s.fault(ReasonSyntax, "expected a name in double quotes")
		return "", false
	}
	name = s.text()
	if s.err == nil && !s.members.add(&o.names, name) {
		s.fault(ReasonDuplicateKey, "an object may hold each name once")
		return name, false
	}
	s.take(':', "expected a colon")
	return name, s.err == nil
}

// list is the state of reading one list.
type list struct{ n, most int }

// list opens the list that comes next, of at most most items.
func (s *Scanner) list(most int, want string) list {
	if s.peek() != '[' {
		s.wrongType(want)
		return list{}
	}
	s.enter()
	return list{most: most}
}

// more tells whether another item comes next.
func (s *Scanner) more(l *list) bool {
	if s.err != nil {
		return false
	}
	if s.peek() == ']' {
		s.pos++
		s.depth--
		return false
	}
	if l.n > 0 {
		s.take(',', "expected a comma or the list's end")
		if s.peek() == ']' {
			s.fault(ReasonSyntax, "a comma before the list's end")
		}
	}
	if l.n++; l.n > l.most {
		s.fault(ReasonTooMany, "")
	}
	return s.err == nil
}

// skip reads over any value, as strictly as those that are kept.
func (s *Scanner) skip() {
	if s.err != nil {
		return
	}
	switch c := s.peek(); c {
	case '{':
		o := s.object("")
		for _, ok := s.next(&o); ok; _, ok = s.next(&o) {
			s.skip()
		}
	case '[':
		l := s.list(len(s.data), "")
		for s.more(&l) {
			s.skip()
		}
	case '"':
		mark := len(s.scratch)
		s.text()
		s.scratch = s.scratch[:mark]
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.number()
	}
}
