package quality

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWriteHTML(t *testing.T) {
	t.Parallel()
	rows := randomRows(400)
	for i := range rows[:200] {
		rows[i].Dataset = `<script>alert("set")</script>`
	}
	report, err := Evaluate(rows, Options{Calibration: armedCalibration(t, "one", 0.7), By: ByTask, Resamples: 20})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.WriteHTML(&b))
	page := b.String()

	require.NotContains(t, page, "<script", "names are escaped")
	require.Less(t, len(page), 200_000, "small enough to send around")
	require.Equal(t, 2*(3+3), strings.Count(page, "<svg"), "ROC, precision and recall, reliability, and the scores of each")
	require.Equal(t, 2*3, strings.Count(page, `class="first `), "each slice opens with a line")
	require.NotContains(t, page, "NaN")
	for i := range rows {
		rows[i].Task = "qa"
	}
	report, err = Evaluate(rows, Options{Calibration: armedCalibration(t, "one", 0.7), By: ByTask})
	require.NoError(t, err)
	b.Reset()
	require.NoError(t, report.WriteHTML(&b))
	require.NotContains(t, b.String(), "<td>qa</td>", "the only task is the whole once more")
	require.Contains(t, b.String(), "<td>all</td>")

	// The page loads nothing.
	bare := strings.ReplaceAll(page, `xmlns="http://www.w3.org/2000/svg"`, "")
	require.NotRegexp(t, `(?i)https?:|//[a-z]|url\(|@import|\bsrc=|\bhref=`, bare)

	d := xml.NewDecoder(strings.NewReader(strings.Replace(page, "<!doctype html>", "", 1)))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		_, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err, "every element is closed")
	}
}

func TestPageOfRowsOfOneLabel(t *testing.T) {
	t.Parallel()
	rows := randomRows(60)
	for i := range rows {
		rows[i].Positive = true
	}
	report, err := Evaluate(rows, Options{Calibration: armedCalibration(t, "one", 0.7), By: ByTask, Resamples: 5})
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, report.WriteHTML(&b))
	require.Contains(t, b.String(), "nothing can be ranked")
	require.NotContains(t, b.String(), "<svg")
	require.NotContains(t, b.String(), "NaN")
}

func TestSharesForPeople(t *testing.T) {
	t.Parallel()
	require.Equal(t, ".831", Share(0.8312))
	require.Equal(t, "1.000", Share(0.99999))
	require.Empty(t, undefined().Range())
	require.Equal(t, ".80–1.00", Figure{0.9, 0.8, 1}.Range())
	for x, want := range map[float64]string{0: "0 %", 0.0021: "0.2 %", 0.1249: "12 %", 0.996: "99.6 %", 1: "100 %"} {
		require.Equal(t, want, Percent(x))
	}
}
