package ui

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration/rate"
	"confab/internal/kafka"
	"confab/schemas"
)

// The trends have the estimate of confab rate: each sampled answer counts as often as its probability says.
func TestEstimatedRates(t *testing.T) {
	c := testConfig(t)
	var messages []kafka.Message
	for i := range 60 {
		f := schemas.Flag{
			IncidentID: fmt.Sprintf("%064x", i+1), Pass: schemas.PassDeep, InteractionID: fmt.Sprint(i), Tenant: "default", Service: "bot", Model: "m",
			DetectedAt: time.Now(), Sampled: true, SampleProbability: 0.01,
			Signals: []schemas.Signal{{Detector: "faithfulness", Outcome: schemas.Clear, Type: schemas.Factual}}, Fired: []string{},
		}
		switch {
		case i < 6: // risky ones are picked more often
			f.SampleProbability, f.Signals[0].Outcome, f.Fired = 1, schemas.Fired, []string{"faithfulness"}
		case i == 59:
			f.Signals[0].Outcome = schemas.Skipped // no verdict
		case i > 50:
			f.Service, f.Attributes = "few", map[string]string{"prompt": "v2"}
		}
		messages = append(messages, flagMessage(t, c, &f))
	}
	page := startPage(t, nil, messages...)
	body := page.get("/trends?by=service").body
	require.Contains(t, body, "Share of wrong answers")
	require.Contains(t, body, "0.1 %", "6 of about 5,306 answers, not 6 of 59")
	require.Contains(t, body, "59 verdicts: the judge&#39;s word")
	require.Contains(t, body, "8 verdicts: the judge&#39;s word; 20 are needed")
	body = page.get("/trends?by=attributes.prompt").body
	require.Contains(t, body, "<option selected>attributes.prompt</option>")
	require.Contains(t, body, "<th scope=\"row\">v2</th>")
	require.NotContains(t, page.get("/trends?by=colour").body, "colour", "no dimension")
}

// A period is compared with the one before it.
func TestRatesOfTwoPeriods(t *testing.T) {
	s := sample{by: "operation", groups: rate.Groups{}, attributes: map[string]bool{}}
	add := func(operation string, n, wrong int, before bool) {
		for i := range n {
			r := row{Pass: schemas.PassDeep, Sampled: true, Chance: 0.1, Judged: true, JudgedWrong: i < wrong, Operation: operation, Attributes: map[string]string{"prompt": "v1"}}
			s.add(&r, before)
		}
	}
	add("qa", 200, 10, true)
	add("qa", 200, 60, false)
	add("new", 30, 3, false)
	s.add(&row{Pass: schemas.PassDeep, Sampled: true, Judged: true}, false) // probability unknown
	require.Equal(t, []string{"model", "service", "operation", "tenant", "attributes.prompt"}, s.choices())
	rows := s.rates()
	require.Equal(t, []string{"all answers", "qa", "new"}, []string{rows[0].Name, rows[1].Name, rows[2].Name})
	require.Equal(t, "30.0 %", rows[1].Value)
	require.Contains(t, rows[1].Before, "5.0 % (")
	require.Contains(t, rows[1].Change, "rose: +25.0 (+")
	require.Equal(t, []string{"-", "not known"}, []string{rows[2].Before, rows[2].Change})
	for range 25 {
		s.add(&row{Pass: schemas.PassDeep, Sampled: true, Chance: 1, Judged: true, Operation: "labelled", Verdict: schemas.Wrong}, false)
	}
	rows = s.rates()
	require.Contains(t, rows[0].Basis, "the judge's word", "labels of one operation do not correct the line of all, as in confab rate")
	require.Contains(t, rows[3].Basis, "25 labels")
}
