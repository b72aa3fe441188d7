package records

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"confab/consumer"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/avro"
	"confab/schemas/json"
	"confab/schemas/json/scan"
	"confab/schemas/otlp"
)

// objectsOf are the objects that a refused value holds, to be read one by one: a dead letter is about one of them.
func objectsOf(input *inputDecoder, r *consumer.Raw, refused error) ([][]byte, error) {
	bad, ok := errors.AsType[*consumer.PoisonError](refused)
	if id, _ := headerID(r); !ok || bad.Stage != stageDecode || input.Format == config.FormatAvro || id != (schemaregistry.ID{}) {
		return nil, nil
	}
	parts, err := json.Values(r.Value)
	return parts, asPoisonError(err)
}

// decodeParts appends the interactions of a record that holds objects. Those that cannot be read become parts of r.
func (c *InteractionCodec) decodeParts(input *inputDecoder, r *consumer.Raw, parts [][]byte, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	sink, err := c.newSpanSink(r, dst)
	if err != nil {
		return dst, err
	}
	for i, part := range parts {
		in := sink.New()
		err := input.values.Decode(part, in)
		if err == nil {
			in.Record = part
			sink.Accept(in, i)
			continue
		}
		c.Release(in)
		if bad, ok := errors.AsType[*scan.Error](err); ok {
			sink.Reject(&otlp.Rejected{Index: i, Value: part, Err: bad})
		} else if !errors.Is(err, json.ErrSkipped) {
			return dst, err
		}
	}
	sink.count(&otlp.Counts{}, len(dst))
	return sink.found, nil
}

// Headers in which serializers write the schema's id instead of in front of the value.
const (
	confluentHeader = "__value_schema_id"
	apicurioHeader  = "apicurio.value."
)

// schemaID returns the id of the schema that a value was written with, and the value without it. The zero id is that of JSON. The
// error describes a value that is neither.
func schemaID(format string, r *consumer.Raw) (id schemaregistry.ID, body []byte, err error) {
	if format == config.FormatJSON {
		return id, r.Value, nil
	}
	trimmed := bytes.TrimLeft(r.Value, " \t\r\n")
	isObject := len(trimmed) > 0 && trimmed[0] == '{'
	if id, err = headerID(r); err != nil || id != (schemaregistry.ID{}) {
		if isObject && jsontext.Value(trimmed).IsValid() { // of a JSON Schema
			return schemaregistry.ID{}, r.Value, nil
		}
		return id, r.Value, err
	}
	switch {
	case len(r.Value) > 0 && r.Value[0] == frameMagic:
		return prefixID(r.Value)
	case format == config.FormatAvro:
		err = unknownFormatError("no schema id in front of the value")
	case !isObject:
		err = unknownFormatError("the value is " + cmp.Or(foreignOf(r.Value).name, "not a JSON object"))
	}
	return id, r.Value, err
}

// singleObjectMagic begins an Avro value with the fingerprint of its schema.
const singleObjectMagic = "\xc3\x01"

// prefixID reads the id in front of a value: four bytes, or eight of a global id as older serializers of Apicurio write it. An id of four
// bytes is never 0.
func prefixID(value []byte) (id schemaregistry.ID, body []byte, err error) {
	const longPrefix = 9
	if len(value) >= longPrefix && binary.BigEndian.Uint32(value[1:]) == 0 {
		if id.Global = binary.BigEndian.Uint64(value[1:]); id.Global > 0 {
			return id, value[longPrefix:], nil
		}
	}
	number, body, err := avro.Unframe(value)
	return schemaregistry.ID{Number: uint32(number)}, body, asPoisonError(err)
}

// headerID reads the id in the headers; the zero id is none.
func headerID(r *consumer.Raw) (id schemaregistry.ID, err error) {
	named := false
	for _, h := range slices.Backward(r.Headers) {
		if h.Key == confluentHeader {
			return confluentID(h.Value)
		}
		name, ok := strings.CutPrefix(h.Key, apicurioHeader)
		if !ok || name == "messageType" || name == "encoding" {
			continue
		}
		id, named = cmp.Or(id, apicurioID(name, h.Value)), true
	}
	if named && id == (schemaregistry.ID{}) {
		err = unknownFormatError("headers of Apicurio name the schema without an id: set apicurio.registry.use-id: contentId")
	}
	return id, err
}

// apicurioID reads one of Apicurio's headers; the zero id is another one, such as a name of the schema.
func apicurioID(name string, value []byte) (id schemaregistry.ID) {
	if len(value) != 8 || value[0] >= 0x80 { // ids are positive
		return id
	}
	switch n := binary.BigEndian.Uint64(value); name {
	case "globalId":
		id.Global = n
	case "contentId":
		id.Content = n
	}
	return id
}

// confluentID reads a version byte and the schema's number or GUID. What Protobuf adds is left out.
func confluentID(header []byte) (id schemaregistry.ID, err error) {
	switch {
	case len(header) >= 17 && header[0] == 1:
		h := hex.EncodeToString(header[1:17])
		id.GUID = strings.Join([]string{h[:8], h[8:12], h[12:16], h[16:20], h[20:]}, "-")
	case len(header) >= 5 && header[0] == 0 && binary.BigEndian.Uint32(header[1:]) > 0:
		id.Number = binary.BigEndian.Uint32(header[1:])
	default:
		err = asPoisonError(&scan.Error{Reason: scan.ReasonBadFrame, Detail: "the header " + confluentHeader + " holds neither an id nor a GUID"})
	}
	return id, err
}
