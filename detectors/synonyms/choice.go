package synonyms

import (
	"fmt"
	"io"

	"confab/detectors"
)

// maxFileBytes is the largest synonym file that is read.
const maxFileBytes = 1 << 20

// Choice is the table that the detectors of one list use. It is set before the first evaluation.
type Choice struct{ table *Table }

// Load reads the file at the path and chooses its table. open opens it; with nil the path is not read.
func (c *Choice) Load(path string, open func(path string) (io.ReadCloser, error)) error {
	if path == "" || open == nil {
		return nil
	}
	f, err := open(path)
	if err != nil {
		return fmt.Errorf("open synonyms: %w: name a YAML file with words, opposites, exclusive and codes", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return fmt.Errorf("read synonyms: %w", err)
	}
	if len(data) > maxFileBytes {
		return fmt.Errorf("read synonyms: the file is larger than %d bytes, which is the limit", maxFileBytes)
	}
	c.table, err = Parse(data)
	return err
}

// documentTable is the table of a document.
type documentTable struct{ table *Table }

// Use makes the document use the chosen table. The first use counts: call it before the detectors read records.
func (c *Choice) Use(d *detectors.Document) {
	t, _ := detectors.Scratch[documentTable](d)
	t.table = c.table
}

// Of returns the table of the document, [Default] unless another one was chosen.
func Of(d *detectors.Document) *Table {
	t, fresh := detectors.Scratch[documentTable](d)
	if fresh {
		t.table = nil
	}
	if t.table == nil {
		return Default()
	}
	return t.table
}
