package names

import (
	"context"
	"errors"
	"fmt"
	"io"

	"confab/internal/files"
)

// BuildOptions configure BuildFile.
type BuildOptions struct {
	Ecosystem Ecosystem
	Out       string          // the file to write
	Progress  func(lines int) // called after every line; may be nil
}

// BuildResult counts the lines and names.
type BuildResult struct {
	Lines, Bad int
	Names      int   // distinct
	Bytes      int64 // of the file
}

// Bounds of a list of names.
const (
	maxNameLine = 4096
	badShown    = 3 // reported one by one
)

// BuildFile reads names, one per line, plain or gzip, without blank lines and comments (#), and writes an index of them for
// the technical detector. Invalid names are left out and counted; the first are reported with their line numbers on
// errw. The file is written atomically.
func BuildFile(ctx context.Context, r io.Reader, errw io.Writer, o BuildOptions) (BuildResult, error) {
	lines, err := files.NewLines(r, maxNameLine)
	if err != nil {
		return BuildResult{}, err
	}
	b := NewBuilder(o.Ecosystem)
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
	_, err = files.WriteShared(o.Out, func(w io.Writer) (err error) {
		res.Bytes, err = index.WriteTo(w)
		return err
	})
	return res, err
}

func addNames(ctx context.Context, b *Builder, lines *files.Lines, errw io.Writer, o BuildOptions) (res BuildResult, err error) {
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
