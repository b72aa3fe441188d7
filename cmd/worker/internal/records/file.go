package records

import (
	"fmt"
	"strings"

	"confab/cmd/worker/internal/config"
	"confab/internal/promptsources"
	"confab/schemas"
	"confab/schemas/json"
)

// FileInput treats interactions of a file as records of one input topic. With tenant_from: header the tenant is the
// default one.
type FileInput struct {
	input  config.Input
	reader valueDecoder
	finder *promptsources.Finder
	fields *fieldCounts

	references References
}

// NewFileInput treats interactions as records of the input topic; of the first one when topic is empty.
func NewFileInput(c *config.Config, topic string) (*FileInput, error) {
	topics := make([]string, len(c.Kafka.Inputs))
	for i, in := range c.Kafka.Inputs {
		if topics[i] = in.Topic; in.Topic == topic || topic == "" {
			return newFileInput(c, in)
		}
	}
	return nil, fmt.Errorf("no input reads the topic %q: name one of %s, or add it to kafka.inputs", topic, strings.Join(topics, ", "))
}

// NewPresetInput treats interactions as records of the first input with a preset instead of its map and filter.
func NewPresetInput(c *config.Config, preset string) (*FileInput, error) {
	in := c.Kafka.Inputs[0] // the configuration requires one
	in.Map, in.Where = config.PresetMap(preset), nil
	return newFileInput(c, in)
}

func newFileInput(c *config.Config, in config.Input) (*FileInput, error) {
	entries, _, err := in.Shape()
	if err != nil {
		return nil, err
	}
	finder, err := in.SourceFinder()
	if err != nil {
		return nil, err
	}
	references, err := LoadReferences(c)
	if err != nil {
		return nil, err
	}
	limits := json.Options{MaxBytes: int(c.Kafka.MaxRecordBytes)}
	return &FileInput{in, newValueDecoder(&in, json.NewDecoder(limits), limits), finder, newFieldCounts(entries), references}, nil
}

// Decode reads an interaction by the input's map and counts its fields. The error of a record that the input's where leaves
// out is json.ErrSkipped. Decode is safe for concurrent use.
func (f *FileInput) Decode(raw []byte, in *schemas.Interaction) error {
	err := f.reader.Decode(raw, in)
	if err == nil {
		f.fields.count(in)
	}
	return err
}

// Report describes how many of the decoded records had each field.
func (f *FileInput) Report() string { return f.fields.report() }

// Admit sets the input's tenant, an id if the interaction has none, and sources that its messages hold.
func (f *FileInput) Admit(in *schemas.Interaction, origin schemas.Origin) {
	if f.finder.Fill(in); in.SourcesFrom != schemas.SourcesFromField && len(in.Sources) > 0 {
		f.fields.countMessages()
	}
	assignTenant(in, &f.input)
	f.references.Add(in)
	if in.ID == "" {
		in.ID, in.IDSource = schemas.OffsetID(origin.Topic, origin), schemas.IDSourceOffset
	}
}
