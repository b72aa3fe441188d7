package files

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// ErrTooLong reports a line over the limit. The reader has skipped it and can continue.
var ErrTooLong = errors.New("line is too long")

// Lines reads JSON Lines with bounded memory. It detects gzip by its magic bytes, and skips a byte order mark of UTF-8.
type Lines struct {
	r      *bufio.Reader
	max    int
	number int
	buf    []byte

	next   func() (line []byte, number int, err error) // instead of r; may be nil
	placed func() int                                  // the number of the line last read; nil: it is counted
}

// NewLines returns a Lines for r with lines of at most maxBytes.
func NewLines(r io.Reader, maxBytes int) (*Lines, error) {
	br := bufio.NewReaderSize(r, 256<<10)
	if magic, _ := br.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		gz, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("open gzip input: %w", err)
		}
		br = bufio.NewReaderSize(gz, 256<<10)
	}
	if mark, _ := br.Peek(len(utf8Mark)); string(mark) == utf8Mark {
		_, _ = br.Discard(len(utf8Mark))
	}
	return &Lines{r: br, max: maxBytes}, nil
}

// utf8Mark is the byte order mark that some editors write.
const utf8Mark = "\xef\xbb\xbf"

// Head returns the first bytes after gzip, as many as one read gave, without consuming them. Call it before Next.
func (l *Lines) Head() []byte {
	_, _ = l.r.Peek(1)
	head, _ := l.r.Peek(l.r.Buffered())
	return head
}

// Through returns a Lines with the same head whose lines come from a function, with their numbers. It may read those of l.
func (l *Lines) Through(next func() (line []byte, number int, err error)) *Lines {
	return &Lines{r: l.r, max: l.max, next: next, placed: l.placed}
}

// IsTable reports lines that are rows of a table, so that their bytes are not those of the file.
func (l *Lines) IsTable() bool { return l.placed != nil }

// Number returns the number of the line last returned, counted from 1.
func (l *Lines) Number() int { return l.number }

// Next returns the next line that is not blank, without white space around it; it is valid until the next call. It returns
// io.EOF at the end and ErrTooLong for a line over the limit.
func (l *Lines) Next() (line []byte, err error) {
	if l.next != nil {
		line, l.number, err = l.next()
		return line, err
	}
	for {
		line, err := l.read()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, nil
		}
	}
}

// place says in which line an error is. One of a table says it.
func (l *Lines) place(err error) error {
	if l.placed != nil {
		return err
	}
	return fmt.Errorf("read line %d: %w", l.number+1, err)
}

func (l *Lines) read() ([]byte, error) {
	l.buf = l.buf[:0]
	tooLong := false
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.buf)+len(part) > l.max+1 {
			tooLong = true
		} else {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(part) == 0 && len(l.buf) == 0 && !tooLong:
			return nil, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return nil, l.place(err)
		}
		l.number++
		if l.placed != nil {
			l.number = l.placed()
		}
		if tooLong {
			return nil, ErrTooLong
		}
		return l.buf, nil
	}
}
