package index

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"confab/calibration"
	"confab/internal/files"
	"confab/internal/names"
)

// Options configure Build.
type Options struct {
	Ecosystem names.Ecosystem
	Out       string          // the file to write
	Progress  func(lines int) // called after every line; may be nil
}

// Result counts the lines and names.
type Result struct {
	Lines, Bad int
	Names      int   // distinct
	Bytes      int64 // of the file
}

// Bounds of a list of names.
const (
	maxNameLine = 4096
	badShown    = 3 // reported one by one
)

// Build reads names, one per line, plain or gzip, without blank lines and comments (#), and writes an index of them for
// the technical detector. Invalid names are left out and counted; the first are reported with their line numbers on
// errw. The file is written atomically.
func Build(ctx context.Context, r io.Reader, errw io.Writer, o Options) (Result, error) {
	lines, err := files.NewLines(r, maxNameLine)
	if err != nil {
		return Result{}, err
	}
	b := names.NewBuilder(o.Ecosystem)
	res, err := addNames(ctx, b, lines, errw, o)
	if err != nil {
		return res, err
	}
	if res.Bad*2 > res.Lines {
		return res, fmt.Errorf("%d of %d lines are not names of %s: write one name per line, and name their ecosystem", res.Bad, res.Lines, o.Ecosystem)
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

func addNames(ctx context.Context, b *names.Builder, lines *files.Lines, errw io.Writer, o Options) (res Result, err error) {
	for ctx.Err() == nil {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return res, nil
		case err == nil && line[0] == '#':
			continue
		case err == nil:
			err = b.Add(string(line))
		case !errors.Is(err, files.ErrTooLong):
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
