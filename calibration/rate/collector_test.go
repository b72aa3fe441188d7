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
	c, err := NewCollector(Options{By: []string{"service"}, Deep: []string{"faithfulness"}})
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
	require.Len(t, r.Rows, 2)
	bot := r.Rows[0]
	require.Equal(t, []string{"bot"}, bot.Values)
	require.Equal(t, 100, bot.Verdicts)
	require.Equal(t, 1, bot.Unjudged)
	require.InDelta(t, 0.09, bot.Value, 1e-9, "the last label outranks the verdict")
	require.InDelta(t, 200, bot.Answers, 1e-9)
	require.Equal(t, 101, r.Total.Verdicts)
	require.InDelta(t, 2.0/202, bot.Missing, 1e-9)
	require.True(t, bot.JudgesWord)

	c.AddLabel(&schemas.Feedback{IncidentID: "0", Verdict: schemas.Forgotten, At: at.Add(3 * time.Hour)})
	c.AddLabel(&schemas.Feedback{IncidentID: "alerted", Verdict: schemas.Forgotten, At: at.Add(3 * time.Hour)})
	r = c.Result()
	require.InDelta(t, 0.1, r.Rows[0].Value, 1e-9, "forgotten labels do not count")

	_, err = NewCollector(Options{By: []string{"color"}})
	require.ErrorContains(t, err, "model, service")
	c.limit = 1
	require.ErrorContains(t, c.AddFlag(deepFlag("new", "bot", 1, schemas.Clear)), "shorter time")
}

// Missing verdicts count as often as the answers that they stand for.
func TestMissingVerdicts(t *testing.T) {
	sample := append(verdicts(0, 98, 0.5), Answer{Probability: 0.01}, Answer{Probability: 0.01})
	r := newRow(&[2][]Answer{sample}, false)
	require.Equal(t, 2, r.Unjudged)
	require.InDelta(t, 200.0/396, r.Missing, 1e-9)
	r = newRow(&[2][]Answer{{{Probability: 1}}}, false)
	require.InDelta(t, 1, r.Missing, 0)
}

func TestWindows(t *testing.T) {
	since := time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC)
	c, err := NewCollector(Options{
		By: []string{"model", "attributes.prompt"}, Deep: []string{"faithfulness"}, From: since.AddDate(0, 0, -7), Since: since, Until: since.AddDate(0, 0, 7),
	})
	require.NoError(t, err)
	add := func(day int, prompt string, wrong, all int) {
		for i := range all {
			f := deepFlag(fmt.Sprint(day, prompt, i), "bot", 0.5, schemas.Clear)
			if i < wrong {
				f.Signals[1].Outcome = schemas.Fired
			}
			f.Model, f.Attributes, f.DetectedAt = "m", map[string]string{"prompt": prompt}, since.AddDate(0, 0, 90)
			f.OccurredAt = since.AddDate(0, 0, day)
			require.NoError(t, c.AddFlag(f))
		}
	}
	add(-8, "v1", 100, 100) // before both
	add(-1, "v1", 10, 200)
	add(0, "v1", 60, 200)
	add(0, "v2", 2, 10)
	add(7, "v1", 100, 100) // after both
	r := c.Result()
	require.True(t, r.Compared)
	require.Equal(t, []string{"m", "v1"}, r.Rows[0].Values)
	v1 := r.Rows[0]
	require.InDelta(t, 0.3, v1.Value, 1e-9)
	require.InDelta(t, 0.05, v1.Before.Value, 1e-9)
	require.InDelta(t, 0.25, v1.Before.Change, 1e-9)
	require.Equal(t, "rose", v1.Before.Word())
	require.Equal(t, "not known", r.Rows[1].Before.Word(), "no answer before")
	require.Equal(t, "rose", r.Total.Before.Word())
	_, err = NewCollector(Options{From: since, Since: since})
	require.Error(t, err)
}

