package card

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

// Omitted parts are counted.
func TestDetailsCountOmissions(t *testing.T) {
	a := samples.SingleAlert()
	s := &a.Flag.Signals[0]
	for i := range 30 {
		s.Evidence = append(s.Evidence, schemas.Evidence{Start: i, End: i + 1, Excerpt: fmt.Sprint("piece ", i)})
	}
	text := detailsText(NewDetails(&a, RenderOptions{}))
	require.Contains(t, text, fmt.Sprintf("and %d more\n", len(s.Evidence)-maxEvidenceEach))
	require.Contains(t, text, fmt.Sprintf("\n%d. ", maxEvidenceEach))
	require.NotContains(t, text, fmt.Sprintf("\n%d. ", maxEvidenceEach+1))

	for i := range s.Evidence {
		s.Evidence[i].Excerpt = strings.Repeat("long ", 100)
	}
	whole := signalDetails(s, true)
	require.LessOrEqual(t, UTF16Length(whole), maxDetail)
	shown := strings.Count(whole, "“long")
	require.Less(t, shown, maxEvidenceEach)
	require.True(t, strings.HasSuffix(whole, fmt.Sprintf("\nand %d more", len(s.Evidence)-shown)), whole)
	for range 12 {
		a.Flag.Signals = append(a.Flag.Signals, schemas.Signal{Detector: "quiet", Outcome: schemas.Clear})
	}
	require.Contains(t, unfiredLines(&a.Flag), "quiet: clear\nand 6 more detectors", "after the two others")
	a.Flag.Signals = a.Flag.Signals[:4]
	for len(a.Flag.Signals) < 30 {
		a.Flag.Signals = append(a.Flag.Signals, *s)
	}
	text = detailsText(NewDetails(&a, RenderOptions{}))
	shown = strings.Count(text, "0.91 ≥ 0.55")
	require.Less(t, shown, 10)
	require.Contains(t, text, fmt.Sprintf("and %d more detectors", 28-shown-1), "the cleared detectors are counted separately")
	require.Contains(t, text, "confab label "+samples.IncidentID+" --verdict wrong", "the commands are never omitted")
}

// detailsText joins the parts of the details.
func detailsText(d Details) string { return strings.Join(append(d.Parts, d.Facts...), "\n") }
