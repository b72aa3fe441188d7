package scan

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"confab/internal/recordformat"
)

// Scanner reads one JSON text, which Start checks as a whole. After the first fault every method does nothing and returns
// zero values, so that callers check Err once, after a loop.
type Scanner struct {
	Pos      int    // index of the next value or name, in the order of the text
	Field    string // the known top-level field being read, for errors
	Err      *Error
	Scratch  []byte           // unescaped text; returned strings stay valid when it grows
	Repaired bool             // an unpaired surrogate was replaced
	Path     jsontext.Pointer // the value in which Start found a fault; it holds text of the record

	data     []byte
	nodes    []node
	maxDepth int
	tail     int // what follows the value begins here
	tokens   *tokenizer
}

// node is a value or a name in the text.
type node struct {
	start, end uint32
	next       uint32 // the node after the value and all within it
}

// tokenizer is what a scanner and its inner ones share.
type tokenizer struct {
	decoder jsontext.Decoder
	text    bytes.Buffer
	options jsontext.Options
	open    []int // indexes of the containers
	spare   []node
}

// New returns a scanner that limits nesting to maxDepth.
func New(maxDepth int) Scanner {
	// Bytes that are not UTF-8 are found by Start, which names their place.
	return Scanner{maxDepth: maxDepth, tokens: &tokenizer{options: jsontext.AllowInvalidUTF8(true)}}
}

// Start resets the scanner to a new text and checks it: syntax, nesting, names, UTF-8.
func (s *Scanner) Start(data []byte) {
	s.data, s.nodes, s.Repaired, s.Path, s.tail = data, s.nodes[:0], false, "", len(data)
	s.Restart()
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		s.Err = &Error{Reason: ReasonSyntax, Detail: "starts with a byte order mark: write UTF-8 without one"}
		return
	}
	// No other byte begins a value, except white space.
	values := 2 + bytes.Count(data, []byte{','}) + bytes.Count(data, []byte{':'}) + bytes.Count(data, []byte{'['}) + bytes.Count(data, []byte{'{'})
	s.nodes = slices.Grow(s.nodes, min(values, len(data)))
	t := s.tokens
	t.text = *bytes.NewBuffer(data)
	t.decoder.Reset(&t.text, t.options)
	s.readAll()
	if s.Err == nil {
		s.checkUTF8()
	}
	if s.Err != nil {
		s.nodes = s.nodes[:0]
	}
}

// readAll lists the values of the text.
func (s *Scanner) readAll() {
	d, t := &s.tokens.decoder, s.tokens
	t.open = t.open[:0]
	for first := true; first || len(t.open) > 0; first = false {
		if err := s.readNext(); err != nil {
			s.refuse(err)
			return
		}
		if len(t.open) > s.maxDepth {
			s.fail(ReasonTooDeep, "", int(d.InputOffset())-1, d.StackPointer())
			return
		}
	}
	rest := bytes.TrimLeft(s.data[d.InputOffset():], " \t\r\n")
	s.tail = len(s.data) - len(rest)
}

// readNext adds the next string, number or word, or opens or closes a container.
func (s *Scanner) readNext() error {
	d, t := &s.tokens.decoder, s.tokens
	kind := d.PeekKind()
	switch kind {
	case '{', '[', '}', ']':
		if _, err := d.ReadToken(); err != nil {
			return err
		}
	default:
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		end := int(d.InputOffset())
		s.add(end-len(value), end)
		s.Repaired = s.Repaired || kind == '"' && s.isRepaired(value)
		return nil
	}
	if kind == '{' || kind == '[' {
		t.open = append(t.open, len(s.nodes))
		s.add(int(d.InputOffset())-1, int(d.InputOffset()))
		return nil
	}
	last := &s.nodes[t.open[len(t.open)-1]]
	last.end, last.next = uint32(d.InputOffset()), uint32(len(s.nodes))
	t.open = t.open[:len(t.open)-1]
	return nil
}

func (s *Scanner) add(start, end int) {
	s.nodes = append(s.nodes, node{uint32(start), uint32(end), uint32(len(s.nodes) + 1)})
}

// isRepaired reports whether a string holds the escape of an unpaired surrogate.
func (s *Scanner) isRepaired(quoted []byte) bool {
	at := max(0, bytes.Index(quoted, []byte(`\u`)))
	if at == 0 || !bytes.Contains(quoted[at:], []byte(`\ud`)) && !bytes.Contains(quoted[at:], []byte(`\uD`)) {
		return false
	}
	out, err := jsontext.AppendUnquote(s.Scratch, quoted)
	s.Scratch = out[:len(s.Scratch)]
	return err != nil
}

