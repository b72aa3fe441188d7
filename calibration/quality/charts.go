package quality

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"confab/internal/svg"
)

// charts are those of ranking and reliability, and then those of the score distributions.
func (p *Plot) charts(r *Report) [][]template.HTML {
	if len(p.Curves) == 0 {
		return nil
	}
	ranking := p.ranking(r)
	var spread []template.HTML
	for i := range p.Curves {
		c := &p.Curves[i]
		if c.Reliability != nil {
			ranking = append(ranking, reliabilityChart(c.Detector, r.color(c.Detector), c.Reliability))
		}
		if c.Faulty != nil {
			spread = append(spread, chartHTML(svg.Mirror{
				Title: "Scores of " + c.Detector, Up: "faulty", Down: "good", Above: c.Faulty, Below: c.Good, UpColor: 1, Mark: c.Threshold,
			}))
		}
	}
	return [][]template.HTML{ranking, spread}
}

func (p *Plot) ranking(r *Report) []template.HTML {
	roc := svg.Chart{Title: "ROC", X: "share of the good that fire", Y: "share of the faulty that fire", Diagonal: true}
	pr := svg.Chart{Title: "Precision and recall", X: "recall", Y: "precision"}
	for i := range p.Curves {
		c := &p.Curves[i]
		a := svg.Series{Name: c.Detector, Color: r.color(c.Detector), Points: c.ROC}
		b := svg.Series{Name: c.Detector, Color: a.Color, Points: c.PR}
		if l := p.line(r, c.Detector); l != nil {
			a.Note, b.Note = "AUROC "+Share(l.Figures[AUROC].Value), "average "+Share(l.Figures[AveragePrecision].Value)
		}
		if !math.IsNaN(c.At.X) && !math.IsNaN(c.At.Y) {
			a.Marks = []svg.Point{c.At}
			if !math.IsNaN(c.Precision) {
				b.Marks = []svg.Point{{X: c.At.Y, Y: c.Precision}}
			}
		}
		roc.Series, pr.Series = append(roc.Series, a), append(pr.Series, b)
	}
	return []template.HTML{chartHTML(roc), chartHTML(pr)}
}

func chartHTML(chart fmt.Stringer) template.HTML {
	return template.HTML(chart.String()) //nolint:gosec // package svg escapes names
}

// lengthColor is a gray.
const lengthColor = 7

// color is the scorer's color in every chart of the report.
func (r *Report) color(name string) int {
	if name == Length {
		return lengthColor
	}
	var names []string
	for i := range r.Lines {
		if d := r.Lines[i].Detector; d != TwoOrMore && d != AlwaysFlag && d != Length && !slices.Contains(names, d) {
			names = append(names, d)
		}
	}
	return max(0, slices.Index(names, name)) % lengthColor
}

func reliabilityChart(name string, color int, bins []Bin) template.HTML {
	s := svg.Series{Name: name, Note: "area: rows", Color: color}
	for _, b := range bins {
		s.Points = append(s.Points, svg.Point{X: b.Predicted, Y: b.Observed})
		s.Sizes = append(s.Sizes, b.Weight)
	}
	return chartHTML(svg.Chart{Title: "Reliability", X: "probability said", Y: "share found faulty", Diagonal: true, Series: []svg.Series{s}})
}

func (p *Plot) line(r *Report, detector string) *Line {
	for i := range r.Lines {
		if l := &r.Lines[i]; l.Dataset == p.Dataset && l.Slice == All && l.Detector == detector {
			return l
		}
	}
	return nil
}
