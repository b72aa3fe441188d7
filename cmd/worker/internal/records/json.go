package records

import (
	"fmt"

	"confab/cmd/worker/internal/config"
	"confab/schemas"
	"confab/schemas/json"
)

// reader decodes one JSON value into an interaction.
type reader interface {
	Decode(raw []byte, in *schemas.Interaction) error
}

// jsonReaders are what reads the JSON values of each input topic: the decoder, or the input's map.
func jsonReaders(inputs []config.Input, limits json.Options) map[string]reader {
	plain := json.NewDecoder(limits)
	readers := make(map[string]reader, len(inputs))
	for _, in := range inputs {
		readers[in.Topic] = jsonReader(&in, plain, limits)
	}
	return readers
}

// jsonReader is what reads the input's JSON values. A map that cannot be used has not passed the configuration's check.
func jsonReader(input *config.Input, plain *json.Decoder, limits json.Options) reader {
	if len(input.Map) == 0 {
		return plain
	}
	m, err := json.NewMapping(input.Map)
	if err != nil {
		return refusing{err: fmt.Errorf("kafka.inputs map of %s: %w", input.Topic, err)}
	}
	return m.WithLimits(limits)
}

// refusing decodes nothing, for a reason that is not the record's.
type refusing struct{ err error }

// Decode implements reader.
func (r refusing) Decode([]byte, *schemas.Interaction) error { return r.err }
