package report

import (
	"fmt"

	"confab/calibration"
	"confab/calibration/roc"
	"confab/calibration/thresholds"
	"confab/internal/model"
	"confab/internal/svg"
)

// maxPoints bounds the points of a line.
const maxPoints = 160

// renderCharts draws each threshold with rows, the rule at other targets, and the risk maps.
func renderCharts(r *thresholds.Report) []string {
	var all []string
	for i := range r.Choices {
		if c := &r.Choices[i]; len(c.Sweep) > 1 {
			all = append(all, sweepChart(c).String())
		}
	}
	if c, ok := ruleChart(r); ok {
		all = append(all, c.String())
	}
	if c, ok := riskChart(r.File); ok {
		all = append(all, c.String())
	}
	return all
}

func sweepChart(c *thresholds.Choice) svg.Chart {
	lines := []svg.Series{{Name: "precision", Color: 0}, {Name: "recall", Color: 1}, {Name: "false alarms", Color: 2}}
	of := func(x *roc.Candidate) [3]float64 { return [3]float64{x.Precision, x.Recall, x.FalseAlarms} }
	step := max(1, len(c.Sweep)/maxPoints)
	for i := 0; i < len(c.Sweep); i += step {
		for n, y := range of(&c.Sweep[i]) {
			lines[n].Points = append(lines[n].Points, svg.Point{X: c.Sweep[i].Threshold, Y: y})
		}
	}
	if c.Armed {
		for n, y := range of(&c.Candidate) {
			lines[n].Marks = []svg.Point{{X: c.Threshold, Y: y}}
			lines[n].Note = formatShare(y)
		}
	}
	return svg.Chart{
		Title: c.Detector + ", " + thresholds.KeyName(c.ThresholdKey), X: "threshold", Y: "share", Series: lines,
	}
}

func ruleChart(r *thresholds.Report) (svg.Chart, bool) {
	seen, crossed := svg.Series{Name: "on the rows themselves", Color: 0}, svg.Series{Name: "on other groups", Color: 1}
	for i := range r.Curve {
		p := &r.Curve[i]
		if p.Fired == 0 {
			continue
		}
		seen.Points = append(seen.Points, svg.Point{X: p.Recall, Y: p.Precision})
		if p.CrossValidated.Fired > 0 {
			crossed.Points = append(crossed.Points, svg.Point{X: p.CrossValidated.Recall, Y: p.CrossValidated.Precision})
		}
	}
	if r.Rule.Fired > 0 {
		seen.Marks = []svg.Point{{X: r.Rule.Recall, Y: r.Rule.Precision}}
	}
	c := svg.Chart{Title: "two or more, at targets from .40 to .95", X: "recall", Y: "precision", Series: []svg.Series{seen, crossed}}
	return c, len(seen.Points) > 1
}

// riskChart draws each risk map over the probability of fusion.
func riskChart(f *calibration.File) (svg.Chart, bool) {
	c := svg.Chart{Title: "risk", X: "what fusion says", Y: "share of bad answers", Diagonal: true}
	use, err := calibration.New(*f)
	if err != nil {
		return c, false
	}
	for n, m := range f.Risk {
		line := svg.Series{Name: nameOrAny(m.Measurable), Note: fmt.Sprintf("%s, %d rows", m.Method, m.N), Color: n}
		for i := 1; i < maxPoints; i++ {
			x := float64(i) / maxPoints
			if p, ok := use.Risk(m.Measurable, model.Logit(x)); ok {
				line.Points = append(line.Points, svg.Point{X: x, Y: p})
			}
		}
		c.Series = append(c.Series, line)
	}
	return c, len(f.Risk) > 0
}
