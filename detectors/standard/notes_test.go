package standard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/internal/redact"
	"confab/schemas"
)

// The notes of grounding quote what no source has, say so where the sources have all, and speak of citations only where there are any.
func TestGroundingNotes(t *testing.T) {
	suite := standardSuite(t, func(o *detectors.Options) { o.Explain, o.Redact = true, redact.Redact })
	note := func(answer string) (rule, note string) {
		in := &schemas.Interaction{ID: "1", Answer: answer, Sources: []schemas.Source{
			{Text: "The lamp costs 20 euros. It was designed by Anna Rossi in 2005 in Milan."}, {Text: "Lamps are shipped within 3 days. The lifetime is 9 years."},
		}}
		e := suite.Evaluate(t.Context(), in)
		defer e.Release()
		f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
		for _, s := range f.Signals {
			if s.Detector == "grounding" {
				require.NotEmpty(t, s.Evidence)
				return s.Evidence[0].Rule, s.Evidence[0].Note
			}
		}
		return "", ""
	}
	for answer, want := range map[string]string{
		"The lamp costs 30 euros and was designed by Peter Novak in 1987 in Berlin.": `^no source has "30 euros", "Peter", "Novak", "1987"`,
		"Anna Rossi designed the lamp in 2005 in Milan, and it costs 20 euros.":      `^the sources have its main words; `,
		"Contact ann@example.com about the wobbly shade of the lamp.":                `^no source has "Contact"`,
		"The lamp comes with a life that makes buyers of Turin and 1987 happy.":      `^no source has "Turin", "1987", "buyers", "happy"`,
	} {
		rule, got := note(answer)
		require.Regexp(t, want, got)
		require.NotContains(t, got, "example", "secrets are masked")
		require.NotEqual(t, "citation", rule)
	}
}

// Figures of the user, and amounts that follow from others, are not taken for figures of the sources that were moved.
func TestGroundingOfUserFigures(t *testing.T) {
	suite := standardSuite(t, func(*detectors.Options) {})
	for _, x := range [][3]string{
		{"2 adults and a 10-year-old", "Museum pass: 3 days 39 euros. Children under 14 travel free with an adult.", "- 2 × 3-day pass: 2 × €39 = €78\n- Child (10): free with an adult"},
		{"How much is a week in Rhodes for 2?", "Lindos Village, Rhodes. All inclusive from €1,249 per person for 7 nights including flight from Stuttgart. Transfer 55 minutes.", "At Lindos Village a week all inclusive costs from €1,249 per person for 7 nights including the flight from Stuttgart. For two people that is from €2,498."},
	} {
		e := suite.Evaluate(t.Context(), &schemas.Interaction{ID: "1", Answer: x[2], Messages: []schemas.Message{{Role: "user", Content: x[0]}}, Sources: []schemas.Source{{Text: x[1]}}})
		require.Empty(t, e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{}).Fired, x[2])
		e.Release()
	}
}
