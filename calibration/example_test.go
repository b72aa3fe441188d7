package calibration_test

import (
	"fmt"
	"log"
	"strings"

	"confab/calibration"
)

// Reads a calibration file and looks up a threshold: the most specific row wins.
func ExampleLoad() {
	c, err := calibration.Load(strings.NewReader(`
format: 1
id: 2026-11-22-example
thresholds:
  - {detector: facts, threshold: 0.6, armed: true}
  - {detector: facts, operation: invoices, threshold: 0.4, armed: true}
`))
	if err != nil {
		log.Fatal(err)
	}
	for _, operation := range []string{"chat", "invoices"} {
		threshold, armed := c.Threshold("facts", "default", operation, "")
		fmt.Println(operation, threshold, armed)
	}
	// Output:
	// chat 0.6 true
	// invoices 0.4 true
}
