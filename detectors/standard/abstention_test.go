package standard

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/detectors/detectortest"
	"confab/schemas"
)

// An answer that only says it does not know is no fault; how much of the question a source has is a measure of its flag.
func TestAbstention(t *testing.T) {
	suite := standardSuite(t)
	for name, c := range map[string]struct {
		question, source string
		want             float64
	}{
		"the source could answer": {"When does the castle museum open on Sundays?", "On Sundays the castle museum opens at ten.", 1},
		"another subject":         {"When does the castle museum open on Sundays?", "Parcels leave the warehouse within two days.", 0},
	} {
		t.Run(name, func(t *testing.T) {
			in := detectortest.Sourced("I could not find this in the documents.", "Parcels are sent with a tracking number.", c.source)
			in.Messages = []schemas.Message{{Role: "user", Content: c.question}}
			e := suite.Evaluate(t.Context(), in)
			defer e.Release()
			f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
			require.Empty(t, f.Fired)
			for _, s := range f.Signals {
				if s.Detector == "grounding" {
					require.Equal(t, schemas.NotCheckable, s.Outcome)
					require.Equal(t, "abstention", s.Reason)
					require.InDelta(t, c.want, s.Measures["question_in_sources"], 1e-9)
				}
			}
		})
	}
}
