package check

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/internal/redact"
	"confab/internal/rowview"
	"confab/schemas"
)

// maxRowBytes bounds the HTML of all rows.
const maxRowBytes = 12 << 20

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Page is what a report shows.
type Page struct {
	Name string // of the input
	At   time.Time
	Only string // the selection of answers: all, flagged or alerts

	Rows  []*rowview.Row // worst first
	Total int            // selected answers, Rows and those that are left out

	Read, Answers, Bad, Flagged, Alerts, Unchecked int // lines of the input

	Detectors []DetectorRow

	Next     string  // the command that reads the labels that the page saves
	Drawn    []Drawn // what to save with the verdict on each row, if the page is for labelling; else empty
	Labelled []Drawn // saved with them, without a row
}

// Drawn is a row of the table of verdicts that the page saves.
type Drawn struct {
	Incident, Tenant string
	Probability      float64              // with which the answer was drawn
	Verdict          schemas.HumanVerdict // empty: not labelled yet
	Of               string               // JSON: columns of the table by which confab rate splits
}

// DetectorRow counts the outcomes of one detector.
type DetectorRow struct {
	Name     string
	Outcomes map[schemas.Outcome]int
	Why      string // the reasons of what could not be checked, the most frequent first
}

// Write writes the page and returns the number of rows that it shows: the first ones of p.Rows, as many as the bound on
// its size allows.
func Write(w io.Writer, p *Page) (shown int, err error) {
	t, err := parseTemplate()
	if err != nil {
		return 0, err
	}
	rows, shown, err := renderRows(t, p)
	if err != nil {
		return 0, err
	}
	data := pageData{
		Page: p, Shown: shown, LeftOut: p.Total - shown,
		Style: template.CSS(pageStyle), Script: template.JS(pageScript), //nolint:gosec // our own style sheet and script
		Policy: contentPolicy(), Digest: sourceHash(string(rows)),
		Body: template.HTML(rows), //nolint:gosec // the template has escaped it
	}
	data.count(p.Rows[:shown])
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, "page", &data); err != nil {
		return 0, fmt.Errorf("report: %w", err)
	}
	if _, err := io.WriteString(w, redact.Reveal(b.String())); err != nil {
		return 0, fmt.Errorf("report: %w", err)
	}
	return shown, nil
}

func parseTemplate() (*template.Template, error) {
	t, err := rowview.NewTemplate(template.FuncMap{"class": className, "label": classLabel, "outcomes": countOutcome, "day": formatTime})
	if err == nil {
		t, err = t.Parse(pageTemplate)
	}
	if err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	return t, nil
}

// rowData is the data of one row.
type rowData struct {
	rowview.HTML

	N     int // from 1
	Drawn *Drawn
}

func renderRows(t *template.Template, p *Page) (_ []byte, shown int, err error) {
	var all, one bytes.Buffer
	for i, r := range p.Rows {
		one.Reset()
		data := rowData{HTML: rowview.HTML{Row: r, Prefix: strconv.Itoa(i+1) + "-"}, N: i + 1}
		if i < len(p.Drawn) {
			data.Drawn = &p.Drawn[i]
		}
		if err := t.ExecuteTemplate(&one, "row", data); err != nil {
			return nil, 0, fmt.Errorf("report: %w", err)
		}
		if all.Len()+one.Len() > maxRowBytes {
			break
		}
		all.Write(one.Bytes())
		shown++
	}
	return all.Bytes(), shown, nil
}

// pageData is the data of the page.
type pageData struct {
	*Page

	Shown, LeftOut int
	LeftOutFlagged int
	Style          template.CSS
	Script         template.JS
	Policy         string
	Digest         string // of the rows
	Body           template.HTML

	Classes, Fired, Services, Models []choice
}

// choice is a value of a filter, and the number of rows that have it.
type choice struct {
	Value, Label string
	N            int
}

// maxChoices bounds the values of one filter.
const maxChoices = 200

// count sets the values of the filters and what is left out.
func (d *pageData) count(rows []*rowview.Row) {
	classes, fired, services, models := tally{}, tally{}, tally{}, tally{}
	flagged := 0
	for _, r := range rows {
		classes[className(r.Rank.Class)]++
		for _, name := range r.Fired {
			fired[name]++
		}
		services[r.Service]++
		models[r.Model]++
		if r.Rank.Class >= rowview.Flagged {
			flagged++
		}
	}
	d.LeftOutFlagged = max(0, d.Flagged-flagged)
	if d.Only == "alerts" {
		d.LeftOutFlagged = d.LeftOut
	}
	d.Fired, d.Services, d.Models = fired.choices(""), services.choices("no service"), models.choices("no model")
	for c := rowview.Alerting; c >= rowview.Unchecked; c-- {
		if n := classes[className(c)]; n > 0 {
			d.Classes = append(d.Classes, choice{className(c), classLabel(c), n})
		}
	}
}

type tally map[string]int

// choices are the values, the most frequent ones first; none is the label of the empty one.
func (t tally) choices(none string) (list []choice) {
	for value, n := range t {
		list = append(list, choice{value, cmp.Or(value, none), n})
	}
	slices.SortFunc(list, func(a, b choice) int { return cmp.Or(cmp.Compare(b.N, a.N), cmp.Compare(a.Value, b.Value)) })
	return list[:min(len(list), maxChoices)]
}

// contentPolicy allows the page's own style sheet and script and nothing else.
func contentPolicy() string {
	return "default-src 'none'; style-src " + sourceHash(pageStyle) + "; script-src " + sourceHash(pageScript) + "; base-uri 'none'; form-action 'none'"
}

func sourceHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func formatTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

func className(c rowview.Class) string {
	switch c {
	case rowview.Alerting:
		return "alert"
	case rowview.Flagged:
		return "flagged"
	case rowview.Quiet:
		return "quiet"
	default:
		return "unchecked"
	}
}

func classLabel(c rowview.Class) string {
	if c == rowview.Unchecked {
		return "nothing to check"
	}
	return className(c)
}

func countOutcome(d DetectorRow, outcomes ...string) (n int) {
	for _, o := range outcomes {
		n += d.Outcomes[schemas.Outcome(o)]
	}
	return n
}