// checkUTF8 faults at the first byte that is not UTF-8.
func (s *Scanner) checkUTF8() {
	if utf8.Valid(s.data) {
		return
	}
	at := 0
	for at < len(s.data) {
		r, size := utf8.DecodeRune(s.data[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	s.fail(ReasonBadUTF8, "text must be UTF-8", at, "")
	if len(s.nodes) == 0 || s.data[s.nodes[0].start] != '{' {
		return
	}
	for i := 1; i < len(s.nodes); i = int(s.nodes[i+1].next) {
		if name, value := &s.nodes[i], &s.nodes[i+1]; int(value.start) <= at && at < int(value.end) {
			s.Path = jsontext.Pointer("").AppendToken(string(s.data[name.start+1 : name.end-1]))
		}
	}
}

func (s *Scanner) fail(reason, detail string, offset int, path jsontext.Pointer) {
	s.Err = &Error{Reason: reason, Offset: min(offset, len(s.data)), Detail: detail}
	s.Path = path
}

// refuse faults with an error of the decoder, which has no kinds of errors.
func (s *Scanner) refuse(err error) {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || errors.Is(err, io.ErrUnexpectedEOF) {
		path := s.tokens.decoder.StackPointer()
		if ok {
			path = syntactic.JSONPointer
		}
		s.fail(ReasonSyntax, s.cutOff(), len(s.data), path)
		return
	}
	reason, detail := ReasonSyntax, "no JSON value"
	for _, known := range []struct{ words, reason, detail string }{
		{jsontext.ErrDuplicateName.Error(), ReasonDuplicateKey, "a key occurs twice"},
		{jsontext.ErrNonStringName.Error(), ReasonSyntax, "missing quoted key"},
		{"non-control character", ReasonControlCharacter, "a control character in a string"},
		{"escape sequence", ReasonSyntax, "an unknown escape in a string"},
		{"in number", ReasonSyntax, "not a JSON number"},
		{"after object name", ReasonSyntax, "no colon after a key"},
		{"after object value", ReasonSyntax, "no comma or closing bracket after an element"},
		{"after array element", ReasonSyntax, "no comma or closing bracket after an element"},
	} {
		if strings.Contains(syntactic.Err.Error(), known.words) {
			s.fail(known.reason, known.detail, int(syntactic.ByteOffset), syntactic.JSONPointer)
			return
		}
	}
	d := &s.tokens.decoder
	if kind, length := d.StackIndex(d.StackDepth()); kind == '{' && length%2 == 0 {
		detail = "missing quoted key"
	}
	s.fail(reason, detail, int(syntactic.ByteOffset), syntactic.JSONPointer)
}

// cutOff says what the end of the text cuts off.
func (s *Scanner) cutOff() string {
	rest := bytes.TrimLeft(s.data[s.tokens.decoder.InputOffset():], " \t\r\n,:")
	switch {
	case len(rest) > 0 && rest[0] == '"':
		return "a string without an end"
	case len(rest) > 0 && (rest[0] == '-' || rest[0]-'0' <= 9):
		return "not a JSON number"
	case len(rest) == 0 && len(bytes.TrimSpace(s.data)) > 0:
		return "the text ends within the JSON value"
	}
	return "no JSON value"
}

// Restart resets the scanner to the start of the text.
func (s *Scanner) Restart() { s.Pos, s.Field, s.Err = 0, "", nil }

// Inner returns a scanner of a text within the current one, such as JSON in a string, so many containers deep. It nests as
// deep as is left there, and shares Scratch. Close it at last.
func (s *Scanner) Inner(data []byte, depth int) Scanner {
	inner := Scanner{maxDepth: s.maxDepth - depth, Scratch: s.Scratch, tokens: s.tokens, nodes: s.tokens.spare}
	s.tokens.spare = nil
	inner.Start(data)
	inner.Field = s.Field
	if inner.Err != nil {
		inner.Err.Field = s.Field
	}
	return inner
}

// Close takes back the storage of an inner scanner.
func (s *Scanner) Close(inner *Scanner) {
	s.Scratch, s.Repaired = inner.Scratch, s.Repaired || inner.Repaired
	s.tokens.spare = inner.nodes
}

// Mark is a position of a scanner at the start of a value.
type Mark struct{ pos, scratch int }

// Mark returns the current position.
func (s *Scanner) Mark() Mark { return Mark{s.Pos, len(s.Scratch)} }

// Rewind returns to a mark and drops the fault and the text that were read since.
func (s *Scanner) Rewind(m Mark) {
	s.Pos, s.Err, s.Scratch = m.pos, nil, s.Scratch[:m.scratch]
}

// keepNodes is the number of values up to which an idle scanner keeps its list of them.
const keepNodes = 1 << 16

// Release drops the text and all references to it.
func (s *Scanner) Release() {
	s.Restart()
	s.data, s.Scratch, s.Path, s.nodes = nil, nil, "", s.nodes[:0]
	if cap(s.nodes) > keepNodes {
		s.nodes = nil
	}
	t := s.tokens
	t.text = bytes.Buffer{}
	t.decoder.Reset(&t.text, t.options)
	if cap(t.spare) > keepNodes {
		t.spare = nil
	}
}

// Size returns the length of the text.
func (s *Scanner) Size() int { return len(s.data) }

// Since returns the text of the value at a position, valid as long as the text is.
func (s *Scanner) Since(pos int) string { return recordformat.StringView(s.BytesSince(pos)) }

// BytesSince is Since as bytes.
func (s *Scanner) BytesSince(pos int) []byte {
	if pos < 0 || pos >= len(s.nodes) {
		return nil
	}
	return s.data[s.nodes[pos].start:s.nodes[pos].end]
}

// Offset is the place of the next value in the text.
func (s *Scanner) Offset() int {
	if s.Pos < len(s.nodes) {
		return int(s.nodes[s.Pos].start)
	}
	return s.tail
}

// Fault records a fault at the next value, unless there is an earlier one.
func (s *Scanner) Fault(reason, detail string) {
	if s.Err == nil {
		s.Err = &Error{Reason: reason, Field: s.Field, Offset: s.Offset(), Detail: detail}
	}
}

// Peek returns the first byte of the next value, 0 at the end.
func (s *Scanner) Peek() byte { return s.Kind(s.Pos) }

// End faults if something follows the value.
func (s *Scanner) End() {
	if s.Err == nil && s.tail < len(s.data) {
		s.Err = &Error{Reason: ReasonTrailingBytes, Offset: s.tail, Detail: "one JSON object a record is expected"}
	}
}

// WrongType faults at the next value, with the expected type.
func (s *Scanner) WrongType(want string) { s.Fault(ReasonWrongType, "expected "+want) }

// Null consumes null and reports whether it was next.
func (s *Scanner) Null() bool {
	if s.Err != nil || s.Peek() != 'n' {
		return false
	}
	s.Pos++
	return true
}

// Object is the state of reading one object.
type Object struct{ end int }

// Object opens the next object; want describes what is expected.
func (s *Scanner) Object(want string) Object { return Object{s.enter('{', want)} }

// enter opens a container and returns the position after it.
func (s *Scanner) enter(opening byte, want string) int {
	if s.Peek() != opening {
		s.WrongType(want)
		return 0
	}
	end := int(s.nodes[s.Pos].next)
	s.Pos++
	return end
}

// Next reads the name of the next member; its value is next. It returns false at the end.
func (s *Scanner) Next(o *Object) (name string, ok bool) {
	if s.Err != nil || s.Pos >= o.end {
		return "", false
	}
	return s.Text(), true
}

// List is the state of reading one list.
type List struct{ end, n, most int }

// List opens the next list, of at most most items.
func (s *Scanner) List(most int, want string) List { return List{end: s.enter('[', want), most: most} }

// More reports whether another item is next.
func (s *Scanner) More(l *List) bool {
	if s.Err != nil || s.Pos >= l.end {
		return false
	}
	if l.n++; l.n > l.most {
		s.Fault(ReasonTooMany, "")
	}
	return s.Err == nil
}

// Kind returns the first byte of the value at a position, 0 for none.
func (s *Scanner) Kind(pos int) byte {
	if pos < 0 || pos >= len(s.nodes) {
		return 0
	}
	return s.data[s.nodes[pos].start]
}

// Within returns the position of the first item of the list or of the first name of the object at a position, and that behind
// the last one: the same for a value that does not open with that byte.
func (s *Scanner) Within(pos int, opening byte) (first, end int) {
	if s.Kind(pos) != opening {
		return 0, 0
	}
	return pos + 1, int(s.nodes[pos].next)
}

// After returns the position after a value and all within it. The value of a name is directly behind it.
func (s *Scanner) After(pos int) int { return int(s.nodes[pos].next) }

// Find returns the position of a member of the object at a position, or of the item of the list there with that index; -1 for
// none. variant reports a member whose name differs only in case.
func (s *Scanner) Find(pos int, name string) (at int, variant bool) {
	at = -1
	for i, end := s.Within(pos, '{'); i < end; i = s.After(i + 1) {
		if member := s.NameAt(i); member == name {
			at = i + 1
		} else if len(member) >= len(name) && strings.EqualFold(member, name) {
			variant = true
		}
	}
	if s.Kind(pos) != '[' {
		return at, variant
	}
	index, err := strconv.ParseUint(name, 10, 32)
	if err != nil || len(name) > 1 && name[0] == '0' {
		return at, false
	}
	for i, end := s.Within(pos, '['); i < end; i = s.After(i) {
		if index == 0 {
			return i, false
		}
		index--
	}
	return at, false
}

// NameAt is the name of a member.
func (s *Scanner) NameAt(pos int) string {
	quoted := s.BytesSince(pos)
	if bytes.IndexByte(quoted, '\\') >= 0 {
		name, _ := jsontext.AppendUnquote(nil, quoted)
		return string(name)
	}
	return recordformat.StringView(quoted[1 : len(quoted)-1])
}

// Skip skips any value.
func (s *Scanner) Skip() {
	if s.Err == nil && s.Pos < len(s.nodes) {
		s.Pos = int(s.nodes[s.Pos].next)
	}
}

// Source skips the next value and returns it as it is written; nil after a fault.
func (s *Scanner) Source() []byte {
	start := s.Pos
	if s.Skip(); s.Err != nil {
		return nil
	}
	return s.BytesSince(start)
}

// Text reads the next string, which the caller has seen to begin. The result points into the data, or into Scratch when
// escapes were resolved.
func (s *Scanner) Text() string {
	if s.Err != nil {
		return ""
	}
	quoted := s.BytesSince(s.Pos)
	s.Pos++
	if bytes.IndexByte(quoted, '\\') < 0 {
		return recordformat.StringView(quoted[1 : len(quoted)-1])
	}
	begin := len(s.Scratch)
	s.Scratch, _ = jsontext.AppendUnquote(s.Scratch, quoted) // Start has seen unpaired surrogates, the only error
	return recordformat.StringView(s.Scratch[begin:])
}

// TextAt returns the string at a position, "" for another value and for none.
func (s *Scanner) TextAt(pos int) string {
	if s.Kind(pos) != '"' {
		return ""
	}
	s.Pos = pos
	return s.Text()
}

// OptionalText reads a string, or null as "".
func (s *Scanner) OptionalText() string {
	if s.Err == nil && s.Peek() == '"' {
		return s.Text()
	}
	if !s.Null() {
		s.WrongType("a string")
	}
	return ""
}

// Float reads a finite number.
func (s *Scanner) Float() float64 {
	f := s.FloatOrInf()
	if math.IsInf(f, 0) {
		s.Pos--
		s.Fault(ReasonOutOfRange, "larger than a float64")
		return 0
	}
	return f
}

// FloatOrInf reads a number; one beyond float64 is infinite.
func (s *Scanner) FloatOrInf() float64 {
	text := s.number("a number")
	if text == "" {
		return 0
	}
	f, _ := strconv.ParseFloat(text, 64) // the text is a number, so that the only error is one of range, with f = ±Inf
	return f
}

// Integer reads a whole number between low and high.
func (s *Scanner) Integer(low, high int64) int64 {
	text := s.number("an integer")
	if text == "" {
		return 0
	}
	v, err := strconv.ParseInt(text, 10, 64)
	switch {
	case strings.ContainsAny(text, ".eE"):
		s.Fault(ReasonWrongType, "expected an integer")
		return 0
	case err != nil || v < low || v > high:
		s.Fault(ReasonOutOfRange, "")
		return 0
	}
	return v
}

// number reads the text of a number, "" after a fault.
func (s *Scanner) number(want string) string {
	if c := s.Peek(); c != '-' && c-'0' > 9 {
		s.WrongType(want)
	}
	if s.Err != nil {
		return ""
	}
	s.Pos++
	return s.Since(s.Pos - 1)
}

// Bool reads true or false.
func (s *Scanner) Bool() bool {
	c := s.Peek()
	if c != 't' && c != 'f' {
		s.WrongType("true or false")
	}
	if s.Err != nil {
		return false
	}
	s.Pos++
	return c == 't'
}
