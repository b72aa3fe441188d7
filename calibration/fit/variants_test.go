package fit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestMarkVariants(t *testing.T) {
	good := "The committee approved the new budget in March after two long hearings."
	for name, tt := range map[string]struct {
		bad  string
		good []string
		want []string
	}{
		"a changed word":           {"The committee rejected the new budget in March after two long hearings.", []string{good}, []string{"rejected"}},
		"two places":               {"The committee rejected the new budget in April after two long hearings.", []string{good}, []string{"rejected", "April"}},
		"an insertion":             {"The committee approved the new budget in March after two long and secret hearings.", []string{good}, []string{"and secret"}},
		"a word left out":          {"The committee approved the budget in March after two long hearings.", []string{good}, []string{"the budget"}},
		"the end left out":         {"The committee approved the new budget in March after two long", []string{good}, []string{"long"}},
		"a harmless variant":       {"The panel rejected the new budget in March after two long hearings.", []string{good, "The panel approved the new budget in March after two long hearings."}, []string{"rejected"}},
		"another text":             {"Nobody knows who approved it.", []string{good}, nil},
		"no good answer":           {"The committee rejected the new budget.", nil, nil},
		"the same words":           {good, []string{good}, nil},
		"one of many is a variant": {"The committee rejected the new budget in March after two long hearings.", []string{"Rain fell.", good}, []string{"rejected"}},
		"an answer of no tokens":   {"", []string{good, ""}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			rows := []schemas.Labelled{{Label: 1, Dataset: "s", Group: "g", Interaction: schemas.Interaction{Answer: tt.bad}}}
			for _, answer := range tt.good {
				rows = append(rows, schemas.Labelled{Dataset: "s", Group: "g", Interaction: schemas.Interaction{Answer: answer}},
					schemas.Labelled{Dataset: "s", Group: "other", Interaction: schemas.Interaction{Answer: tt.bad}})
			}
			markVariants(rows)
			var got []string
			for _, s := range rows[0].Spans {
				got = append(got, tt.bad[s.Start:s.End])
			}
			require.Equal(t, tt.want, got)
			for _, r := range rows[1:] {
				require.Empty(t, r.Spans, "good rows have no faults")
			}
		})
	}
}

func TestMarkVariantsKeepsLabelledSpans(t *testing.T) {
	span := []schemas.Span{{Start: 1, End: 2, Type: "conflict"}}
	rows := []schemas.Labelled{
		{Label: 1, Group: "g", Spans: span, Interaction: schemas.Interaction{Answer: "The bridge is closed on Monday and Friday."}},
		{Group: "g", Interaction: schemas.Interaction{Answer: "The bridge is open on Monday and Friday."}},
		{Label: 1, Interaction: schemas.Interaction{Answer: "The bridge is closed on Monday and Friday."}},
	}
	markVariants(rows)
	require.Equal(t, span, rows[0].Spans)
	require.Empty(t, rows[2].Spans, "rows without a group are not compared")
}

// Groups of many long answers cost little.
func TestMarkVariantsBoundsItsCost(t *testing.T) {
	long := strings.Repeat("The committee approved the new budget in March after two long hearings. ", 40)
	var rows []schemas.Labelled
	for i := range 2 * maxVariants {
		rows = append(rows,
			schemas.Labelled{Group: "g", Interaction: schemas.Interaction{Answer: long + fmt.Sprint(i)}},
			schemas.Labelled{Group: "h", Interaction: schemas.Interaction{Answer: long[:700] + fmt.Sprint(i)}})
	}
	rows = append(rows, schemas.Labelled{Group: "h", Label: 1, Interaction: schemas.Interaction{Answer: long[:700] + "never"}})
	rows = append(rows, schemas.Labelled{Group: "g", Label: 1, Interaction: schemas.Interaction{Answer: long + "never"}})
	markVariants(rows)
	require.NotEmpty(t, rows[len(rows)-2].Spans)
	require.Empty(t, rows[len(rows)-1].Spans, "too long to compare")
}
