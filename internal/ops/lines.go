package ops

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// errLineTooLong says that a line is over the cap; the reader has skipped it and can go on.
var errLineTooLong = errors.New("line is too long")

// lineReader reads JSON Lines, plain or gzip (told by its magic bytes), with bounded memory.
type lineReader struct {
	r      *bufio.Reader
	max    int
	number int // of the line last returned, counted from 1
	buf    []byte
}

func newLineReader(r io.Reader, maxBytes int) (*lineReader, error) {
	br := bufio.NewReaderSize(r, 256<<10)
	if magic, _ := br.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		gz, err := gzip.NewReader(br)
		if err != nil {
			return nil, fmt.Errorf("open gzip input: %w", err)
		}
		br = bufio.NewReaderSize(gz, 256<<10)
	}
	return &lineReader{r: br, max: maxBytes}, nil
}

// next returns the next line that is not blank, without its end; it is valid until the next call. It returns io.EOF at
// the end and errLineTooLong for a line over the cap.
func (l *lineReader) next() ([]byte, error) {
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

func (l *lineReader) read() ([]byte, error) {
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
			return nil, fmt.Errorf("read line %d: %w", l.number+1, err)
		}
		l.number++
		if tooLong {
			return nil, errLineTooLong
		}
		return l.buf, nil
	}
}
