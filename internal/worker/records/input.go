package records

import (
	"fmt"

	"confab/internal/promptsources"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/otlp"
)

// valueDecoder decodes one JSON value into an interaction.
type valueDecoder interface {
	Decode(raw []byte, in *schemas.Interaction) error
}

// inputDecoder decodes the values of one input.
type inputDecoder struct {
	config.Input

	values valueDecoder  // JSON; of an OTLP input the copies of single interactions
	spans  *otlp.Decoder // nil: a value holds one interaction
	finder *promptsources.Finder
	mapped map[string]string // the fields of the map; empty without one
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
	entries, where, err := d.Shape()
	if err == nil {
		limits.Zone, err = d.Zone()
	}
	if err != nil {
		return err
	}
	d.mapped, d.values = entries, json.NewDecoder(limits)
	if len(entries) > 0 {
		m, err := json.NewMapping(entries)
		if err != nil {
			return fmt.Errorf("kafka.inputs map of %s: %w", d.Topic, err)
		}
		d.values = m.WithLimits(limits)
	}
	if len(where) > 0 {
		f, err := json.NewFilter(where)
		if err != nil {
			return fmt.Errorf("kafka.inputs where of %s: %w", d.Topic, err)
		}
		d.values = filteredDecoder{f.WithLimits(limits), d.values}
	}
	return nil
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
