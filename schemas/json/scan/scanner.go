package scan

import "confab/internal/recordformat"

// Scanner scans one JSON text. After the first fault every method does nothing and returns zero values, so that callers
// check Err once, after a loop.
type Scanner struct {
	data     []byte
	Pos      int
	Depth    int
	maxDepth int
	Field    string // the known top-level field being read, for errors
	Err      *Error

	Scratch  []byte // unescaped text; returned strings stay valid when it grows
	Repaired bool   // an unpaired surrogate was replaced
	members  memberNames
}

// New returns a scanner that limits nesting to maxDepth.
func New(maxDepth int) Scanner { return Scanner{maxDepth: maxDepth} }

// Start resets the scanner to a new text.
func (s *Scanner) Start(data []byte) {
	s.data, s.Pos, s.Depth, s.Field, s.Err, s.Repaired = data, 0, 0, "", nil, false
}

// Restart resets the scanner to the start of the text.
func (s *Scanner) Restart() {
	s.members.reset()
	s.Start(s.data)
}

// Inner returns a scanner of a text within the current one, such as JSON in a string. It nests as deep as is left here, and
// shares Scratch: set it back when the text was read.
func (s *Scanner) Inner(data []byte) Scanner {
	return Scanner{data: data, maxDepth: s.maxDepth - s.Depth, Field: s.Field, Scratch: s.Scratch}
}

// Mark is a position of a scanner at the start of a value.
type Mark struct{ pos, depth, names, scratch int }

// Mark returns the current position.
func (s *Scanner) Mark() Mark {
	return Mark{pos: s.Pos, depth: s.Depth, names: len(s.members.few), scratch: len(s.Scratch)}
}

// Rewind returns to a mark and drops the fault and the text that were read since. Objects that were open at the mark must
// still be open.
func (s *Scanner) Rewind(m Mark) {
	s.Pos, s.Depth, s.Err, s.Scratch = m.pos, m.depth, nil, s.Scratch[:m.scratch]
	s.members.rewind(m.names)
}

// Release drops the text and all references to it.
func (s *Scanner) Release() {
	s.Start(nil)
	s.Scratch = nil
	s.members.reset()
}

// Size returns the length of the text.
func (s *Scanner) Size() int { return len(s.data) }

// Since returns the text from start to the current position, valid as long as the text is.
func (s *Scanner) Since(start int) string { return recordformat.StringView(s.data[start:s.Pos]) }

// BytesSince is Since as bytes.
func (s *Scanner) BytesSince(start int) []byte { return s.data[start:s.Pos] }

// Fault records a fault, unless there is an earlier one.
func (s *Scanner) Fault(reason, detail string) {
	if s.Err == nil {
		s.Err = &Error{Reason: reason, Field: s.Field, Offset: min(s.Pos, len(s.data)), Detail: detail}
	}
}

// Peek skips white space and returns the next byte, 0 at the end.
func (s *Scanner) Peek() byte {
	for s.Pos < len(s.data) {
		switch c := s.data[s.Pos]; c {
		case ' ', '\t', '\n', '\r':
			s.Pos++
		default:
			return c
		}
	}
	return 0
}

// expect consumes c, or faults.
func (s *Scanner) expect(c byte, detail string) {
	if s.Peek() != c {
		s.Fault(ReasonSyntax, detail)
		return
	}
	s.Pos++
}

// End faults unless only white space is left.
func (s *Scanner) End() {
	if s.Err == nil && (s.Peek() != 0 || s.Pos < len(s.data)) {
		s.Fault(ReasonTrailingBytes, "one JSON object a record is expected")
	}
}

// WrongType faults at the next value, with the expected type.
func (s *Scanner) WrongType(want string) {
	switch c := s.Peek(); c {
	case '{', '[', '"', 't', 'f', 'n', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		s.Fault(ReasonWrongType, "expected "+want)
	default:
		s.Fault(ReasonSyntax, "expected a value")
	}
}

// literal consumes true, false or null.
func (s *Scanner) literal(w string) {
	if end := s.Pos + len(w); end <= len(s.data) && string(s.data[s.Pos:end]) == w {
		s.Pos = end
		return
	}
	s.Fault(ReasonSyntax, "expected true, false or null")
}

// Null consumes null and reports whether it was next.
func (s *Scanner) Null() bool {
	if s.Peek() != 'n' {
		return false
	}
	s.literal("null")
	return true
}

// enter opens an object or a list.
func (s *Scanner) enter() {
	s.Pos++
	if s.Depth++; s.Depth > s.maxDepth {
		s.Fault(ReasonTooDeep, "")
	}
}

// Object is the state of reading one object.
type Object struct {
	names   objectScope
	started bool
}

// Object opens the next object; want describes what is expected.
func (s *Scanner) Object(want string) Object {
	if s.Peek() != '{' {
		s.WrongType(want)
		return Object{}
	}
	s.enter()
	return Object{names: s.members.open()}
}

// Next reads the name of the next member; its value is next. It returns false at the end.
func (s *Scanner) Next(o *Object) (name string, ok bool) {
	if s.Err != nil {
		return "", false
	}
	c := s.Peek()
	if c == '}' {
		s.Pos++
		s.Depth--
		s.members.close(o.names)
		return "", false
	}
	if o.started {
		s.expect(',', "expected a comma or the object's end")
		c = s.Peek()
	}
	o.started = true
	if c != '"' {
		s.Fault(ReasonSyntax, "expected a name in double quotes")
		return "", false
	}
	name = s.Text()
	if s.Err == nil && !s.members.add(&o.names, name) {
		s.Fault(ReasonDuplicateKey, "an object may hold each name once")
		return name, false
	}
	s.expect(':', "expected a colon")
	return name, s.Err == nil
}

// List is the state of reading one list.
type List struct{ n, most int }

// List opens the next list, of at most most items.
func (s *Scanner) List(most int, want string) List {
	if s.Peek() != '[' {
		s.WrongType(want)
		return List{}
	}
	s.enter()
	return List{most: most}
}

// More reports whether another item is next.
func (s *Scanner) More(l *List) bool {
	if s.Err != nil {
		return false
	}
	if s.Peek() == ']' {
		s.Pos++
		s.Depth--
		return false
	}
	if l.n > 0 {
		s.expect(',', "expected a comma or the list's end")
		if s.Peek() == ']' {
			s.Fault(ReasonSyntax, "a comma before the list's end")
		}
	}
	if l.n++; l.n > l.most {
		s.Fault(ReasonTooMany, "")
	}
	return s.Err == nil
}

// Skip skips any value, with the same checks as values that are kept.
func (s *Scanner) Skip() {
	if s.Err != nil {
		return
	}
	switch c := s.Peek(); c {
	case '{':
		o := s.Object("")
		for _, ok := s.Next(&o); ok; _, ok = s.Next(&o) {
			s.Skip()
		}
	case '[':
		l := s.List(len(s.data), "")
		for s.More(&l) {
			s.Skip()
		}
	case '"':
		mark := len(s.Scratch)
		s.Text()
		s.Scratch = s.Scratch[:mark]
	case 't':
		s.literal("true")
	case 'f':
		s.literal("false")
	case 'n':
		s.literal("null")
	default:
		s.parseNumber()
	}
}
