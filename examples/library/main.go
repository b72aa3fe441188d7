// Command library checks one answer with Confab as a library: no Kafka, no network.
//
//	cd examples/library && go run .
package main

import (
	"context"
	"fmt"
	"os"

	"confab"
	"confab/schemas"
)

func main() {
	if err := checkAnswer(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func checkAnswer(ctx context.Context) error {
	evaluator, err := confab.New(confab.Options{}, confab.Tuning{}) // make it once; it is safe for concurrent use
	if err != nil {
		return err
	}
	flag, err := evaluator.Check(ctx, &schemas.Interaction{
		Service:     "museum-guide",
		Temperature: schemas.UnknownTemperature,
		Messages:    []schemas.Message{{Role: "user", Content: "When was the bridge opened?"}},
		Sources:     []schemas.Source{{ID: "1", Text: "The bridge was opened in 1935. It is 320 metres long."}},
		Answer:      "The bridge was opened in 1937 [7].",
	})
	if err != nil {
		return err
	}
	fmt.Printf("recommendation %s, alert %v\n", flag.Recommendation, flag.Alert)
	for _, signal := range flag.Signals {
		fmt.Printf("  %-11s %-14s %s\n", signal.Detector, signal.Outcome, signal.Reason)
		for _, e := range signal.Evidence {
			fmt.Printf("    %q: %s; the source has %q\n", e.Excerpt, e.Note, e.SourceSays)
		}
	}
	return nil
}
