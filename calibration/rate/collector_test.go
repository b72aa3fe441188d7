package rate

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func deepFlag(id, service string, probability float64, outcome schemas.Outcome) *schemas.Flag {
	return &schemas.Flag{
		IncidentID: id, Pass: schemas.PassDeep, Service: service, Sampled: true, SampleProbability: probability,
		Signals: []schemas.Signal{{Detector: "grounding", Outcome: schemas.Fired}, {Detector: "faithfulness", Outcome: outcome}},
	}
}

func TestCollector(t *testing.T) {
	c, err := NewCollector([]string{"service"}, []string{"faithfulness"})
	require.NoError(t, err)
	for i := range 100 {
		outcome := schemas.Clear
		if i < 10 {
			outcome = schemas.Fired
		}
		f := deepFlag(fmt.Sprint(i), "bot", 0.5, outcome)
		fast := *f
		fast.Pass, fast.Signals = schemas.PassFast, nil
		for range 2 { // written at least once
			require.NoError(t, c.AddFlag(f))
			require.NoError(t, c.AddFlag(&fast))
		}
	}
	require.NoError(t, c.AddFlag(deepFlag("skipped", "bot", 0.5, schemas.Skipped)))
	require.NoError(t, c.AddFlag(deepFlag("other", "shop", 1, schemas.Fired)))
	unsampled := deepFlag("alerted", "bot", 0, schemas.Fired)
	unsampled.Sampled = false
	require.NoError(t, c.AddFlag(unsampled))
	at := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	c.AddLabel(&schemas.Feedback{IncidentID: "0", Verdict: schemas.Fine, At: at.Add(time.Hour)})
	c.AddLabel(&schemas.Feedback{IncidentID: "0", Verdict: schemas.Wrong, At: at})
	c.AddLabel(&schemas.Feedback{IncidentID: "alerted", Verdict: schemas.Wrong, At: at})

	c.AddLabel(&schemas.Feedback{IncidentID: "1", Verdict: "unsure", At: at.Add(2 * time.Hour)})
	for _, unsound := range []float64{math.NaN(), math.Inf(1), -0.5, 1.5, 1e-200} {
		require.NoError(t, c.AddFlag(deepFlag(fmt.Sprint("unsound", unsound), "bot", unsound, schemas.Fired)))
	}

	r := c.Result()
	require.Equal(t, 1, r.Unsampled)
	require.Len(t, r.Rows, 2)
	bot := r.Rows[0]
	require.Equal(t, []string{"bot"}, bot.Values)
	require.Equal(t, 100, bot.Judged)
	require.Equal(t, 1, bot.Labelled)
	require.Equal(t, 1, bot.Unjudged)
	require.InDelta(t, 0.09, bot.Share, 1e-9, "the last label outranks the verdict")
	require.InDelta(t, 200, bot.Traffic, 1e-9)
	require.Equal(t, 101, r.Total.Judged)
	require.InDelta(t, 2.0/202, bot.Missing, 1e-9)
	require.False(t, bot.Conditional())

	c.AddLabel(&schemas.Feedback{IncidentID: "0", Verdict: schemas.Forgotten, At: at.Add(3 * time.Hour)})
	c.AddLabel(&schemas.Feedback{IncidentID: "alerted", Verdict: schemas.Forgotten, At: at.Add(3 * time.Hour)})
	r = c.Result()
	require.Zero(t, r.Total.Labelled+r.Unsampled, "forgotten labels do not count")

	_, err = NewCollector([]string{"color"}, nil)
	require.ErrorContains(t, err, "service, model")
	c.limit = 1
	require.ErrorContains(t, c.AddFlag(deepFlag("new", "bot", 1, schemas.Clear)), "shorter time")
}

// Missing verdicts count as often as the answers that they stand for.
func TestMissingVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		judged, missing int
		probability     float64 // of the missing ones; of the judged ones 0.5
		share           float64
		conditional     bool
	}{
		"none":        {judged: 50, probability: 0.5},
		"at the most": {judged: 90, missing: 10, probability: 0.5, share: 0.1},
		"above":       {judged: 89, missing: 11, probability: 0.5, share: 0.11, conditional: true},
		"few, rare":   {judged: 98, missing: 2, probability: 0.01, share: 200.0 / 396, conditional: true},
		"all":         {missing: 5, probability: 0.5, share: 1, conditional: true},
	} {
		t.Run(name, func(t *testing.T) {
			collector, err := NewCollector([]string{"service"}, []string{"faithfulness"})
			require.NoError(t, err)
			for i := range c.judged {
				require.NoError(t, collector.AddFlag(deepFlag(fmt.Sprint("judged", i), "bot", 0.5, schemas.Clear)))
			}
			for i := range c.missing {
				require.NoError(t, collector.AddFlag(deepFlag(fmt.Sprint("missing", i), "bot", c.probability, schemas.Skipped)))
			}
			r := collector.Result()
			for _, row := range append(r.Rows, r.Total) {
				require.InDelta(t, c.share, row.Missing, 1e-9)
				require.Equal(t, c.conditional, row.Conditional())
			}
		})
	}
}
