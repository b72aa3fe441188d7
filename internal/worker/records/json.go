package records

import (
	"fmt"

	"confab/internal/worker/config"
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
	d, err := shapedDecoder(input, plain, limits)
	if err != nil {
		return failingDecoder{err: fmt.Errorf("kafka.inputs map of %s: %w", input.Topic, err)}
	}
	return d
}

func shapedDecoder(input *config.Input, plain *json.Decoder, limits json.Options) (valueDecoder, error) {
	if input.IsOTLP() {
		return plain, nil // of the copies of single interactions
	}
	entries, where, err := input.Shape()
	if err != nil {
		return nil, err
	}
	if limits.Zone, err = input.Zone(); err != nil {
		return nil, err
	}
	var d valueDecoder = plain
	if limits.Zone != nil {
		d = json.NewDecoder(limits)
	}
	if len(entries) > 0 {
		m, err := json.NewMapping(entries)
		if err != nil {
			return nil, err
		}
		d = m.WithLimits(limits)
	}
	if len(where) > 0 {
		f, err := json.NewFilter(where)
		if err != nil {
			return nil, err
		}
		d = filteredDecoder{f.WithLimits(limits), d}
	}
	return d, nil
}

// filteredDecoder decodes the values that match a filter; the error of the others is json.ErrSkipped.
type filteredDecoder struct {
	filter *json.Filter
	next   valueDecoder
}

// Decode implements valueDecoder.
func (d filteredDecoder) Decode(raw []byte, in *schemas.Interaction) error {
	if !d.filter.Match(raw) {
		return json.ErrSkipped
	}
	return d.next.Decode(raw, in)
}

// failingDecoder returns its error for every value.
type failingDecoder struct{ err error }

// Decode implements valueDecoder.
func (r failingDecoder) Decode([]byte, *schemas.Interaction) error { return r.err }
