package detectors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text/units"
)

// A flag says how many units of each kind were not judged.
func TestUnitsSkipped(t *testing.T) {
	d := newDocument("The bridge is long.")
	require.Empty(t, d.unitsSkipped(), "not read")
	require.NotEmpty(t, d.Units().Units)
	d.units.Units = nil
	for kind := units.Statement; kind <= units.Citations; kind++ {
		d.units.Units = append(d.units.Units, units.Unit{Kind: kind})
	}
	d.units.Units = append(d.units.Units, units.Unit{Kind: units.Heading})
	require.Equal(t, "heading 2, courtesy 1, question 1, about_the_answer 1, lead_in 1, abstention 1, short 1, code 1, citations 1", d.unitsSkipped())
	d.Reset(d.in)
	require.Empty(t, d.unitsSkipped())
}
