package confab_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors/confidence"
	"confab/schemas"
)

// confidenceOf evaluates an answer of one token, whose alternative has that probability, and returns the flag and its signal.
func confidenceOf(t *testing.T, e *confab.Evaluator, model, text string, probability float64) (schemas.Flag, schemas.Signal) {
	t.Helper()
	a, b := float32(math.Log(1-probability)), float32(math.Log(probability))
	in := &schemas.Interaction{
		Tenant: "acme", Model: model, Operation: "qa", Answer: text, Temperature: schemas.UnknownTemperature,
		Sources:  []schemas.Source{{ID: "1", Text: "The old bridge was opened in May 1937 by the king."}},
		Logprobs: schemas.Logprobs{TopK: 2, Values: []float32{a, a, b}},
	}
	f, err := e.Check(t.Context(), in)
	require.NoError(t, err)
	for _, s := range f.Signals {
		if s.Detector == confidence.Name {
			return f, s
		}
	}
	t.Fatal("no signal")
	return f, schemas.Signal{}
}

const (
	quietText = "The old bridge was opened in May 1937."
	firedText = "The old bridge was opened in June 1983 by the queen of Denmark."
)

// Answers teach what is usual for their model, unless another detector fired.
func TestConfidenceLearns(t *testing.T) {
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	for range 50 {
		f, _ := confidenceOf(t, e, "gpt-4o", firedText, 0.4)
		require.NotEmpty(t, f.Fired)
	}
	for i := range confidence.LeastAnswers {
		_, s := confidenceOf(t, e, "gpt-4o", quietText, 0.01+float64(i)/1000)
		require.Equal(t, schemas.NotCheckable, s.Outcome, i)
		require.InDelta(t, i, s.Measures[confidence.MeasureAnswers], 0)
	}
	quiet, s := confidenceOf(t, e, "gpt-4o", quietText, 0.05)
	require.Equal(t, schemas.Clear, s.Outcome)
	require.InDelta(t, confidence.LeastAnswers, s.Measures[confidence.MeasureAnswers], 0)
	f, s := confidenceOf(t, e, "gpt-4o", quietText, 0.4)
	require.Equal(t, schemas.Fired, s.Outcome)
	require.InDelta(t, 0.98, s.Threshold, 0)
	require.Greater(t, *f.Risk, *quiet.Risk)
	next, err := e.With(confab.Tuning{})
	require.NoError(t, err)
	_, s = confidenceOf(t, next, "gpt-4o", quietText, 0.4)
	require.Equal(t, schemas.Fired, s.Outcome, "a reload forgets nothing")
	_, s = confidenceOf(t, e, "gpt-4o-mini", quietText, 0.4)
	require.Equal(t, "learning: fewer than 100 answers of this model and operation have passed", s.Reason)
	deep, err := confab.New(confab.Options{Pass: schemas.PassDeep}, confab.Tuning{})
	require.NoError(t, err)
	_, s = confidenceOf(t, deep, "gpt-4o", quietText, 0.4)
	require.Equal(t, "no baseline", s.Reason)
}
