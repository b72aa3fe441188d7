package fileshape

import (
	"errors"
	"strings"
	"time"

	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/presets"
	"confab/schemas/json/scan"
)

// What a shape says of a record that its preset does not read.
const (
	presetFails = "the preset PRESET finds no FIELD in this record: name its place beside the preset, " +
		"as in map: {preset: PRESET, FIELD: /POINTER}, see docs/existing-topics.md"
	presetSkips = "the preset PRESET skips this record, since its filter wants others of that tool: " +
		"to read this one, name its answer and its sources in a map without the preset, see docs/existing-topics.md"
)

// checked returns the shape with its preset only if that reads the record; else it says what the preset does.
func (s Shape) checked(record []byte) Shape {
	if s.Preset == "" {
		return s
	}
	says, field := "", "answer"
	err := readByPreset(s.Preset, record)
	if fault, ok := errors.AsType[*scan.Error](err); ok && fault.Field != "" {
		field = fault.Field
	}
	switch {
	case errors.Is(err, json.ErrSkipped):
		says = presetSkips
	case err != nil:
		says = presetFails
	default:
		return s
	}
	return Shape{What: s.What, Remedy: strings.NewReplacer("PRESET", s.Preset, "FIELD", field).Replace(says)}
}

// readByPreset returns why the preset does not read the record; nil if its filter matches and its map finds the answer.
func readByPreset(name string, record []byte) error {
	p, err := presets.FindPreset(name)
	if err != nil {
		return err
	}
	filter, err := json.NewFilter(p.Where)
	if err != nil {
		return err
	}
	m, err := json.NewMapping(p.Map)
	if err != nil {
		return err
	}
	if len(p.Where) > 0 && !filter.Match(record) {
		return json.ErrSkipped
	}
	var in schemas.Interaction
	return m.WithLimits(json.Options{Zone: time.UTC}).Decode(record, &in)
}
