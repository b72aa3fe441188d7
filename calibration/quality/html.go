package quality

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
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
		Notes: r.Notes, Columns: columnTitles(), Sections: r.Sections,
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
	Sets               []setView
	Sections           []template.HTML
}

type setView struct {
	Name, Spans string
	Lines       []lineView
	Charts      [][]template.HTML // in rows
}

type lineView struct {
	Slice, Detector, Unchecked string
	N, Positives               int
	First, Floor               bool
	Cells                      []cellView
}

type cellView struct{ Value, Range string }

// tableMetrics are the metrics shown in tables for people.
func tableMetrics() []Metric {
	return []Metric{AUROC, AveragePrecision, F1, BestF1, RecallAtFive, Precision, Recall, FalseAlarms, CalibrationError}
}

func columnTitles() []string {
	return []string{"AUROC", "avg. precision", "F1", "best F1", "recall at 5 %", "precision", "recall", "false alarms", "cal. error"}
}

// Shown reports whether the line belongs in a table for people: it has rows and is not a repetition.
func (l *Line) Shown() bool { return l.N > 0 && !l.OnlySlice }

// Floor reports whether the line is a trivial baseline.
func (l *Line) Floor() bool { return l.Detector == AlwaysFlag || l.Detector == Length }

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
		if missing := l.NotCheckable(); missing > 0 {
			line.Unchecked = Percent(missing)
		}
		for _, m := range tableMetrics() {
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

func twoDigits(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	if text[0] == '0' {
		return text[1:]
	}
	return text
}
