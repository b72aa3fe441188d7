package quality

import (
	"html/template"
	"math"

	"confab/internal/svg"
)

// charts are the drawings of a data set: how the scorers rank, whether the risk means what it says, and how scores spread.
func (p *Plot) charts(r *Report) []template.HTML {
	if len(p.Curves) == 0 {
		return nil
	}
	roc := svg.Chart{Title: "ROC", X: "share of the good that fire", Y: "share of the faulty that fire", Diagonal: true}
	pr := svg.Chart{Title: "Precision and recall", X: "recall", Y: "precision"}
	for i := range p.Curves {
		c := &p.Curves[i]
		l := p.line(r, c.Detector)
		a, b := svg.Series{Name: c.Detector, Color: i, Points: c.ROC}, svg.Series{Name: c.Detector, Color: i, Points: c.PR}
		if l != nil {
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
	drawings := []string{roc.String(), pr.String()}
	for i := range p.Curves {
		if bins := p.Curves[i].Reliability; bins != nil {
			drawings = append(drawings, reliabilityChart(p.Curves[i].Detector, i, bins))
		}
	}
	for i := range p.Curves {
		if c := &p.Curves[i]; c.Faulty != nil {
			drawings = append(drawings, svg.Mirror{
				Title: "Scores of " + c.Detector, Up: "faulty", Down: "good", Above: c.Faulty, Below: c.Good, UpColor: 1, Mark: c.Threshold,
			}.String())
		}
	}
	safe := make([]template.HTML, len(drawings))
	for i, d := range drawings {
		safe[i] = template.HTML(d) //nolint:gosec // drawn by package svg, which escapes names
	}
	return safe
}

func reliabilityChart(name string, color int, bins []Bin) string {
	s := svg.Series{Name: name, Note: "area: rows", Color: color}
	for _, b := range bins {
		s.Points = append(s.Points, svg.Point{X: b.Said, Y: b.Found})
		s.Sizes = append(s.Sizes, b.Weight)
	}
	return svg.Chart{Title: "Reliability", X: "probability said", Y: "share found faulty", Diagonal: true, Series: []svg.Series{s}}.String()
}

func (p *Plot) line(r *Report, detector string) *Line {
	for i := range r.Lines {
		if l := &r.Lines[i]; l.Dataset == p.Dataset && l.Slice == All && l.Detector == detector {
			return l
		}
	}
	return nil
}
