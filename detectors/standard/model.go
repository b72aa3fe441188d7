package standard

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"confab/detectors"
	"confab/detectors/fusion"
	"confab/detectors/grounding"
)

// ModelFormat is the format version of model files that this binary reads and writes.
const ModelFormat = 2

// Model holds the learned weights of the fast path. The binary embeds a default. Its features are
// words and measures of the interaction, never the name of a model, operation or data set. It is immutable once loaded and
// safe for concurrent use.
type Model struct {
	Format    int       `json:"format"`
	ID        string    `json:"id"`         // date and fingerprint of the data
	CreatedBy string    `json:"created_by"` // program and version
	Data      ModelData `json:"data"`

	Grounding *grounding.Model `json:"grounding,omitempty"` // nil: the score is the largest share of a claim that no source has
}

// ModelData names the labelled interactions that a model was fitted on.
type ModelData struct {
	Fingerprint string `json:"fingerprint"` // of the rows' bytes
	Rows        int    `json:"rows"`
	Positives   int    `json:"positives"`
	Seed        uint64 `json:"seed"`
}

// grounding returns the model of the grounding detector; nil for none.
func (m *Model) grounding() *grounding.Model {
	if m == nil {
		return nil
	}
	return m.Grounding
}

// Fuser returns the fusion of all scores.
func (m *Model) Fuser() detectors.Fusion { return fusion.Sum{} }

//go:embed model.json
var embeddedModel string

// DefaultModel returns the model embedded in the binary, fitted on public data.
func DefaultModel() (*Model, error) {
	m, err := LoadModel(strings.NewReader(embeddedModel))
	if err != nil {
		return nil, fmt.Errorf("embedded model: %w", err)
	}
	return m, nil
}

// LoadModel reads a model file and returns an error when this version cannot use it.
func LoadModel(r io.Reader) (*Model, error) {
	var m Model
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("read the model: %w", err)
	}
	if m.Format != ModelFormat {
		return nil, fmt.Errorf("the model has format %d, this version reads %d: use one that was made for this version", m.Format, ModelFormat)
	}
	if m.Grounding != nil {
		if err := m.Grounding.Check(); err != nil {
			return nil, fmt.Errorf("read the model: %w", err)
		}
	}
	return &m, nil
}
