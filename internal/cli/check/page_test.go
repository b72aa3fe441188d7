package check

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/browsertest"
	"confab/internal/redact"
	"confab/internal/rowview"
	"confab/schemas"
)

// attacks are texts that would run, load or leave their place in a page that did not escape them.
func attacks() []string {
	return []string{
		`<script>document.title='pwned'</script>`,
		`"><img src=x onerror="document.title='pwned'">`,
		`</script><script>document.title='pwned'</script>`,
		`' autofocus onfocus='document.title="pwned"' x='`,
		`<svg onload=document.title='pwned'>`,
		`</style><style>*{display:none}</style>`,
		`<a href="javascript:document.title='pwned'">x</a>`,
		`<iframe srcdoc="<script>parent.document.title='pwned'</script>"></iframe>`,
		`<meta http-equiv="refresh" content="0;url=http://example.org/">`,
		`</article></main><h1>forged</h1>`,
		`<base href="http://example.org/"><link rel=stylesheet href=x.css>`,
		"{{.}} ${7*7} \u2028 \x00 \u202e back",
		`<!-- `,
	}
}

// newRow makes a row with all texts given; the answer begins with the text and "said", where a detector fired twice.
func newRow(line int, s string, fired bool) *rowview.Row {
	answer, source := s+" said 1937, and more.", "before 1935 "+s
	in := &schemas.Interaction{
		Answer: answer, Messages: []schemas.Message{{Role: "user", Content: s}},
		Sources: []schemas.Source{{ID: s, Text: source}},
	}
	f := &schemas.Flag{
		InteractionID: s, Service: s, Operation: s, Model: s, Fired: []string{}, Origin: schemas.Origin{Offset: int64(line)},
		Signals: []schemas.Signal{{Detector: "schema", Outcome: schemas.NotCheckable, Reason: s}, {Detector: "grounding", Outcome: schemas.Clear, Score: 0.1, Threshold: 0.5, Reason: s}},
	}
	if fired {
		risk, at := 0.95-float64(line)/1e6, strings.Index(answer, "1937")
		f.Risk, f.Fired, f.Alert = &risk, []string{"grounding", "facts"}, line%2 == 1
		f.Signals = append(f.Signals[:1], schemas.Signal{
			Detector: "grounding", Outcome: schemas.Fired, Score: 0.9, Threshold: 0.5, Reason: s,
			Evidence: []schemas.Evidence{{Start: 0, End: len(answer), Note: s, Citation: s, SourceID: s, SourceEnd: len(source)}},
		}, schemas.Signal{
			Detector: "facts", Outcome: schemas.Fired, Score: 0.7, Threshold: 0.5,
			Evidence: []schemas.Evidence{{Start: at, End: at + 4, SourceID: s, SourceStart: 7, SourceEnd: 11, SourceSays: s}, {Start: -1, End: -1, Note: s}},
		})
	}
	return rowview.New(in, f, nil)
}

func newPage(rows ...*rowview.Row) *Page {
	return &Page{
		Name: "in.jsonl", At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Only: "all", Rows: rows, Total: len(rows), Read: len(rows),
		Detectors: []DetectorRow{{Name: "grounding", Outcomes: map[schemas.Outcome]int{schemas.Fired: 1234}, Why: "no sources"}},
	}
}

func renderPage(t *testing.T, p *Page) (page string, shown int) {
	t.Helper()
	var out bytes.Buffer
	shown, err := Write(&out, p)
	require.NoError(t, err)
	return out.String(), shown
}

func TestPageIsStrict(t *testing.T) {
	var rows []*rowview.Row
	for i, s := range attacks() {
		rows = append(rows, newRow(i+1, s, true))
	}
	p := newPage(rows...)
	p.Name, p.Detectors[0].Why, p.Detectors[0].Name = attacks()[0], attacks()[1], attacks()[2]
	page, shown := renderPage(t, p)
	require.Equal(t, len(rows), shown)
	for _, tag := range []string{"script", "style", "title", "main", "form"} {
		require.Equal(t, 1, strings.Count(page, "<"+tag), tag)
	}
	own := regexp.MustCompile(`(?s)<script>.*?</script>|<style>.*?</style>`).ReplaceAllString(page, "")
	for _, tag := range regexp.MustCompile(`<[a-zA-Z][^>]*>`).FindAllString(own, -1) {
		require.NotRegexp(t, `(?i)^<(img|iframe|base|link|object|embed|a href="(java|data)|svg on)`, tag)
		require.NotRegexp(t, `(?i)[" ](on\w+|style|src|srcdoc)=`, regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag, `""`))
	}
	require.Contains(t, page, "default-src &#39;none&#39;; style-src &#39;sha256-")
}

