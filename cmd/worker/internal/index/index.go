package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"confab/calibration"
	"confab/internal/jsonl"
	"confab/internal/names"
)

// Options say what Build makes of names.
type Options struct {
	Ecosystem names.Ecosystem
	Out       string          // the file to write
	Progress  func(lines int) // told after every line; nil is nobody
}

// Result is what became of the lines.
type Result struct {
	Lines, Bad int
	Names      int   // without repetitions and other spellings
	Bytes      int64 // of the file
}

// Bounds of a list of names.
const (
	maxNameLine = 4096
	badShown    = 3 // bad lines that are told one by one
)

// Build reads names, one a line, blank lines and those that begin with # apart (gzip is recognized), and writes an
// index of them for the technical detector. A line that can be no name is left out and counted, the first of them with
// their numbers in errw. The file is there whole or not at all.
func Build(ctx context.Context, r io.Reader, errw io.Writer, o Options) (Result, error) {
	lines, err := jsonl.NewReader(r, maxNameLine)
	if err != nil {
		return Result{}, err
	}
	b := names.NewBuilder(o.Ecosystem)
	res, err := addNames(ctx, b, lines, errw, o)
	if err != nil {
		return res, err
	}
	if res.Bad*2 > res.Lines {
		return res, fmt.Errorf("%d of %d lines can be no names of %s: give one name a line, and the ecosystem that they are of", res.Bad, res.Lines, o.Ecosystem)
	}
	index, err := b.Build()
	if err != nil {
		return res, err
	}
	res.Names = index.Len()
	var file bytes.Buffer
	if res.Bytes, err = index.WriteTo(&file); err != nil {
		return res, err
	}
	return res, calibration.Replace(o.Out, file.Bytes())
}

// addNames gives the builder what the lines hold.
func addNames(ctx context.Context, b *names.Builder, lines *jsonl.Reader, errw io.Writer, o Options) (res Result, err error) {
	for ctx.Err() == nil {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return res, nil
		case err == nil && line[0] == '#':
			continue
		case err == nil:
			err = b.Add(string(line))
		case !errors.Is(err, jsonl.ErrTooLong):
			return res, err
		}
		res.Lines++
		if err != nil {
			if res.Bad++; res.Bad <= badShown {
				fmt.Fprintf(errw, "line %d: no package of %s can have this name\n", lines.Number(), o.Ecosystem)
			}
		}
		if o.Progress != nil {
			o.Progress(res.Lines)
		}
	}
	return res, ctx.Err()
}
