package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/internal/kafka"
	"confab/schemas"
)

// The review lists answers without a label, flagged and quiet ones, each once.
func TestReviewList(t *testing.T) {
	c := testConfig(t)
	fired, quiet, near := samples.FlagOf("aa", 0.9, "one"), samples.FlagOf("bb", 0.1, "two"), samples.FlagOf("cc", 0.4, "three")
	quiet.Fired, quiet.Signals, quiet.Alert = nil, nil, false
	near.Fired, near.Alert = nil, false
	near.Signals = []schemas.Signal{{Detector: "grounding", Outcome: schemas.Clear, Score: 0.75, Threshold: 0.8}}
	deep := fired
	deep.Pass = schemas.PassDeep
	messages := make([]kafka.Message, 0, 4)
	for _, f := range []*schemas.Flag{&fired, &deep, &quiet, &near} {
		messages = append(messages, flagMessage(t, c, f))
	}
	p := startPage(t, nil, messages...)
	body := p.get("/review").body
	for _, f := range []*schemas.Flag{&fired, &quiet, &near} {
		require.Equal(t, 1, strings.Count(body, `href="/incidents/`+f.IncidentID), f.IncidentID)
	}
	require.NotContains(t, body, "no quiet one can be labelled")
	s := testStore(10)
	require.True(t, s.drawn(&near).Near)
	require.False(t, s.drawn(&quiet).Near)
	require.True(t, s.drawn(&fired).Fired)
}