func TestPageSaysWhatItLeavesOut(t *testing.T) {
	p := newPage(newRow(1, "one", true), newRow(2, "two", false))
	p.Total, p.Read, p.Answers, p.Flagged, p.Alerts = 10_000, 10_002, 10_000, 1200, 300
	page, _ := renderPage(t, p)
	require.Contains(t, page, "This page shows the worst 2 of 10,000 answers. 9,998 are left out, 1,199 of them flagged.")
	require.Contains(t, page, "<dd>1,200 <small>12 %</small></dd>")
	p.Only = "alerts"
	p.Total = 300
	page, _ = renderPage(t, p)
	require.Contains(t, page, "This page shows the worst 2 of 300 selected answers. 298 are left out, 298 of them flagged.")
	p.Total = 2
	page, _ = renderPage(t, p)
	require.Contains(t, page, "Only alerts were selected.")
	p.Only = "all"
	page, _ = renderPage(t, p)
	require.NotContains(t, page, `class="note">This`)
}

// A thousand rows of the largest answers do not make a page that no browser opens.
func TestPageIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	var rows []*rowview.Row
	for i := range 1000 {
		rows = append(rows, newRow(i, strings.Repeat(`<&"> `, 2000), true))
	}
	page, shown := renderPage(t, newPage(rows...))
	require.Less(t, len(page), maxRowBytes+1<<20)
	require.Positive(t, shown)
	require.Less(t, shown, 1000)
	require.Contains(t, page, fmt.Sprintf("This page shows the worst %d of 1,000 answers.", shown))
}

func TestPageSaysWhereSourcesWereFound(t *testing.T) {
	r := newRow(1, "one", true)
	page, _ := renderPage(t, newPage(r))
	require.NotContains(t, page, "sources from")
	r.SourcesFrom = schemas.SourcesFromToolMessages
	page, _ = renderPage(t, newPage(r))
	require.Contains(t, page, "· one · sources from tool messages</span>")
}

// A quiet answer has its sources, too, within bounds.
func TestPageShowsSources(t *testing.T) {
	in := &schemas.Interaction{Answer: "It opens at 9.", Sources: []schemas.Source{{Text: "It opens at <b>9</b>. Ask ann@example.com."}, {Text: strings.Repeat("long ", 3000)}, {Text: "not shown"}}}
	page, _ := renderPage(t, newPage(rowview.New(in, &schemas.Flag{}, nil)))
	require.Contains(t, page, `<blockquote dir="auto">It opens at &lt;b&gt;9&lt;/b&gt;. Ask [email].</blockquote>`)
	require.Contains(t, page, " …</blockquote>")
	require.NotContains(t, page, "not shown")
}

func TestPageSaysWhatSourceSays(t *testing.T) {
	page, _ := renderPage(t, newPage(newRow(1, "one <b>", true)))
	require.Contains(t, page, ": source says: one &lt;b&gt;</span>")
}

func TestFindingsAreGroupedByPlace(t *testing.T) {
	one, two := &rowview.Passage{Source: "1"}, &rowview.Passage{Source: "2"}
	groups := rowview.GroupFindings([]rowview.Finding{
		{Number: 2, Detector: "citation", Passage: one},
		{Number: 1, Detector: "citation"},
		{Number: 2, Detector: "grounding", Passage: &rowview.Passage{Source: "1"}},
		{Number: 2, Detector: "facts", Passage: two},
	})
	require.Len(t, groups, 2)
	require.Equal(t, 1, groups[0].Number)
	require.Len(t, groups[1].Findings, 3)
	require.Equal(t, []*rowview.Passage{one, two}, groups[1].Passages, "each once")
}

