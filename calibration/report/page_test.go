package report

import (
	"bytes"
	"html"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/baseline"
	"confab/calibration/measure"
	"confab/calibration/thresholds"
)

func rowsOf(n int, positive bool, tenant string, citation, grounding float64) []measure.Row {
	rows := make([]measure.Row, n)
	for i := range rows {
		rows[i] = measure.Row{Dataset: "set", Task: "qa", Tenant: tenant, Positive: positive, Fused: grounding*4 - 2, Measurable: "citation+grounding", Signals: []measure.Signal{
			{Detector: "citation", Score: citation, HasScore: true},
			{Detector: "grounding", Score: grounding, HasScore: true},
			{Detector: "schema"},
		}}
	}
	return rows
}

func calibrateRows(t *testing.T, tenant string) ([]measure.Row, calibration.File, thresholds.Report) {
	t.Helper()
	rows := rowsOf(60, true, tenant, 0.9, 0.8)
	rows = append(rows, rowsOf(10, false, tenant, 0.9, 0.1)...)
	rows = append(rows, rowsOf(70, false, "other", 0.1, 0.1)...)
	f, r, err := thresholds.Calibrate(rows, thresholds.Options{
		Fingerprint: "0123456789abcdef", CreatedBy: "confab test", Now: time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC),
		Baselines: []calibration.Baseline{{Model: "m<1>", PeakMean: 1, PeakStdev: 0.5, N: 30}},
	})
	require.NoError(t, err)
	r.Unfitted = []baseline.UnfittedKey{{Model: "rare", Band: calibration.BandZero, N: 3}}
	return rows, f, r
}

var htmlTags = regexp.MustCompile(`(?s)<style>.*?</style>|<[^>]*>`)

func pageText(page []byte) string {
	return strings.Join(strings.Fields(html.UnescapeString(htmlTags.ReplaceAllString(string(page), " "))), " ")
}

func TestPageContents(t *testing.T) {
	t.Parallel()
	rows, f, r := calibrateRows(t, "<acme>")
	next, err := calibration.New(f)
	require.NoError(t, err)
	old, err := calibration.Default()
	require.NoError(t, err)
	d, err := thresholds.Compare(rows, old, next, thresholds.DiffOptions{Traffic: 1400})
	require.NoError(t, err)
	var page bytes.Buffer
	require.NoError(t, HTML(&page, &r, &d))
	got := pageText(page.Bytes())
	for _, want := range []string{
		"Calibration 2026-11-21-01234567",
		"140 labelled rows, 60 of them bad",
		"not armed: no row that it could check",
		"two or more any 1.000 .940",
		"citation, grounding 80 +0.00 +0.00",
		"m<1> any any 30",
		"No baseline of its own: rare, any, temperature zero, with 3 good answers.",
		"Against " + old.ID(),
		"Were 42.9 % of the answers bad (as in the labels), at 1400 answers a day: on-call would get 600 alerts",
	} {
		require.Contains(t, got, want)
	}
	require.Contains(t, got, "<acme> (tenant)", "names are shown, not obeyed")
	require.NotContains(t, page.String(), "<acme>")
	require.GreaterOrEqual(t, strings.Count(page.String(), "<svg"), 3)
}

func TestPageNeedsNoNetwork(t *testing.T) {
	t.Parallel()
	_, _, r := calibrateRows(t, "acme")
	var page bytes.Buffer
	require.NoError(t, HTML(&page, &r, nil))
	rest := strings.ReplaceAll(page.String(), `xmlns="http://www.w3.org/2000/svg"`, "")
	require.NotRegexp(t, `https?:|//[a-z]|<script|<link|@import|url\(`, rest)
	require.NotContains(t, pageText(page.Bytes()), "Against")
	require.Less(t, page.Len(), 100_000)
}

// The page has the alert rule with its minimum risk, by data set, or says why there is none.
func TestPageOfAlerts(t *testing.T) {
	t.Parallel()
	rows := rowsOf(60, true, "default", 0.9, 0.9)
	rows = append(rows, rowsOf(2, false, "default", 0.9, 0.9)...)
	rows = append(rows, rowsOf(20, true, "default", 0.9, 0.7)...)
	rows = append(rows, rowsOf(20, false, "default", 0.9, 0.7)...)
	rows = append(rows, rowsOf(500, false, "default", 0.1, 0.1)...)
	text := func(o thresholds.AlertOptions) string {
		_, r, err := thresholds.Calibrate(rows, thresholds.Options{Fingerprint: "0123456789abcdef", Alert: o})
		require.NoError(t, err)
		var page bytes.Buffer
		require.NoError(t, HTML(&page, &r, nil))
		return pageText(page.Bytes())
	}
	got := text(thresholds.AlertOptions{Budget: 500, Traffic: 10_000})
	require.Contains(t, got, "Figures hold for 5.0 % of bad answers; at most 1.0 % of the good answers may alert. At 10000 answers a day 411 alerts are expected")
	require.Contains(t, got, "with a budget of 500")
	require.Contains(t, got, "set 522 0.4 %")
	require.Contains(t, text(thresholds.AlertOptions{FalseAlarms: 0.0001}), "By the configured rule, without a minimum risk: too few good answers: 522")
}
