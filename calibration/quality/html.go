package quality

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"

	"confab/internal/svg"
)

//go:embed page.html
var pageHTML string

// WriteHTML writes one self-contained page: tables, and for each data set the charts of ranking, reliability and
// scores.
func (r *Report) WriteHTML(w io.Writer) error {
	page, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	view := pageView{
		Title: "Quality of the detectors", Style: svg.Style, Rows: r.Rows, Calibration: r.Calibration, By: r.By,
		Notes: r.Notes, Columns: columnTitles(), AlertColumns: TrafficTitles(), Sections: r.Sections,
	}
	for i := range r.Plots {
		view.Sets = append(view.Sets, r.setView(&r.Plots[i]))
	}
	if err := page.Execute(w, view); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

type pageView struct {
	Title, Calibration string
	Style              template.CSS
	Rows               int
	By                 By
	Notes, Columns     []string
	AlertColumns       []string
	Sets               []setView
	Sections           []template.HTML
}

type setView struct {
	Name, Spans string
	Lines       []lineView
	Alerts      []lineView        // of the alert rule at base rates
	Charts      [][]template.HTML // in rows
}

type lineView struct {
	Slice, Detector, Unchecked string
	N, Positives               int
	First, Floor               bool
	Cells                      []cellView
}

type cellView struct{ Value, Range string }

// TableMetrics are the metrics shown in tables for people.
func TableMetrics() []Metric {
	return []Metric{AUROC, AveragePrecision, F1, BestF1, RecallAtHalf, RecallAtOne, RecallAtFive, Precision, Recall, FalseAlarms, CalibrationError}
}

func columnTitles() []string {
	return []string{
		"AUROC", "avg. precision", "F1", "best F1", "recall at 0.5 %", "recall at 1 %", "recall at 5 %", "precision", "recall", "false alarms", "cal. error",
	}
}

// Shown reports whether the line belongs in a table for people: it has rows and is not a repetition.
func (l *Line) Shown() bool { return l.N > 0 && !l.OnlySlice }

// Floor reports whether the line is a trivial baseline.
func (l *Line) Floor() bool { return l.Detector == AlwaysFlag || l.Detector == Length }

// HasTraffic reports whether the line has figures of alerts at base rates.
func (l *Line) HasTraffic() bool { return l.Figures[AlertsAtOne].Defined() }

// TrafficMetrics are the metrics of alerts at base rates.
func TrafficMetrics() []Metric { return slices.Clone(trafficMetrics) }

// TrafficTitles are the titles of the columns of TrafficMetrics.
func TrafficTitles() []string {
	return []string{
		"alerts in 1,000 at 1 %", "alerts in 1,000 at 5 %", "alerts in 1,000 at 20 %", "precision at 1 %", "precision at 5 %", "precision at 20 %",
	}
}

func (l *Line) alertView() lineView {
	v := lineView{Slice: l.Slice, Detector: l.Detector}
	for _, m := range trafficMetrics {
		v.Cells = append(v.Cells, cellView{l.Figures[m].Text(m), l.Figures[m].RangeOf(m)})
	}
	return v
}

func (r *Report) setView(p *Plot) setView {
	v := setView{Name: p.Dataset}
	last := ""
	for i := range r.Lines {
		l := &r.Lines[i]
		if l.Dataset != p.Dataset || !l.Shown() {
			continue
		}
		line := lineView{Slice: l.Slice, Detector: l.Detector, N: l.N, Positives: l.Positives, Floor: l.Floor(), First: l.Slice != last}
		last = l.Slice
		if l.HasTraffic() {
			v.Alerts = append(v.Alerts, l.alertView())
		}
		if missing := l.NotCheckable(); missing > 0 {
			line.Unchecked = Percent(missing)
		}
		for _, m := range TableMetrics() {
			line.Cells = append(line.Cells, cellView{Share(l.Figures[m].Value), l.Figures[m].Range()})
		}
		v.Lines = append(v.Lines, line)
	}
	for _, s := range r.Spans {
		if s.Dataset == p.Dataset && s.Slice == All && s.N > 0 {
			v.Spans = fmt.Sprintf("The top evidence touches a labelled place in %s %s of %d answers that have both.", Share(s.Hits.Value), s.Hits.Range(), s.N)
		}
	}
	v.Charts = p.charts(r)
	return v
}

// Share formats a figure, such as .831; "" for NaN.
func Share(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	text := strconv.FormatFloat(x, 'f', 3, 64)
	if text[0] == '0' {
		return text[1:]
	}
	return text
}

// Percent formats a share in percent, such as 12 %, with a digit more where rounding would give 0 or 100.
func Percent(x float64) string {
	digits := 0
	if whole := math.Round(100 * x); x > 0 && x < 1 && (whole == 0 || whole == 100) {
		digits = 1
	}
	return strconv.FormatFloat(100*x, 'f', digits, 64) + " %"
}

// Range formats the figure's interval, such as .80–.86; "" without one.
func (f Figure) Range() string {
	if !f.Defined() || math.IsNaN(f.Low) || math.IsNaN(f.High) {
		return ""
	}
	return twoDigits(f.Low) + "–" + twoDigits(f.High)
}

// Text formats the figure of a metric: a share, or a number of alerts.
func (f Figure) Text(m Metric) string {
	if !m.isNumber() || !f.Defined() {
		return Share(f.Value)
	}
	return strconv.FormatFloat(f.Value, 'f', 1, 64)
}

// RangeOf formats the interval of the figure of a metric; "" without one.
func (f Figure) RangeOf(m Metric) string {
	if !m.isNumber() || f.Range() == "" {
		return f.Range()
	}
	return strconv.FormatFloat(f.Low, 'f', 0, 64) + "–" + strconv.FormatFloat(f.High, 'f', 0, 64)
}

func twoDigits(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	if text[0] == '0' {
		return text[1:]
	}
	return text
}