func TestPageWithoutRows(t *testing.T) {
	page, shown := renderPage(t, newPage())
	require.Zero(t, shown)
	require.Contains(t, page, "0 shown")
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestPageReportsAFault(t *testing.T) {
	_, err := Write(failingWriter{}, newPage())
	require.ErrorContains(t, err, "disk full")
}

// TestInBrowser opens the page as a person does.
func TestInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b := browsertest.StartBrowser(t)
	p := newPage(newRow(1, "Lisbon", true), newRow(2, "Oslo", true), newRow(3, "Vienna", false))
	p.Rows[2].Rank.Class = rowview.Unchecked
	page, _ := renderPage(t, p)
	b.Open(writePage(t, page), "")
	visible := func() (ids []string) {
		b.Eval(`[...document.querySelectorAll("main > article")].filter(a => a.offsetHeight > 0).map(a => a.querySelector("h2").textContent)`, &ids)
		return ids
	}
	state := func() (s string) {
		b.Eval(`document.getElementById("state").textContent`, &s)
		return s
	}
	choose := func(field, value string) {
		b.Eval(fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("change", {bubbles: true})) })(document.getElementById(%q))`, value, field), nil)
	}
	require.Equal(t, []string{"Lisbon", "Oslo", "Vienna"}, visible())
	require.Equal(t, "3 shown", state())

	t.Run("marks are the places", func(t *testing.T) {
		for number, want := range map[string]string{"1": "Lisbon said 1937, and more.", "2": "1937"} {
			var marked string
			b.Eval(fmt.Sprintf(`[...document.querySelectorAll("#a1 .answer mark")].filter(m => m.dataset.f.split(" ").includes(%q)).map(m => m.textContent).join("")`, number), &marked)
			require.Equal(t, want, marked)
		}
		var passage string
		b.Eval(`document.querySelector("#f1-2 blockquote mark").textContent`, &passage)
		require.Equal(t, "1935", passage)
	})
	t.Run("filters", func(t *testing.T) {
		for _, c := range []struct {
			field, value, all string
			want              []string
		}{
			{"c", "alert", "", []string{"Lisbon"}},
			{"c", "unchecked", "", []string{"Vienna"}},
			{"d", "facts", "", []string{"Lisbon", "Oslo"}},
			{"s", "=Oslo", "*", []string{"Oslo"}},
			{"m", "=Vienna", "*", []string{"Vienna"}},
		} {
			choose(c.field, c.value)
			require.Equal(t, c.want, visible(), c.field)
			require.Equal(t, fmt.Sprintf("%d of 3 shown", len(c.want)), state())
			choose(c.field, c.all)
		}
		require.Equal(t, "3 shown", state())
	})
	t.Run("keyboard", func(t *testing.T) {
		b.Press("/")
		for _, key := range "OSLO" {
			b.Press(string(key))
		}
		b.Until(`document.getElementById("state").textContent === "1 of 3 shown"`)
		require.Equal(t, []string{"Oslo"}, visible())
		var hash string
		b.Eval("location.hash", &hash)
		require.Equal(t, "#q=OSLO", hash)
		b.Press("Escape")
		require.Equal(t, []string{"Lisbon", "Oslo", "Vienna"}, visible())
		for _, step := range []struct{ key, want string }{{"j", "a1"}, {"j", "a2"}, {"j", "a3"}, {"j", "a3"}, {"k", "a2"}} {
			b.Press(step.key)
			var id string
			b.Eval("document.activeElement.id", &id)
			require.Equal(t, step.want, id)
		}
	})
	t.Run("nothing matches", func(t *testing.T) {
		b.Open(writePage(t, page), "#q=atlantis&c=alert")
		require.Empty(t, visible())
		require.Equal(t, "0 of 3 shown", state())
		var note bool
		b.Eval(`document.getElementById("none").offsetHeight > 0`, &note)
		require.True(t, note)
	})
	require.Empty(t, b.Problems())
}

// TestManyRowsInBrowser opens the page of 10,000 rows.
func TestManyRowsInBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b := browsertest.StartBrowser(t)
	worst := rowview.NewWorst(1000)
	for i := range 10_000 {
		worst.Add(newRow(i, fmt.Sprintf("city %d of the world", i), i%3 == 0))
	}
	p := newPage()
	p.Rows, p.Total = worst.Rows()
	p.Answers, p.Flagged = p.Total, 3334
	page, shown := renderPage(t, p)
	require.Equal(t, 1000, shown)
	b.Open(writePage(t, page), "#c=alert&d=gone")
	var state string
	b.Eval(`document.getElementById("state").textContent`, &state)
	require.Equal(t, "1,000 of 1,000 shown", state, "1,667 alerts come first; a detector that no row has does not count")
	b.Press("Escape")
	b.Eval(`(q => { q.value = "City 7 OF"; q.dispatchEvent(new Event("change", {bubbles: true})) })(document.getElementById("q"))`, nil)
	b.Eval(`document.getElementById("state").textContent`, &state)
	require.Equal(t, "0 of 1,000 shown", state)
	b.Eval(`(q => { q.value = "City 9 OF"; q.dispatchEvent(new Event("change", {bubbles: true})) })(document.getElementById("q"))`, nil)
	b.Eval(`document.getElementById("state").textContent`, &state)
	require.Equal(t, "1 of 1,000 shown", state)
	require.Empty(t, b.Problems())
}

// TestHostileRowsAreInert opens a page in which every field is an attack.
func TestHostileRowsAreInert(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b := browsertest.StartBrowser(t)
	var rows []*rowview.Row
	for i, s := range attacks() {
		rows = append(rows, newRow(i+1, s, true))
	}
	p := newPage(rows...)
	p.Name, p.Detectors[0].Name = attacks()[0], attacks()[1]
	page, _ := renderPage(t, p)
	b.Open(writePage(t, page), "#q=%3Cscript%3E&s=%3D%22%3E%3Cimg")
	b.Press("Escape")
	var title string
	b.Eval("document.title", &title)
	require.Equal(t, "Confab: "+attacks()[0], title)
	var elements []int
	b.Eval(`["script", "img, iframe, base, link, object, embed", "main > article", "h1", "style"].map(s => document.querySelectorAll(s).length)`, &elements)
	require.Equal(t, []int{1, 0, len(rows), 1, 1}, elements)
	for i, s := range attacks() {
		var answer string
		b.Eval(fmt.Sprintf(`(a => { a.querySelectorAll("sup").forEach(e => e.remove()); return a.textContent })(document.querySelector("#a%d .answer"))`, i+1), &answer)
		require.Equal(t, redact.Reveal(strings.ReplaceAll(s, "\x00", "\uFFFD"))+" said 1937, and more.", answer)
	}
	require.Empty(t, b.Problems())
}

// TestPhoneWidth expects that nothing is wider than a phone's window, in both color schemes.
func TestPhoneWidth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	b := browsertest.StartBrowser(t)
	page, _ := renderPage(t, newPage(newRow(1, strings.Repeat("unbroken", 60), true), newRow(2, "Oslo", false)))
	file := writePage(t, page)
	for _, scheme := range []string{"light", "dark"} {
		b.View(360, 740, scheme)
		b.Open(file, "")
		var width int
		b.Eval("document.documentElement.scrollWidth", &width)
		require.LessOrEqual(t, width, 360, scheme)
		var low []string
		b.Eval(contrastScript, &low)
		require.Empty(t, low, "text with a contrast below 4.5 (%s)", scheme)
	}
	require.Empty(t, b.Problems())
}

// contrastScript lists texts whose contrast with the nearest background is below that of WCAG AA.
const contrastScript = `(() => {
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b };
  const parse = s => s.match(/[\d.]+/g).map(Number);
  const ground = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c.slice(0, 3) } return [255, 255, 255] };
  const low = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.checkVisibility() || e.closest("script,option")) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(ground(e))].sort((x, y) => y - x);
    const ratio = (a + .05) / (b + .05);
    if (ratio < 4.5) low.push(e.tagName + "." + e.className + " " + ratio.toFixed(2) + " " + e.textContent.slice(0, 20));
  }
  return low })()`

func writePage(t *testing.T, page string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	return file
}

func TestTimeIsUTC(t *testing.T) {
	require.Equal(t, "2026-01-02 01:04 UTC", formatTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("x", 7200))))
}

// A quiet answer near a threshold shows why, as a weak hint.
func TestWeakHints(t *testing.T) {
	risk := 0.4
	signals := func(outcome schemas.Outcome, score float64) *schemas.Flag {
		hint := []schemas.Evidence{{Start: 0, End: 6, Note: "it states what a source denies"}}
		return &schemas.Flag{Risk: &risk, Fired: []string{}, Signals: []schemas.Signal{
			{Detector: "grounding", Outcome: outcome, Score: score, Threshold: 0.8, Evidence: hint}, {Detector: "citation", Outcome: schemas.Clear, Score: 0.1, Threshold: 0.5, Evidence: hint},
		}}
	}
	in := &schemas.Interaction{Answer: "Closed.", Sources: []schemas.Source{{Text: "Not closed."}}}
	near, far, fired := signals(schemas.Clear, 0.4), signals(schemas.Clear, 0.3), signals(schemas.Fired, 0.9)
	fired.Fired = []string{"grounding"}
	require.True(t, keepHints(near))
	require.False(t, keepHints(far))
	require.False(t, keepHints(fired))
	page, _ := renderPage(t, newPage(rowview.New(in, near, nil)))
	require.Contains(t, page, "<h3>Weak hints</h3>")
	require.Equal(t, 1, strings.Count(page, "it states what a source denies"))
	page, _ = renderPage(t, newPage(rowview.New(in, far, nil)))
	require.NotContains(t, page, "it states")
	page, _ = renderPage(t, newPage(rowview.New(in, fired, nil)))
	require.Contains(t, page, "<h3>Findings</h3>")
	require.Equal(t, 1, strings.Count(page, "it states what a source denies"))

	r := Result{Lines: 2}
	r.count(&checkJob{hinted: true})
	var said bytes.Buffer
	require.NoError(t, r.WriteSummary(&said, "in.jsonl"))
	require.Contains(t, said.String(), "\n1 quiet answer has weak hints, such as another figure in the sources: the report (--report FILE.html) shows them\n")
	require.NotContains(t, runCommand(t, fourAnswers, Flags{}, true, "-").err, "weak hints")
	c, err := NewCommand(Flags{Report: "report.html"}, []string{"in.jsonl"}, nil, false)
	require.NoError(t, err)
	require.True(t, c.Hints)
	c, err = NewCommand(Flags{Report: "report.html", Explain: true}, []string{"in.jsonl"}, nil, false)
	require.NoError(t, err)
	require.False(t, c.Hints, "all is shown")
}

// Earlier turns and calls of tools say what a short question and a result without an id are about.
func TestPageShowsConversation(t *testing.T) {
	in := &schemas.Interaction{
		Answer: "It is on its way.",
		Messages: []schemas.Message{
			{Role: "system", Content: "Be kind."},
			{Role: "user", Content: "Where is order 88201? I am ann@example.com"},
			{Role: "assistant", Content: "Delivered."},
			{Role: "user", Content: "and 88202?"},
			{Role: "assistant", Content: "Let me look."},
		},
		Calls:   []schemas.ToolCall{{Name: "order", Arguments: `{"id": 88202}`, Result: `{"state": "sent"}`}, {Name: "map", Error: "gone"}},
		Sources: []schemas.Source{{Text: `{"state": "sent"}`}}, // the result of the call
	}
	p := newPage(rowview.New(in, &schemas.Flag{}, nil))
	report, _ := renderPage(t, p)
	p.Drawn = []Drawn{{Incident: "00", Tenant: "acme", Probability: 1}}
	labels, _ := renderPage(t, p)
	for _, page := range []string{report, labels} {
		require.Contains(t, page, "<summary>2 earlier turns</summary>\n<p dir=\"auto\">user: Where is order 88201? I am [email]</p>\n<p dir=\"auto\">assistant: Delivered.</p>\n</details><p class=\"question\">")
		require.Contains(t, page, `<b>call</b> order {&#34;id&#34;: 88202} → {&#34;state&#34;: &#34;sent&#34;}</p>`)
		require.Contains(t, page, `<b>call</b> map  → gone</p>`)
		require.NotContains(t, page, "<blockquote")
		require.NotContains(t, page, "The record has none.")
		require.NotContains(t, page, "Be kind.")
		require.NotContains(t, page, "Let me look.")
	}
}

