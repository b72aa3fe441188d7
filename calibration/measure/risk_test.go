package measure

import (
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/schemas"
)

// TestRiskOfRowIsThatOfItsFlag requires that a row is judged as the worker judges the answer.
func TestRiskOfRowIsThatOfItsFlag(t *testing.T) {
	t.Parallel()
	learned, err := standard.DefaultModel()
	require.NoError(t, err)
	cal, err := calibration.Default()
	require.NoError(t, err)
	suite, err := detectors.NewSuite(detectors.Options{
		Detectors: standard.Fast(standard.Dependencies{Model: learned}), Fusion: learned.Fuser(), Thresholds: cal, Risks: cal,
		Now: func() time.Time { return time.Time{} }, Redact: strings.Clone,
	})
	require.NoError(t, err)
	sources := []schemas.Source{{ID: "1", Text: "The bridge was opened in 1933 by the bishop."}, {ID: "2", Text: "Bread is baked at noon."}}
	var rows []schemas.Labelled
	for i, in := range []schemas.Interaction{
		{Answer: "Hello."},
		{Answer: `{"a": 1}`, ResponseSchema: `{"type": "object"}`},
		{Answer: `{"a": 1}`, ResponseSchema: `{"type": "array"}`},
		{Answer: "The bridge was opened in 1933 by the bishop [1].", Sources: sources},
		{Answer: "The bridge was opened in 1933 by the bishop [2].", Sources: sources},
		{Answer: "The harbour was sold in 2011 to a fund from Norway for 40 million.", Sources: sources},
		{Answer: "The harbour was sold in 2011 to a fund from Norway for 40 million [2]. Bread is baked at noon [9].", Sources: sources},
	} {
		in.ID = strconv.Itoa(i)
		rows = append(rows, schemas.Labelled{Interaction: in, Labelled: true})
	}
	measured, _, err := Rows(t.Context(), suite, &memoryLabels{rows}, Options{})
	require.NoError(t, err)
	require.Len(t, measured, len(rows))
	fired := 0
	for i := range rows {
		e := suite.Evaluate(t.Context(), &rows[i].Interaction)
		want, ok := e.Risk()
		fired = max(fired, len(e.Fired()))
		e.Release()
		got, known := measured[i].Risk(cal)
		require.Equal(t, ok, known, rows[i].Interaction.Answer)
		require.InDelta(t, want, got, 1e-12, rows[i].Interaction.Answer)
	}
	require.Greater(t, fired, 1, "else nothing is left out of fusion")
}

// memoryLabels are labelled rows in memory.
type memoryLabels struct{ rows []schemas.Labelled }

func (l *memoryLabels) Next(row *schemas.Labelled) error {
	if len(l.rows) == 0 {
		return io.EOF
	}
	*row, l.rows = l.rows[0], l.rows[1:]
	return nil
}

func (l *memoryLabels) Place() string { return "row" }
