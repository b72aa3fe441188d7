package files

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// NewRecords returns a Lines that gives one line for each record of r: also of a JSON array, of objects over several lines, of a
// table with a header (CSV), whose rows are objects of texts without their empty cells, and of captured streams of server-sent events,
// each of which is the response of a request that is null. isOne reports an array in one line that
// is one record; nil: none is. Number counts the lines that it gives, of a table those of the file.
func NewRecords(r io.Reader, maxBytes int, isOne func(array []byte) bool) (*Lines, error) {
	l, err := NewLines(r, maxBytes)
	if err != nil {
		return nil, err
	}
	first, rest, _ := bytes.Cut(bytes.TrimLeft(l.Head(), " \t\r\n"), []byte("\n"))
	if separatorLine.Match(first) {
		_, _ = l.r.ReadSlice('\n')
		first, rest, _ = bytes.Cut(rest, []byte("\n"))
	}
	first, rest = bytes.TrimSpace(first), bytes.TrimLeft(rest, " \t\r\n")
	from := &recordReader{from: io.LimitedReader{R: l.r}, most: 2*int64(maxBytes) + 1<<20}
	array := beginsArray(first, rest, isOne)
	switch {
	case array, bytes.HasPrefix(first, []byte("{")) && bytes.HasPrefix(rest, []byte(`"`)) && !json.Valid(first):
		from.next = values(json.NewDecoder(&from.from), array)
	case utf8.Valid(first) && headerLine.Match(first) && !bytes.HasPrefix(rest, []byte("{")): // also of a table without a row
		table := csv.NewReader(&from.from)
		from.next = rows(table, first)
		l.placed = func() int { line, _ := table.FieldPos(0); return line }
	case serverEvent.Match(first):
		from.next = streams(bufio.NewReader(&from.from))
	default:
		return l, nil
	}
	l.r = bufio.NewReaderSize(from, 256<<10)
	return l, nil
}

// beginsArray distinguishes an array over the whole file from lines that hold arrays, and from a log whose lines begin with a bracket.
func beginsArray(first, rest []byte, isOne func([]byte) bool) bool {
	inner, is := bytes.CutPrefix(first, []byte("["))
	if inner = bytes.TrimSpace(inner); len(inner) == 0 {
		inner = rest
	}
	return is && (bytes.HasPrefix(inner, []byte("{")) || string(bytes.TrimSpace(inner)) == "]") && (!json.Valid(first) || len(rest) == 0 && (isOne == nil || !isOne(first)))
}

// headerLine is a line of names of columns, two at least.
var headerLine = regexp.MustCompile(`^` + headerCell + `([,;\t|]` + headerCell + `)+$`)

// headerCell is the name of a column, or none: of an index.
const headerCell = `("?[\pL\pS_@#][^,;\t|{}<>="\x00-\x1f]*"?)?`

// separatorLine is the first line of a table that tells spreadsheets its separator.
var separatorLine = regexp.MustCompile(`^"?sep=[,;\t|]"?\s*$`)

// serverEvent is a line of a stream of server-sent events; streamEnd is the last one of an answer.
var (
	serverEvent = regexp.MustCompile(`^(data|event): ?\S`)
	streamEnd   = regexp.MustCompile(`^data: ?(\[DONE\]|\{"type": ?"(message_stop|response\.completed|response\.incomplete|response\.failed)")`)
)

// recordReader gives records as lines.
type recordReader struct {
	from io.LimitedReader
	most int64 // bytes that one record may take, with what is read ahead
	next func() ([]byte, error)
	line []byte
	err  error
}

