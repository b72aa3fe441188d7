package avro

import (
	"strings"
	"sync"

	"github.com/linkedin/goavro/v2"
)

// Schema is a schema that writers used, ready to decode what they wrote. It is safe for concurrent use; make one for each
// schema and keep it, for making one costs more than decoding with it.
type Schema struct {
	root        *node
	interaction codec
	flag        codec
}

// codec decodes into the fields of one shape.
type codec struct {
	plan   *plan
	goavro *goavro.Codec
}

//nolint:gochecknoglobals // what it sets, once, are globals of goavro
var limits sync.Once

// NewSchema loads the schema of a writer. It must be a record, complete in itself, not recursive, at most 64 KiB of text and
// 32 levels deep, without lists of items that take no bytes. The error is an *Error.
func NewSchema(text string) (*Schema, error) {
	limits.Do(func() { goavro.MaxBlockCount, goavro.MaxBlockSize = MaxItems, MaxBytes })
	root, err := parse(text)
	if err != nil {
		return nil, err
	}
	s := &Schema{root: root}
	if s.interaction, err = newCodec(root, interactionShape()); err != nil {
		return nil, err
	}
	if s.flag, err = newCodec(root, flagShape()); err != nil {
		return nil, err
	}
	return s, nil
}

func newCodec(root *node, s shape) (codec, error) {
	var d drafter
	p, _ := d.draft(root, s, false)
	c, err := goavro.NewCodec(d.out.String())
	if err != nil {
		return codec{}, refuse("a name or a symbol that Avro does not allow")
	}
	return codec{plan: p, goavro: c}, nil
}

// decode reads body, all of it, as a record.
func (s *Schema) decode(c codec, body []byte) (record, error) {
	if len(body) > MaxBytes {
		return record{}, &Error{Reason: ReasonTooLarge, detail: "more than 64 MiB"}
	}
	w := walker{data: body}
	w.value(s.root)
	if w.fault != "" {
		return record{}, &Error{Reason: w.fault, detail: w.why}
	}
	if w.pos != len(body) {
		return record{}, &Error{Reason: ReasonTrailingBytes, detail: "the value is longer than the writer's schema says"}
	}
	native, _, err := c.goavro.NativeFromBinary(body)
	if err != nil { // its text may quote the value
		if strings.Contains(err.Error(), "duplicate key") {
			return record{}, &Error{Reason: ReasonDuplicateKey, detail: "a map names a key twice"}
		}
		return record{}, &Error{Reason: ReasonSyntax}
	}
	values, _ := native.(map[string]any) // as the schema is a record
	return record{values: values, plan: c.plan, reader: &reader{}}, nil
}
