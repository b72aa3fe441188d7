package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"
	"strings"

	"confab/calibration/roc"
	"confab/calibration/thresholds"
	"confab/internal/svg"
)

//go:embed page.html.tmpl
var pageTemplate string

// pageData is the data of the template.
type pageData struct {
	Style  template.CSS
	Report *thresholds.Report
	Diff   *thresholds.Diff
	Charts []template.HTML
	Bad    float64 // share of the rows
	Pings  func(f thresholds.RuleFigures) dailyPings
}

type dailyPings struct{ All, Wrong, Right float64 } // a day

// HTML writes the page; d may be nil.
func HTML(w io.Writer, r *thresholds.Report, d *thresholds.Diff) error {
	t, err := template.New("calibration").Funcs(template.FuncMap{
		"share": formatShare, "percent": formatPercent, "key": thresholds.KeyName, "number": formatNumber, "limit": formatLimit, "whole": formatWhole,
		"orAny": nameOrAny, "signed": formatSigned, "perMille": formatPerMille, "fired": func(c roc.Candidate) bool { return c.Fired > 0 },
	}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	p := pageData{
		Style: template.CSS(svg.Style), Report: r, Diff: d, //nolint:gosec // our own style sheet
		Bad: float64(r.File.Data.Positives) / float64(max(1, r.File.Data.Rows)),
	}
	for _, chart := range renderCharts(r) {
		p.Charts = append(p.Charts, template.HTML(chart)) //nolint:gosec // svg escapes what it is given
	}
	if d != nil {
		p.Pings = func(f thresholds.RuleFigures) dailyPings {
			all, wrong := d.PingsPerDay(f)
			return dailyPings{all, wrong, all - wrong}
		}
	}
	if err := t.Execute(w, p); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

func formatShare(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return strings.TrimPrefix(strconv.FormatFloat(x, 'f', 3, 64), "0")
}

func formatPercent(x float64) string { return strconv.FormatFloat(100*x, 'f', 1, 64) + " %" }

func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

func formatWhole(x float64) string { return strconv.FormatFloat(math.Round(x), 'f', 0, 64) }

func formatSigned(x float64) string { return fmt.Sprintf("%+.2f", x) }

func nameOrAny(name any) string { return cmp.Or(fmt.Sprint(name), "any") }

func formatPerMille(x float64) string { return strconv.FormatFloat(1000*x, 'f', 1, 64) }

func formatLimit(l thresholds.Limit) string {
	switch {
	case !l.Armed:
		return "not armed"
	case !l.Listed:
		return formatNumber(l.At) + " (coarser key)"
	}
	return formatNumber(l.At)
}
