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

// newValueDecoders are the decoders of JSON values by input topic.
func newValueDecoders(inputs []config.Input, limits json.Options) map[string]valueDecoder {
	plain := json.NewDecoder(limits)
	readers := make(map[string]valueDecoder, len(inputs))
	for _, in := range inputs {
		readers[in.Topic] = newValueDecoder(&in, plain, limits)
	}
	return readers
}

// newValueDecoder is the decoder of the input's JSON values: plain, or by the input's map, which the configuration has
// checked.
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

// failingDecoder returns its error for every value.
type failingDecoder struct{ err error }

// Decode implements valueDecoder.
func (r failingDecoder) Decode([]byte, *schemas.Interaction) error { return r.err }
