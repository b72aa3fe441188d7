package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/golden"
	"confab/internal/hostile"
	"confab/schemas"
)

// TestExamples: each rule fires on its faulty examples, with the words that it names, and stays quiet on the others; no other rule
// accuses a right example.
func TestExamples(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	for _, r := range Rules() {
		require.GreaterOrEqual(t, len(r.Examples), 2, r.ID)
		for _, x := range r.Examples {
			t.Run(r.ID, func(t *testing.T) {
				in := &schemas.Interaction{Answer: x.Answer}
				if x.Source != "" {
					in.Sources = []schemas.Source{{ID: "1", Text: x.Source}}
				}
				if x.User != "" {
					in.Messages = []schemas.Message{{Role: "user", Content: x.User}}
				}
				f, _ := detectortest.Detect(t, d, in)
				if x.Fires == "" {
					require.Empty(t, f.Evidence, x.Answer)
					return
				}
				require.NotEmpty(t, f.Evidence, x.Answer)
				require.Equal(t, r.ID, f.Evidence[0].Rule)
				require.Equal(t, x.Fires, x.Answer[f.Evidence[0].Start:f.Evidence[0].End])
			})
		}
	}
}

// TestReference keeps docs/rules.md.
func TestReference(t *testing.T) {
	t.Parallel()
	golden.Equal(t, "../../docs/rules.md", reference())
}

func reference() string {
	var b strings.Builder
	b.WriteString("# Rules of facts\n\nThe detector `facts` fires where one of these rules proves a fault. `evidence.rule` of a flag has its id. A figure counts as supported if a source or the\nuser has it in any form, or if it follows from such figures.\n")
	for _, r := range Rules() {
		fmt.Fprintf(&b, "\n## %s\n\nFires on %s. Compared with: %s.", r.ID, r.Doc, r.Needs)
		if r.Langs != "" {
			fmt.Fprintf(&b, " Words of %s.", r.Langs)
		}
		b.WriteString("\n\n| source or user | answer | accused |\n|---|---|---|\n")
		for _, x := range r.Examples {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(x.Source+x.User), cell(x.Answer), cell(x.Fires))
		}
	}
	return b.String()
}

// cell is the text of a table cell.
func cell(s string) string {
	return strings.NewReplacer("|", "\\|", "\n", " ⏎ ").Replace(s)
}

// TestHostileRecords: no kind of hostile record takes more than a part of the budget.
func TestHostileRecords(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	for _, k := range hostile.Kinds() {
		t.Run(k.Name, func(t *testing.T) {
			r := k.Record(k.Full/4, 0)
			_, doc := detectortest.Detect(t, d, &r.Interaction)
			require.LessOrEqual(t, doc.Work().Spent(), int64(detectors.MaxWork/4))
		})
	}
}
