package app

import (
	"errors"
	"fmt"

	"confab/schemas"
	"confab/schemas/json"
)

// reader decodes one JSON value into an interaction.
type reader interface {
	Decode(raw []byte, in *schemas.Interaction) error
}

// jsonReaders are what reads the JSON values of each input topic: the decoder, or the input's map.
func jsonReaders(inputs []Input, limits json.Options) map[string]reader {
	plain := json.NewDecoder(limits)
	readers := make(map[string]reader, len(inputs))
	for _, in := range inputs {
		readers[in.Topic] = in.reader(plain, limits)
	}
	return readers
}

// reader is what reads the input's JSON values. A map that cannot be used has not passed the configuration's check.
func (i Input) reader(plain *json.Decoder, limits json.Options) reader {
	if len(i.Map) == 0 {
		return plain
	}
	m, err := json.NewMapping(i.Map)
	if err != nil {
		return refusing{err: fmt.Errorf("kafka.inputs map of %s: %w", i.Topic, err)}
	}
	return m.WithLimits(limits)
}

// refusing decodes nothing, for a reason that is not the record's.
type refusing struct{ err error }

// Decode implements reader.
func (r refusing) Decode([]byte, *schemas.Interaction) error { return r.err }

// mapOf checks an input's map.
func (k *checker) mapOf(path string, in Input) {
	if len(in.Map) == 0 {
		return
	}
	if in.Format != FormatJSON && in.Format != FormatAuto {
		k.fail(path+".map", "has no effect on %s: only JSON is mapped; set format: json, or remove it", in.Format)
	}
	if _, named := in.Map["tenant"]; in.TenantFrom == TenantPayload && !named {
		k.fail(path+".map", "has no tenant, but tenant_from is payload: point tenant at it, or set tenant_from")
	}
	_, err := json.NewMapping(in.Map)
	for _, err := range unjoin(err) {
		if fault, ok := errors.AsType[*json.MappingError](err); ok {
			k.fail(join(path+".map", fault.Field), "%s", fault.Message)
		}
	}
}
