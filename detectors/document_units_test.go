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

// An answer that only asks, or only names something, is compared with the sources; a courtesy and an abstention are not.
func TestUncheckable(t *testing.T) {
	for answer, want := range map[string]string{
		"The bridge was opened in 1932.":                   "",
		"Did you know that the bridge was opened in 1932?": "",
		"Lyon.":                                   "",
		"# The bridge of 1932":                    "",
		"Hello! Thank you for your question.":     ReasonNoClaims,
		"You are welcome. Have a nice day!":       ReasonNoClaims,
		"I could not find this in the documents.": ReasonAbstains,
		"": ReasonNoClaims,
		"Hello! Which bridge do you mean, the one of 1932?": "",
	} {
		d := newDocument(answer, "The bridge was opened in 1932.")
		require.Equal(t, want, d.Uncheckable(), answer)
	}
	require.Equal(t, ReasonNoSources, newDocument("Did it open in 1932?").Uncheckable())
	require.Empty(t, newDocument("Did it open in 1932?").Claims(), "a question states nothing")
}
