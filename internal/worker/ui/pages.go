package ui

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/internal/redact"
	"confab/internal/rowview"
	"confab/schemas"
)

//go:embed assets
var assetFiles embed.FS

//go:embed *.html.tmpl
var templateFiles embed.FS

// Frame is what every page shows around its content.
type Frame struct {
	Title   string
	Current string // path of the current page in the navigation
	Person  string
	Problem string // why the page is not up to date; "" if it is
	AsOf    time.Time
	Behind  bool // the first reading is not finished
}

// form is the form above a list: what was chosen, and the values to choose from.
type form struct {
	url.Values

	choices map[string][]string
}

// Choice is a select element.
type Choice struct {
	Value  string
	Values []string
}

// Choose returns the select element of a field. It keeps a chosen value that the store does not know any more.
func (f form) Choose(field string) Choice {
	c := Choice{f.Get(field), f.choices[field]}
	if c.Value != "" && !slices.Contains(c.Values, c.Value) {
		c.Values = append(slices.Clip(c.Values), c.Value)
	}
	return c
}

// listPage is the page of incidents.
type listPage struct {
	Frame
	form

	Rows  []row
	Next  string // query of the following page; "" at the end
	Total int    // flags that the person may see
}

// incidentPage is the page of one incident.
type incidentPage struct {
	Frame

	Row    row
	Passes []schemas.Pass
	Flag   *schemas.Flag // of the last pass; nil if it cannot be read
	View   *rowview.HTML // nil without the texts
	Texts  string        // why there are no texts, for people
	Labels []schemas.Feedback
	Trace  string // link
	Next   string // where to go after a label
	Saved  bool
}

// reviewPage is the review queue.
type reviewPage struct {
	Frame

	Rows  []row
	Notes []string // what is missing, and how to get it
}

// trendsPage is the page of trends.
type trendsPage struct {
	Frame
	form

	Period  string
	Charts  []*Chart
	Tables  []Table
	AllSeen bool // workers write all answers, not the flagged ones alone
	Notes   []string
	By      string // dimension of Rates
	Bys     []string
	Rates   []Rate
}

// Table has counts by service or by model.
type Table struct {
	Name string
	Rows []TableRow
}

// TableRow is a line of a table.
type TableRow struct {
	Name string
	counts
}

// Rate is an estimated share of wrong answers.
type Rate struct {
	Name, Value, Interval, Before, Change, Basis string
}

// messagePage is a page with one sentence.
type messagePage struct {
	Frame

	Text string
}

// parsePages parses the templates.
func parsePages() (*template.Template, error) {
	t, err := rowview.NewTemplate(template.FuncMap{
		"time": formatTime, "iso": formatISO, "short": shortID, "precision": formatPrecision, "cell": formatCell,
		"hasTime": hasTime, "cut": cutText,
	})
	if err == nil {
		t, err = t.ParseFS(templateFiles, "*.html.tmpl")
	}
	if err != nil {
		return nil, fmt.Errorf("ui: %w", err)
	}
	return t, nil
}

// render returns the HTML of a page: *listPage, *incidentPage, *reviewPage, *trendsPage or *messagePage.
func render(t *template.Template, page any) ([]byte, error) {
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, templateName(page), page); err != nil {
		return nil, fmt.Errorf("ui: %w", err)
	}
	return []byte(redact.Reveal(b.String())), nil
}

func templateName(page any) string {
	switch page.(type) {
	case *listPage:
		return "list"
	case *incidentPage:
		return "incident"
	case *reviewPage:
		return "review"
	case *trendsPage:
		return "trends"
	}
	return "message"
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format("2006-01-02 15:04:05")
}

func formatISO(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func hasTime(t time.Time) bool { return !t.IsZero() }

func shortID(s string) string { return s[:min(len(s), 12)] }

func formatPrecision(wrong, fine int) string {
	if wrong+fine == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% of %d", 100*float64(wrong)/float64(wrong+fine), wrong+fine)
}

// formatCell is a value of a chart as text.
func formatCell(v float64, share bool) string {
	switch {
	case v != v:
		return "–"
	case share:
		return strconv.FormatFloat(100*v, 'f', 1, 64) + " %"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// cutText bounds a text of a flag on a page.
func cutText(s string) string {
	const limit = 1000
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + " …"
}
