package avro

import (
	"strings"
	"sync"

	"github.com/linkedin/goavro/v2"
)

// Schema is a writer's schema, ready to decode values. It is safe for concurrent use. Keep it: creating one costs more
// than decoding with it.
type Schema struct {
	interaction compiledType
	unknown     []string // names of the ignored fields of an interaction
	flag        fieldCodec
}

// fieldCodec decodes a set of known fields.
type fieldCodec struct {
	plan   *decodePlan
	goavro *goavro.Codec
}

//nolint:gochecknoglobals // it sets global variables of goavro, once
var setLimits sync.Once

// NewSchema loads a writer's schema. It must be a record, complete, not recursive, at most 64 KiB of text and 32 levels
// deep, without lists of zero-byte items. The error is an *Error.
func NewSchema(text string) (*Schema, error) {
	setLimits.Do(func() { goavro.MaxBlockCount, goavro.MaxBlockSize = MaxItems, MaxBytes })
	root, err := parseSchema(text)
	if err != nil {
		return nil, err
	}
	s := &Schema{interaction: compileType(root, interactionFields(), interactionNumbers())}
	for i, target := range s.interaction.targets {
		if target == noField {
			s.unknown = append(s.unknown, root.fields[i].name)
		}
	}
	if s.flag, err = newCodec(root, flagFields()); err != nil {
		return nil, err
	}
	return s, nil
}

func newCodec(root *schemaType, s knownFields) (fieldCodec, error) {
	var d schemaWriter
	p, _ := d.write(root, s, false)
	c, err := goavro.NewCodec(d.out.String())
	if err != nil {
		return fieldCodec{}, badSchema("a name or a symbol that Avro does not allow")
	}
	return fieldCodec{plan: p, goavro: c}, nil
}

// decode checks and decodes the whole body as a record.
func (s *Schema) decode(c fieldCodec, body []byte) (decodedRecord, error) {
	w := valueChecker{data: body}
	if err := w.whole(&s.interaction, nil); err != nil {
		return decodedRecord{}, err
	}
	native, _, err := c.goavro.NativeFromBinary(body)
	if err != nil { // the error may quote the value
		if strings.Contains(err.Error(), "duplicate key") {
			return decodedRecord{}, &Error{Reason: ReasonDuplicateKey, detail: detailRepeat}
		}
		return decodedRecord{}, &Error{Reason: ReasonSyntax}
	}
	values, _ := native.(map[string]any) // the schema is a record
	return decodedRecord{values: values, plan: c.plan, valueReader: &valueReader{}}, nil
}