// A page for labelling names its keys where it begins.
func TestDrawnPageNamesItsKeys(t *testing.T) {
	p := newPage(newRow(1, "one", false))
	p.Drawn, p.Next = []Drawn{{Incident: "00", Tenant: "acme", Probability: 1}}, "confab tune log.jsonl --map m.yaml --labels labels.csv"
	page, _ := renderPage(t, p)
	require.Contains(t, page, "<code>"+p.Next+"</code>")
	require.Less(t, strings.Index(page, "<kbd>w</kbd> wrong, <kbd>f</kbd> fine, <kbd>j</kbd> <kbd>k</kbd>"), strings.Index(page, `<main id="answers" tabindex="-1" `))
}

// A filter of one value is hidden, and the empty value has a name.
func TestFilters(t *testing.T) {
	one, other := newRow(1, "one", false), newRow(2, "", false)
	page, _ := renderPage(t, newPage(other))
	require.Contains(t, page, "<label hidden><span>Service</span>")
	require.Contains(t, page, "<label hidden><span>Model</span>")
	page, _ = renderPage(t, newPage(one, other))
	require.Contains(t, page, "<label><span>Service</span>")
	require.Contains(t, page, `<option value="=">no service (1)</option>`)
	require.Contains(t, page, `<option value="=">no model (1)</option>`)
	require.Contains(t, page, "}td.why{width:", "only a cell is narrow")
}
