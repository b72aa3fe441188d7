package doctor

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/console"
	"confab/schemas"
)

func TestExamineJudge(t *testing.T) {
	asked := schemas.Asked{Model: "large", Prompt: "faults-1"}
	labels := func(agree, differ int) map[string]schemas.Feedback {
		all := map[string]schemas.Feedback{"forgotten": {Verdict: schemas.Forgotten, Judge: &schemas.Judged{Model: "large", Prompt: "faults-1"}}}
		for i := range agree + differ {
			all[fmt.Sprint(i)] = schemas.Feedback{Verdict: schemas.Wrong, At: time.Now(), Judge: &schemas.Judged{Model: "large", Prompt: "faults-1", Wrong: i < agree}}
			all[fmt.Sprint("other", i)] = schemas.Feedback{Verdict: schemas.Wrong, Judge: &schemas.Judged{Model: "small", Prompt: "faults-1"}}
		}
		return all
	}
	for name, tt := range map[string]struct {
		labels map[string]schemas.Feedback
		want   string
		status console.State
	}{
		"none":          {nil, "0 labels", console.OK},
		"few":           {labels(0, 19), "19 labels", console.OK},
		"it agrees":     {labels(15, 5), "75 % of 20", console.OK},
		"it has fallen": {labels(13, 7), "65 % of 20", console.Warning},
	} {
		t.Run(name, func(t *testing.T) {
			var r console.Report
			examineJudge(&r, asked, tt.labels)
			require.Len(t, r.Findings, 1)
			require.Contains(t, r.Findings[0].Detail, tt.want)
			require.Equal(t, tt.status, r.Findings[0].State)
		})
	}
}
