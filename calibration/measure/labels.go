package measure

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"confab/internal/files"
	"confab/internal/promptsources"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// Labels is a source of labelled interactions. Its methods are not safe for concurrent use.
type Labels interface {
	// Next overwrites row with the next labelled interaction; nothing of it is shared with an earlier row. It returns
	// io.EOF at the end and a *LabelError for one unreadable row, after which it continues. Any other error ends the
	// source.
	Next(row *schemas.Labelled) error
	// Place names the row that Next last read, usually by file and line.
	Place() string
}

// LabelError is an unreadable row. It holds nothing of the row's text.
type LabelError struct {
	Place string
	Err   error
}

func (e *LabelError) Error() string { return e.Place + ": " + e.Err.Error() }

func (e *LabelError) Unwrap() error { return e.Err }

// LabelFiles reads labelled rows as JSON Lines from files in order, with one line in memory. Sources of rows without any are
// taken from their messages, as a worker does.
type LabelFiles struct {
	Line func(line []byte) // called with every line that is not too long; may be nil

	files []labelFile
	next  int // index of files
	open  io.Closer
	lines *files.Lines

	finder *promptsources.Finder // nil: the usual shapes
}

type labelFile struct{ path, dataset string }

// OpenLabels reads labelled rows from JSON Lines, plain or gzip (detected). A row without a data set belongs to the one
// named after its file, and after the folder where two of the files share a name. It fails before the first row when a
// file cannot be opened. The caller closes it.
func OpenLabels(files ...string) (*LabelFiles, error) {
	if len(files) == 0 {
		return nil, errors.New("read labels: no file is given")
	}
	var faults []error
	for i, file := range files {
		f, err := os.Open(file)
		if err == nil {
			var info os.FileInfo
			if info, err = f.Stat(); err == nil && info.IsDir() {
				err = fmt.Errorf("%s is a folder: name the files in it, such as %s", file, filepath.Join(file, "*.jsonl.gz"))
			}
			f.Close()
		}
		if err == nil && slices.Contains(files[:i], file) {
			err = fmt.Errorf("%s is given twice: its rows would count twice", file)
		}
		faults = append(faults, err)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, fmt.Errorf("read labels: %w", err)
	}
	return &LabelFiles{files: nameDatasets(files)}, nil
}

// nameDatasets names the data set of each file.
func nameDatasets(files []string) []labelFile {
	named := make([]labelFile, len(files))
	uses := map[string]int{}
	for i, file := range files {
		base, _, _ := strings.Cut(filepath.Base(file), ".")
		named[i] = labelFile{file, base}
		uses[base]++
	}
	for i, f := range named {
		if uses[f.dataset] > 1 {
			named[i].dataset = filepath.Base(filepath.Dir(f.path)) + "/" + f.dataset
		}
	}
	return named
}

// Next implements Labels.
func (l *LabelFiles) Next(row *schemas.Labelled) error {
	for {
		if l.lines == nil {
			if err := l.advance(); err != nil {
				return err
			}
		}
		line, err := l.lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			l.lines = nil
			continue
		case errors.Is(err, files.ErrTooLong):
			return &LabelError{l.Place(), fmt.Errorf("%w: more than %d bytes", err, schemasjson.MaxLabelledBytes)}
		case err != nil:
			return fmt.Errorf("read labels: %s: %w", l.files[l.next-1].path, err)
		}
		if l.Line != nil {
			l.Line(line)
		}
		if err := schemasjson.DecodeLabelled(line, row); err != nil {
			return &LabelError{l.Place(), err}
		}
		l.finder.Fill(&row.Interaction)
		if row.Dataset == "" {
			row.Dataset = l.files[l.next-1].dataset
		}
		return nil
	}
}

func (l *LabelFiles) advance() error {
	l.Close()
	if l.next == len(l.files) {
		return io.EOF
	}
	file := l.files[l.next]
	f, err := os.Open(file.path)
	if err != nil {
		return fmt.Errorf("read labels: %w", err)
	}
	l.next, l.open = l.next+1, f
	if l.lines, err = files.NewRecords(f, schemasjson.MaxLabelledBytes, nil); err != nil {
		return fmt.Errorf("read labels: %s: %w", file.path, err)
	}
	return nil
}

// Place implements Labels: file and line.
func (l *LabelFiles) Place() string {
	if l.next == 0 || l.lines == nil {
		return ""
	}
	return fmt.Sprintf("%s:%d", l.files[l.next-1].path, l.lines.Number())
}

// Close closes the file that is being read.
func (l *LabelFiles) Close() {
	if l.open != nil {
		l.open.Close()
		l.open = nil
	}
}
