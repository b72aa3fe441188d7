package recordshape

import (
	"time"

	"confab/schemas"
	"confab/schemas/json"
)

// Row is one shape of records: how it is recognised and how it is read.
type Row struct {
	Name   string // such as langfuse.observation
	Family string // name of the preset that holds it

	When     []string            // members that must be there: [text|object|list|number|json] PATH [= value,value]
	Unless   []string            // members that must not be there
	Map      map[string]string   // entries of the map, as package mapspec parses them; empty: the record is never read
	Where    map[string][]string // records of the shape that hold an answer; the others are skipped
	TimeZone string              // of times without one
	Remedy   string              // what to do about a record that is never read
}

// Decoder decodes one JSON value into an interaction. Its error is a *scan.Error, or wraps json.ErrSkipped.
type Decoder interface {
	Decode(raw []byte, in *schemas.Interaction) error
}

// Rows are all shapes, the more specific ones first.
func Rows() []*Row { return nil }

// Recognise returns the row that reads a record, or whose Remedy it needs: the most specific one. Our own records have none.
func Recognise(value []byte) (row *Row, ok bool) { return nil, false }

// Decoder returns a decoder of the records of the row alone; zone is of times without one.
func (r *Row) Decoder(limits json.Options, zone *time.Location) (Decoder, error) { return nil, nil }
