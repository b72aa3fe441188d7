package alerting_test

import (
	"fmt"

	"confab/alerting"
	"confab/schemas"
)

// The default rule: two detectors that fired make an alert.
func ExamplePolicy_Stamp() {
	policy := alerting.NewPolicy(alerting.PolicyOptions{})
	for _, fired := range [][]string{{"facts"}, {"facts", "grounding"}} {
		flag := schemas.Flag{Tenant: "default", Fired: fired}
		policy.Stamp(&flag)
		fmt.Println(fired, flag.Alert)
	}
	// Output:
	// [facts] false
	// [facts grounding] true
}
