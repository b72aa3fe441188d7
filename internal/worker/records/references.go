package records

import (
	"cmp"
	"fmt"
	"path/filepath"

	"confab/internal/files"
	"confab/internal/worker/config"
	"confab/schemas"
)

// maxReferenceBytes bounds one file of reference context.
const maxReferenceBytes = 1 << 20

// References are the sources that the configuration adds to interactions. The zero value adds none.
type References struct{ rows []referenceRow }

type referenceRow struct {
	tenant, operation string // "" for any
	source            schemas.Source
}

// LoadReferences reads the reference context of the configuration. Its error names the key.
func LoadReferences(c *config.Config) (References, error) {
	var all References
	for i, r := range c.ReferenceContext {
		id, text := r.ID, r.Text
		if r.TextFile != "" {
			read, err := files.Read(r.TextFile, maxReferenceBytes)
			if err != nil {
				return References{}, fmt.Errorf("reference_context[%d].text_file: %w", i, err)
			}
			id, text = cmp.Or(id, filepath.Base(r.TextFile)), string(read)
		}
		all.rows = append(all.rows, referenceRow{r.Tenant, r.Operation, schemas.Source{ID: id, Text: text}})
	}
	return all, nil
}

// Add appends the sources of the interaction's tenant and operation to its own.
func (r *References) Add(in *schemas.Interaction) {
	for i := range r.rows {
		row := &r.rows[i]
		if !row.appliesTo(in) {
			continue
		}
		if len(in.Sources) == 0 {
			in.SourcesFrom = schemas.SourcesFromConfiguration
		}
		in.Sources = append(in.Sources, row.source)
	}
}

// Count is the number of sources that Add appends to the interaction.
func (r *References) Count(in *schemas.Interaction) (n int) {
	for i := range r.rows {
		if r.rows[i].appliesTo(in) {
			n++
		}
	}
	return n
}

func (r *referenceRow) appliesTo(in *schemas.Interaction) bool {
	return (r.tenant == "" || r.tenant == in.Tenant) && (r.operation == "" || r.operation == in.Operation)
}
