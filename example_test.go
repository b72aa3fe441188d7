package confab_test

import (
	"context"
	"fmt"
	"log"

	"confab"
	"confab/alerting"
	"confab/detectors"
	"confab/schemas"
)

// Checks one answer with the defaults of the worker: all fast detectors, the shipped calibration, redaction on.
func ExampleEvaluator_Check() {
	evaluator, err := confab.New(confab.Options{}, confab.Tuning{})
	if err != nil {
		log.Fatal(err)
	}
	flag, err := evaluator.Check(context.Background(), &schemas.Interaction{
		Temperature: schemas.UnknownTemperature,
		Messages:    []schemas.Message{{Role: "user", Content: "When was the bridge opened?"}},
		Sources:     []schemas.Source{{ID: "1", Text: "The bridge was opened in 1935. It is 320 metres long."}},
		Answer:      "The bridge was opened in 1937 [1].",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(flag.Fired, flag.Recommendation)
	for _, signal := range flag.Signals {
		for _, e := range signal.Evidence {
			fmt.Printf("%s: %s; the source has %s\n", e.Rule, e.Excerpt, e.SourceSays)
		}
	}
	// Output:
	// [facts] flag
	// figure_changed: 1937; the source has 1935
}

// Sets the alert rule: a schema violation alerts alone, and confidence counts half.
func ExampleOptions_policy() {
	evaluator, err := confab.New(confab.Options{
		Policy: alerting.PolicyOptions{Default: alerting.RuleOptions{Weights: map[string]float64{"schema": 2, "confidence": 0.5}}},
	}, confab.Tuning{})
	if err != nil {
		log.Fatal(err)
	}
	flag, err := evaluator.Check(context.Background(), &schemas.Interaction{
		Temperature:    schemas.UnknownTemperature,
		ResponseSchema: `{"type": "object", "required": ["total"]}`,
		Answer:         `{"sum": 12}`,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(flag.Fired, "alert:", flag.Alert)
	// Output: [schema] alert: true
}

// lengthDetector scores long answers. It keeps no state, so it is safe for concurrent use.
type lengthDetector struct{ limit int }

func (d lengthDetector) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	n := len(doc.Answer())
	return detectors.Finding{
		Score:    min(1, float64(n)/float64(2*d.limit)),
		Reason:   "the answer is longer than the limit",
		Measures: doc.Measures(detectors.Measure{Name: "bytes", Value: float64(n)}),
	}, nil
}

// Adds a detector of your own. It needs a threshold, because no calibration knows it.
func ExampleOwnDetector() {
	evaluator, err := confab.New(confab.Options{Own: []confab.OwnDetector{{
		Entry: detectors.Entry{
			Name: "length", Type: schemas.Format, Prose: true,
			New: func(any) (detectors.Detector, error) { return lengthDetector{limit: 20}, nil },
		},
		Threshold: 0.5,
	}}}, confab.Tuning{})
	if err != nil {
		log.Fatal(err)
	}
	flag, err := evaluator.Check(context.Background(), &schemas.Interaction{
		Temperature: schemas.UnknownTemperature,
		Answer:      "This answer is longer than twenty bytes.",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(flag.Fired)
	// Output: [length]
}