// Read implements io.Reader.
func (r *recordReader) Read(p []byte) (n int, err error) {
	if len(r.line) == 0 && r.err == nil {
		r.from.N = r.most
		if r.line, r.err = r.next(); r.err == nil {
			r.line = append(r.line, '\n')
		} else if r.from.N <= 0 {
			r.err = ErrTooLong
		}
	}
	if len(r.line) == 0 {
		return 0, r.err
	}
	n = copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

// values returns a function that reads the next value of an array, or of those that follow each other.
func values(d *json.Decoder, array bool) func() ([]byte, error) {
	opened := false
	return func() ([]byte, error) {
		if array && !opened {
			opened = true
			_, _ = d.Token() // the bracket
		}
		for !d.More() {
			if err := atEnd(d, array); err != nil {
				return nil, err
			}
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("the JSON of the file: %w", err)
		}
		var line bytes.Buffer
		err := json.Compact(&line, value)
		return line.Bytes(), err
	}
}

// atEnd is io.EOF where nothing is missing and nothing follows; nil where a further array begins.
func atEnd(d *json.Decoder, array bool) error {
	if array {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return io.ErrUnexpectedEOF
		}
	}
	if next, err := d.Token(); array && next == json.Delim('[') {
		return nil
	} else if !errors.Is(err, io.EOF) {
		return fmt.Errorf("the JSON of the file: something follows its end at byte %d", d.InputOffset())
	}
	return io.EOF
}

// rows returns a function that reads the next row of a table with a header.
func rows(r *csv.Reader, header []byte) func() ([]byte, error) {
	r.FieldsPerRecord = -1 // spreadsheets leave out empty cells at the end
	for _, separator := range ";\t|" {
		if bytes.Count(header, []byte(string(separator))) > bytes.Count(header, []byte(string(r.Comma))) {
			r.Comma = separator
		}
	}
	var columns []string
	var seen encoding
	return func() (_ []byte, err error) {
		if columns == nil {
			columns, err = columnsOf(r)
		}
		var row []string
		if err == nil {
			row, err = seen.read(r)
		}
		if err == nil && len(row) > len(columns) {
			line, _ := r.FieldPos(0)
			err = fmt.Errorf("line %d has %d cells, the header %d: quote cells that hold separators", line, len(row), len(columns))
		} else if fault, ok := errors.AsType[*csv.ParseError](err); ok && len(row) < len(columns) {
			err = fmt.Errorf("line %d, column %s: %w: write a quote within a quoted cell twice", fault.StartLine, columns[len(row)], fault.Err)
		}
		if err != nil {
			return nil, inTable(err)
		}
		o := map[string]string{}
		for i, cell := range row {
			if cell != "" {
				o[columns[i]] = cell
			}
		}
		return json.Marshal(o)
	}
}

// ErrNotUTF8 reports a table in another encoding.
var ErrNotUTF8 = errors.New("it is not UTF-8: convert the file, e.g. iconv -f WINDOWS-1252 -t UTF-8 FILE > NEW")

// encoding counts the characters beyond ASCII that are UTF-8, and the bytes that are not.
type encoding struct{ good, bad int }

// read reads a row. ErrNotUTF8 is that of one in another encoding, rather than of a broken byte in UTF-8.
func (e *encoding) read(r *csv.Reader) ([]string, error) {
	cells, err := r.Read()
	text := strings.Join(cells, "")
	for _, r := range text {
		if r == utf8.RuneError {
			e.bad++
		} else if r >= utf8.RuneSelf {
			e.good++
		}
	}
	if err == nil && e.bad > e.good && !utf8.ValidString(text) {
		line, _ := r.FieldPos(0)
		err = fmt.Errorf("line %d: %w", line, ErrNotUTF8)
	}
	return cells, err
}

// columnsOf reads the header.
func columnsOf(r *csv.Reader) ([]string, error) {
	columns, err := r.Read()
	for i, name := range columns {
		if name == "" { // of an index, as pandas writes it
			columns[i] = fmt.Sprintf("column_%d", i+1)
		}
	}
	if err == nil && len(slices.Compact(slices.Sorted(slices.Values(columns)))) < len(columns) {
		err = errors.New("two columns have one name")
	}
	return columns, err
}

func inTable(err error) error {
	if errors.Is(err, io.EOF) {
		return err
	}
	return fmt.Errorf("the table of the file: %w", err)
}

// streams returns a function that reads the next stream of server-sent events as an object.
func streams(br *bufio.Reader) func() ([]byte, error) {
	return func() ([]byte, error) {
		var text []byte
		for {
			line, err := br.ReadBytes('\n')
			text = append(text, line...)
			ended := streamEnd.Match(line)
			if len(bytes.TrimSpace(text)) == 0 && err != nil {
				return nil, err
			}
			if ended || errors.Is(err, io.EOF) {
				return json.Marshal(map[string]any{"request": nil, "response": string(text)})
			}
			if err != nil {
				return nil, err
			}
		}
	}
}
