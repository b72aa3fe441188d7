package records

import (
	"fmt"

	"confab/cmd/worker/internal/config"
	"confab/schemas"
	"confab/schemas/json"
)

// valueDecoder decodes one JSON value into an interaction.
type valueDecoder interface {
	Decode(raw []byte, in *schemas.Interaction) error
}

// newValueDecoders are what reads the JSON values of each input topic: the decoder, or the input's map.
func newValueDecoders(inputs []config.Input, limits json.Options) map[string]valueDecoder {
	plain := json.NewDecoder(limits)
	readers := make(map[string]valueDecoder, len(inputs))
	for _, in := range inputs {
		readers[in.Topic] = newValueDecoder(&in, plain, limits)
	}
	return readers
}

// newValueDecoder is what reads the input's JSON values. A map that cannot be used has not passed the configuration's check.
func newValueDecoder(input *config.Input, plain *json.Decoder, limits json.Options) valueDecoder {
	if len(input.Map) == 0 {
		return plain
	}
	m, err := json.NewMapping(input.Map)
	if err != nil {
		return failingDecoder{err: fmt.Errorf("kafka.inputs map of %s: %w", input.Topic, err)}
	}
	return m.WithLimits(limits)
}

// failingDecoder decodes nothing, for a reason that is not the record's.
type failingDecoder struct{ err error }

// Decode implements reader.
func (r failingDecoder) Decode([]byte, *schemas.Interaction) error { return r.err }