// A window with labels and one without are compared by the judge alone.
func TestWindowsCompareLike(t *testing.T) {
	now := label(verdicts(60, 140, 0.5), 4, func(bool) bool { return false })
	r := newRow(&[2][]Answer{now, verdicts(60, 140, 0.5)}, true)
	require.Less(t, r.Value, 0.1)
	require.True(t, r.Before.JudgesWord)
	require.Equal(t, "no sure change", r.Before.Word())
	require.InDelta(t, 0, r.Before.Change, 1e-9)
}

// A table that people filled in has its own probabilities, and the judge's verdicts of a file besides.
func TestReviewed(t *testing.T) {
	c, err := NewCollector(Options{By: []string{"model"}, Deep: []string{"faithfulness"}})
	require.NoError(t, err)
	for i := range 200 {
		f := deepFlag(fmt.Sprint(i), "bot", 0, schemas.Clear)
		f.Origin.Topic, f.Sampled, f.Model = "file", false, "m"
		if i%10 == 0 {
			f.Signals[1].Outcome = schemas.Fired
		}
		require.NoError(t, c.AddFlag(f))
	}
	for i := range 50 {
		v := schemas.Fine
		if i%5 == 0 {
			v = schemas.Wrong
		}
		require.NoError(t, c.AddReviewed(&Reviewed{Incident: fmt.Sprint(i), Verdict: v, Probability: 0.25}))
	}
	require.NoError(t, c.AddReviewed(&Reviewed{Incident: "else", Labels: Labels{Model: "n"}, Verdict: schemas.Fine, Probability: 0.25}))
	r := c.Result()
	require.Len(t, r.Rows, 2)
	require.Equal(t, 50, r.Rows[0].Labelled)
	require.InDelta(t, 0.2, r.Rows[0].Value, 0.01)
	require.False(t, r.Rows[0].JudgesWord)
	require.False(t, r.Total.JudgesWord)
	require.Equal(t, 1, r.Rows[1].Labelled)

	for i := range 100 { // of a model without labels
		f := deepFlag(fmt.Sprint("other", i), "bot", 0, schemas.Clear)
		f.Origin.Topic, f.Model = "file", "other"
		require.NoError(t, c.AddFlag(f))
	}
	r = c.Result()
	require.False(t, r.Rows[0].JudgesWord)
	require.True(t, r.Total.JudgesWord, "the labels do not stand for it")
	require.InDelta(t, 20.0/300, r.Total.Value, 0.001)
}

// An answer that two tables drew has the weights of both.
func TestReviewedTwice(t *testing.T) {
	c, err := NewCollector(Options{})
	require.NoError(t, err)
	for range 2 {
		for i := range 10 { // drawn surely, each time
			require.NoError(t, c.AddReviewed(&Reviewed{Incident: fmt.Sprint("fired", i), Verdict: schemas.Wrong, Probability: 1}))
		}
	}
	for i := range 20 {
		require.NoError(t, c.AddReviewed(&Reviewed{Incident: fmt.Sprint("quiet", i), Verdict: schemas.Fine, Probability: 0.25}))
	}
	r := c.Result()
	require.Equal(t, 30, r.Total.Labelled)
	require.InDelta(t, 0.2, r.Total.Value, 1e-9)
	require.InDelta(t, 100, r.Total.Answers, 1e-9)
}

// A name with the separator of names moves no value to another dimension.
func TestSeparatorInNames(t *testing.T) {
	c, err := NewCollector(Options{By: []string{"model", "service"}, Deep: []string{"faithfulness"}})
	require.NoError(t, err)
	for i, model := range []string{"m\x00a", "m"} {
		f := deepFlag(fmt.Sprint(i), []string{"b", "a\x00b"}[i], 1, schemas.Fired)
		f.Model = model
		require.NoError(t, c.AddFlag(f))
	}
	r := c.Result()
	require.Equal(t, []string{"m", "a\ufffdb"}, r.Rows[0].Values)
	require.Equal(t, []string{"m\ufffda", "b"}, r.Rows[1].Values)
}
