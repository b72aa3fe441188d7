package ui

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/internal/browsertest"
	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/config"
)

func pathOf(b *browsertest.Browser) (path string) {
	b.Eval("location.pathname + location.search", &path)
	return path
}

// TestInBrowser walks through the pages with the keyboard.
func TestInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	c := testConfig(t)
	messages, flags := sampleMessages(t, c, nil)
	p := startPage(t, func(c *config.Config) { c.Emit = config.EmitAll }, messages...)
	b := browsertest.StartBrowser(t)
	b.View(1200, 900, "light")
	b.Visit(p.origin, "/incidents")
	var rows int
	b.Eval(`document.querySelectorAll("a.row").length`, &rows)
	require.Equal(t, len(flags), rows)

	b.Press("j")
	b.Press("j")
	b.Press("k")
	var focused, first string
	b.Eval("document.activeElement.href", &focused)
	b.Eval(`document.querySelector("a.row").href`, &first)
	require.Equal(t, first, focused)
	b.Press("j")
	b.Eval("document.activeElement.href", &focused)
	require.NotEqual(t, first, focused)
	b.Eval(`document.activeElement.click()`, nil)
	b.Until(`location.pathname.length > 20 && document.readyState === "complete"`)
	b.Press("u")
	b.Until(`location.pathname === "/incidents" && document.readyState === "complete"`)

	f := worst(t, flags)
	b.Press("/")
	for _, key := range f.InteractionID {
		b.Press(string(key))
	}
	b.Eval(`document.querySelector("form.filter button").click()`, nil)
	b.Until(`location.search.includes("q=") && document.querySelectorAll("a.row").length === 1`)
	b.Eval(`document.querySelector("a.row").click()`, nil)
	b.Until(`document.querySelector("form.label") !== null && document.readyState === "complete"`)
	var marks int
	b.Eval(`document.querySelectorAll(".answer mark").length`, &marks)
	require.Positive(t, marks)
	b.Press("w")
	b.Until(`location.search === "?saved=1" && document.querySelector(".history").textContent.includes("wrong by")`)
	require.Len(t, kafkatest.ReadAll(t, p.kafka, c.Kafka.Topics.Feedback), 1)

	for _, path := range []string{"/incidents", pathOf(b), "/review", "/trends?period=week", "/nothing"} {
		for _, scheme := range []string{"light", "dark"} {
			b.View(360, 740, scheme)
			b.Visit(p.origin, path)
			var width int
			b.Eval("document.documentElement.scrollWidth", &width)
			require.LessOrEqual(t, width, 360, "%s is wider than a phone", path)
			var ground string
			b.Eval("getComputedStyle(document.body).backgroundColor", &ground)
			require.Equal(t, map[string]string{"light": "rgb(245, 246, 248)", "dark": "rgb(16, 19, 23)"}[scheme], ground)
		}
	}
	for _, problem := range b.Problems() {
		require.Contains(t, problem, "404", "only the page that does not exist")
	}
}

// TestHostileTextsStayText shows hostile texts in every field and expects that nothing of them runs or loads.
func TestHostileTextsStayText(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	c := testConfig(t)
	texts := slices.DeleteFunc(samples.HostileTexts(), func(s string) bool { return !strings.ContainsAny(s, "<\"`") })
	texts = append(texts[:min(len(texts), 12)], `"><script>document.title="x"</script><img src=x onerror=alert(1)>`, `javascript:alert(1)`, `</title><style>*{display:none}</style>`)
	p := startPage(t, nil)
	var ids []string
	var messages []kafka.Message
	for i, text := range texts {
		text = text[:min(len(text), 500)] // a record holds it in every field
		f := samples.HostileFlag(text)
		f.IncidentID, f.Tenant, f.DetectedAt = fmt.Sprintf("%064x", i+1), text, time.Now()
		ids = append(ids, f.IncidentID)
		messages = append(messages, flagMessage(t, c, &f))
	}
	kafkatest.Write(t, p.kafka, messages...)
	require.Eventually(t, func() bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return p.get("/incidents/"+id).status != http.StatusOK })
	}, 20*time.Second, 200*time.Millisecond)
	b := browsertest.StartBrowser(t)
	b.View(1000, 800, "light")
	check := func(path string) {
		b.Visit(p.origin, path)
		var found []string
		b.Eval(`[...document.querySelectorAll("script, style, img, iframe, base, object, embed, link, [onerror], [onclick], [style], a[href^='javascript']")].map(e => e.outerHTML).filter(h => !h.includes('"/assets/page.') && !h.includes('"/assets/icon.'))`, &found)
		require.Empty(t, found, path)
		var title string
		b.Eval("document.title", &title)
		require.Contains(t, title, " – Confab", path)
	}
	for _, path := range []string{"/incidents", "/review", "/trends", "/incidents?service=" + "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"} {
		check(path)
	}
	for _, id := range ids {
		check("/incidents/" + id)
	}
	require.Empty(t, b.Problems())
}

// TestPictures writes the picture of docs/ui.md when CONFAB_PICTURES names a folder.
func TestPictures(t *testing.T) {
	folder := os.Getenv("CONFAB_PICTURES")
	if folder == "" {
		t.Skip("make ui-picture sets CONFAB_PICTURES")
	}
	messages, flags := sampleMessages(t, testConfig(t), nil)
	p := startPage(t, func(c *config.Config) { c.Emit = config.EmitAll }, messages...)
	b := browsertest.StartBrowser(t)
	b.View(1200, 900, "light")
	b.Visit(p.origin, "/incidents/"+worst(t, flags).IncidentID)
	b.Fit(1200, "article", "light")
	b.Picture(filepath.Join(folder, "ui-incident.png"))
	require.Empty(t, b.Problems())
}
