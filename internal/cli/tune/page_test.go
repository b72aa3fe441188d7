package tune

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/browsertest"
)

// A person labels the drawn page in a browser; the table that it saves is read as the drawn table is.
func TestLabelInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	browser := browsertest.StartBrowser(t)
	b := newBench(t, manyAnswers(60))
	b.Out = filepath.Join(b.folder, "labels.html")
	require.NoError(t, Draw(t.Context(), &b.out, &b.errs, b.Options))
	require.Contains(t, b.out.String(), "open it, say wrong or fine of each answer and save labels.csv")

	browser.Open(b.Out, "")
	var source string
	browser.Eval(`document.querySelector("#a1 .sources blockquote").textContent`, &source)
	require.Regexp(t, `^Parcel \d+, the heavy one, leaves in \d+ days\.$`, source)
	var disabled bool
	browser.Eval(`document.getElementById("save").disabled`, &disabled)
	require.True(t, disabled)
	var shown []string
	const visible = `[...document.querySelectorAll("#a1 :is(.badge,.signals,.found,sup)")].filter(e => e.checkVisibility()).map(e => e.className)`
	browser.Eval(visible, &shown)
	require.Empty(t, shown, "nothing of the detectors before a verdict")
	for _, key := range []string{"j", "w", "f", "w"} {
		browser.Press(key)
	}
	browser.Eval(visible, &shown)
	require.Subset(t, shown, []string{"badge", "signals"})
	browser.Eval(`document.querySelector("#a3 .verdict [value=fine]").click()`, nil)  // another verdict
	browser.Eval(`document.querySelector("#a5 .verdict [value=wrong]").click()`, nil) // a verdict and none
	browser.Eval(`document.querySelector("#a5 .verdict [value=wrong]").click()`, nil)
	browser.Until(`document.getElementById("labelled").textContent === "3 of 40 labelled"`)
	browser.Eval(`(() => { window.old = true; setTimeout(() => location.reload()) })()`, nil)
	browser.Until(`!window.old && document.getElementById("labelled").textContent === "3 of 40 labelled"`) // which a reload keeps
	browser.Eval(`(() => { window.saved = new Promise(done => { URL.createObjectURL = blob => { done(blob.text()); return "#" } }) })()`, nil)
	browser.Eval(`(() => { document.getElementById("save").click(); saved.then(text => { window.table = text }) })()`, nil)
	browser.Until(`window.table !== undefined`)
	var table string
	browser.Eval(`window.table`, &table)
	require.Regexp(t, `^verdict,probability,incident_id,tenant,service,model,operation,provider,attributes,occurred_at\nwrong,[0-9.]+,[0-9a-f]{64},"acme",("[^"]*",){5}"2026-11-01T20:00:00Z"\nfine,.*\nfine,.*\n$`, table)
	require.NoError(t, b.fit(t, "labels.csv", table))
	require.Regexp(t, `^labels:    3 answers, 1 of them wrong`, b.out.String())
	require.Empty(t, b.errs.String())
	require.Empty(t, browser.Problems())
}
