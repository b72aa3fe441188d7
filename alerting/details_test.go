package alerting

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestDetailsGolden(t *testing.T) {
	foreign := sampleOne()
	foreign.Flag.IncidentID, foreign.Flag.Signals = "`reboot`", nil
	for name, tt := range map[string]struct {
		alert schemas.Alert
		opts  RenderOptions
	}{
		"details":                  {sampleGroup(), everything()},
		"details_without_excerpts": {sampleGroup(), RenderOptions{HideExcerpts: true}},
		"details_of_nothing":       {foreign, everything()},
	} {
		t.Run(name, func(t *testing.T) {
			m := details(&tt.alert, tt.opts)
			require.NoError(t, violations(m, tt.opts))
			require.NoError(t, readable(m))
			golden(t, name+".json", indent(t, m))
		})
	}
}

// What does not fit is counted, never dropped silently.
func TestDetailsCountWhatIsLeftOut(t *testing.T) {
	a := sampleOne()
	s := &a.Flag.Signals[0]
	for i := range 30 {
		s.Evidence = append(s.Evidence, schemas.Evidence{Start: i, End: i + 1, Excerpt: fmt.Sprint("piece ", i)})
	}
	text := string(indent(t, details(&a, RenderOptions{})))
	require.Contains(t, text, fmt.Sprintf("and %d more\"", len(s.Evidence)-maxEvidenceEach))
	require.Contains(t, text, fmt.Sprintf("\\n%d. ", maxEvidenceEach))
	require.NotContains(t, text, fmt.Sprintf("\\n%d. ", maxEvidenceEach+1))

	for i := range s.Evidence {
		s.Evidence[i].Excerpt = strings.Repeat("long ", 100)
	}
	for len(a.Flag.Signals) < 30 {
		a.Flag.Signals = append(a.Flag.Signals, *s)
	}
	m := details(&a, RenderOptions{})
	require.NoError(t, violations(m, RenderOptions{}))
	text = string(indent(t, m))
	shown := strings.Count(text, "0.91 ≥ 0.55")
	require.Less(t, shown, 10)
	require.Contains(t, text, fmt.Sprintf("and %d more detectors", 28-shown-1), "one that fired is another one")
	require.Contains(t, text, "confab label "+incident+" --verdict confirmed", "the commands have room")
}
