package evaluate

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/measure"
	"confab/schemas"
)

func TestPrintAgreement(t *testing.T) {
	row := func(kind string, outcome schemas.Outcome) measure.Row {
		return measure.Row{Kind: kind, Positive: kind != "", Signals: []measure.Signal{
			{Detector: "grounding", HasScore: true, Outcome: schemas.Fired},
			{Detector: schemas.JudgeDetector, HasScore: outcome != schemas.Failed, Outcome: outcome},
		}}
	}
	var b bytes.Buffer
	require.NoError(t, printAgreement(&b, schemas.Asked{Model: "large\x1b[31m", Prompt: "faults-1"}, []measure.Row{
		row("figure", schemas.Fired), row("figure", schemas.Clear), row("date", schemas.Fired), row("", schemas.Clear), row("", schemas.Clear),
		row("date", schemas.Failed),
		{Positive: true},
	}))
	require.NotContains(t, b.String(), "\x1b")
	require.Contains(t, b.String(), ", prompt faults-1: 5 of 7 answers judged, .800 as labelled; finds 67 % of the wrong ones, alarms on 0 % of the fine ones; balanced accuracy .833, kappa .615\n"+
		"  date (1): balanced accuracy 1.000\n  figure (2): balanced accuracy .750\n")
}
