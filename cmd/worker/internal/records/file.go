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
}

// NewFileInput treats interactions as records of the input topic; of the first one when topic is empty.
func NewFileInput(c *config.Config, topic string) (*FileInput, error) {
	topics := make([]string, len(c.Kafka.Inputs))
	for i, in := range c.Kafka.Inputs {
		if topics[i] = in.Topic; in.Topic == topic || topic == "" {
			limits := json.Options{MaxBytes: int(c.Kafka.MaxRecordBytes)}
			finder, err := in.SourceFinder()
			return &FileInput{in, newValueDecoder(&in, json.NewDecoder(limits), limits), finder}, err
		}
	}
	return nil, fmt.Errorf("no input reads the topic %q: name one of %s, or add it to kafka.inputs", topic, strings.Join(topics, ", "))
}

// Decode reads an interaction by the input's map.
func (f *FileInput) Decode(raw []byte, in *schemas.Interaction) error {
	return f.reader.Decode(raw, in)
}

// Admit sets the input's tenant, an id if the interaction has none, and sources that its messages hold.
func (f *FileInput) Admit(in *schemas.Interaction, origin schemas.Origin) {
	f.finder.Fill(in)
	assignTenant(in, &f.input)
	if in.ID == "" {
		in.ID, in.IDSource = schemas.OffsetID(origin.Topic, origin), schemas.IDSourceOffset
	}
}
