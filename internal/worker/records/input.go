package records

import (
	"fmt"

	"confab/internal/promptsources"
	"confab/internal/worker/config"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/otlp"
)

// inputDecoder decodes the values of one input.
type inputDecoder struct {
	config.Input

	values recordshape.Decoder // JSON; of an OTLP input the copies of single interactions
	spans  *otlp.Decoder       // nil: a value holds one interaction
	finder *promptsources.Finder
}

// newInputDecoder makes the decoder of an input, which the configuration has checked. If there is an error nevertheless, it
// is that of every value.
func newInputDecoder(in *config.Input, maxBytes, maxSpanBytes int) (*inputDecoder, error) {
	d := &inputDecoder{Input: *in}
	err := d.build(maxBytes, maxSpanBytes)
	if err != nil {
		d.values = failingDecoder{err}
	}
	return d, err
}

func (d *inputDecoder) build(maxBytes, maxSpanBytes int) (err error) {
	if d.finder, err = d.SourceFinder(); err != nil {
		return err
	}
	limits := json.Options{MaxBytes: maxBytes}
	if d.IsOTLP() {
		d.values = json.NewDecoder(limits)
		d.spans, err = otlp.NewDecoder(d.SpanOptions(maxSpanBytes))
		return err
	}
	d.values, err = d.Values(limits)
	if err != nil {
		return fmt.Errorf("kafka.inputs of %s: %w", d.Topic, err)
	}
	return nil
}

// failingDecoder returns its error for every value.
type failingDecoder struct{ err error }

// Decode implements [recordshape.Decoder].
func (r failingDecoder) Decode([]byte, *schemas.Interaction) error { return r.err }
