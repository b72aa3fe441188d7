package tools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

// costly are the records on which a rule compares all with all.
func costly() map[string]*schemas.Interaction {
	all := map[string]*schemas.Interaction{}
	one := func(name string) *schemas.Interaction {
		all[name] = &schemas.Interaction{Answer: "I sent the parcel and refunded it.", Messages: []schemas.Message{{Role: "user", Content: "Do it."}}}
		return all[name]
	}
	in := one("values")
	var values []string
	for i := range 8000 {
		values = append(values, fmt.Sprintf(`"ZQ%06d"`, i))
	}
	in.Calls = []schemas.ToolCall{{Name: "send", Arguments: `{"order_id":[` + strings.Join(values, ",") + `]}`}}
	in.Messages[0].Content = strings.Repeat("12 ab ", 18000)

	in = one("tools and calls")
	for i := range 5000 {
		in.Tools = append(in.Tools, schemas.Tool{Name: fmt.Sprint("toolOfSomeName", i)})
		in.Calls = append(in.Calls, schemas.ToolCall{Name: "s:other", Arguments: `{"a":"b"}`})
	}
	in = one("failed calls")
	for range 5000 {
		in.Calls = append(in.Calls, schemas.ToolCall{Name: "send", Arguments: `{"a":"b"}`, Error: "bad"})
	}
	in.Answer = strings.Repeat("I sent it. ", 2000)
	return all
}

// TestCost: what a rule compares counts as work, so that such a record is skipped instead of taking minutes.
func TestCost(t *testing.T) {
	suite := detectortest.NewSuite(t, nil, detectors.TextEntry("tools", schemas.ToolUse, nil, func(o Options) (detectors.Detector, error) { return New(o, newValidator) }))
	for name, in := range costly() {
		t.Run(name, func(t *testing.T) {
			e := suite.Evaluate(t.Context(), in)
			defer e.Release()
			require.Equal(t, detectors.ReasonBudget, e.Ended())
		})
	}
}
