package hostile

import "strings"

// schemaIsBounded says that the detectors bound what validating costs. Until then tests of the fast tier keep records with
// a schema small.
const schemaIsBounded = true

// Unbounded reports a kind whose cost the detectors do not bound yet.
func (k Kind) Unbounded() bool {
	r := k.Record(100, 0)
	return !schemaIsBounded && r.Interaction.ResponseSchema != "" && !strings.HasPrefix(k.Name, "everything")
}
