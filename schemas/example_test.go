package schemas_test

import (
	"fmt"

	"confab/schemas"
)

// An incident id depends on tenant, interaction id and answer only, so that readers of llm.incidents recognize repeats.
func ExampleEventID_IncidentID() {
	in := schemas.Interaction{Tenant: "default", ID: "resp_1", Answer: "In 1937."}
	fmt.Println(in.EventID().IncidentID())
	// Output: 51ac641f2ca0525943ba333e556c642913424f597b4b863d388f96eae66b03df
}
