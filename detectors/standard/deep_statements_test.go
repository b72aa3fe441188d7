package standard_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// Every statement is kept with its verdict, faithful ones too, whatever the outcome.
func TestFaithfulnessKeepsStatements(t *testing.T) {
	for name, tt := range map[string]struct {
		answer   string
		verdicts func(p judgePrompt) string
		want     string // verdict of the last statement
		outcome  schemas.Outcome
	}{
		"clear":        {bridge, nil, "faithful", schemas.Clear},
		"fired":        {bridgeWrong, nil, "unfaithful", schemas.Fired},
		"out of scope": {bridge, outsideVerdicts, "out_of_scope", schemas.NotCheckable},
	} {
		t.Run(name, func(t *testing.T) {
			w := deepFixture{entries: onlyDetector("faithfulness"), byStatement: true, verdicts: tt.verdicts}
			s, _ := w.suite(t)
			e := s.Evaluate(t.Context(), interaction(tt.answer, bridgeSource()...))
			defer e.Release()
			f := e.Flag(schemas.Origin{}, schemas.PassDeep, time.Time{})
			signal := f.Signals[len(f.Signals)-1]
			require.Equal(t, tt.outcome, signal.Outcome)
			require.NotEmpty(t, signal.Statements)
			last := signal.Statements[len(signal.Statements)-1]
			require.Equal(t, tt.want, last.Verdict)
			require.Contains(t, tt.answer, last.Text)
			require.Positive(t, last.End)
			require.Positive(t, last.Confidence)
		})
	}
}

func outsideVerdicts(p judgePrompt) string {
	list := eachVerdict(p, func(string) int { return 0 })
	for i := range list {
		list[i].Outside = true
	}
	return verdictJSON(list)
}
