package standard_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/citation"
	"confab/detectors/detectortest"
	"confab/schemas"
)

// TestRewrittenMarkersScoreAlike writes the markers of labelled answers in other forms and requires the scores of [1]. A few
// rows may differ where a marker follows a number or a unit.
func TestRewrittenMarkersScoreAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	rows := labelledRows(t, "attributionbench")
	rows = rows[:min(len(rows), 400)]
	detector, err := citation.New(citation.DefaultOptions())
	require.NoError(t, err)
	marker := regexp.MustCompile(`\[(\d)\]`)
	score := func(in *schemas.Interaction) float64 {
		var doc detectors.Document
		doc.Reset(in)
		f, err := detector.Detect(t.Context(), &doc)
		require.NoError(t, err)
		if f.NotCheckable != "" {
			return -1
		}
		detectortest.RequireContract(t, "citation", in, &f)
		return f.Score
	}
	for _, form := range []string{
		"[Source $1]", "[doc$1]", "[cite:$1]", "(Source: $1)", "(see Document $1)", "<cite>$1</cite>", "<sup>$1</sup>", "[^$1]", "【$1†source】",
	} {
		different, measured := 0, 0
		for i := range rows {
			in := rows[i].Interaction
			if !marker.MatchString(in.Answer) || strings.ContainsAny(in.Answer, "{}<>") {
				continue
			}
			want := score(&in)
			in.Answer = marker.ReplaceAllString(in.Answer, form)
			measured++
			if got := score(&in); got-want > 1e-9 || want-got > 1e-9 {
				different++
			}
		}
		require.Greater(t, measured, 50)
		require.LessOrEqual(t, float64(different), 0.03*float64(measured), form)
		t.Logf("%s: %d of %d differ", form, different, measured)
	}
}
