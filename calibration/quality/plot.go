package quality

import (
	"math"
	"slices"

	"confab/internal/svg"
)

// Plot is the data of the charts of one data set.
type Plot struct {
	Dataset string
	Curves  []Curve
}

// Curve is the ranking and the score distribution of one scorer.
type Curve struct {
	Detector    string
	ROC         []svg.Point // false alarms, recall
	PR          []svg.Point // recall, precision
	At          svg.Point   // false alarms, recall at the threshold in force; NaN without one
	Precision   float64     // at the threshold in force; NaN where nothing fired
	Threshold   float64     // NaN where there is none, or more than one
	Faulty      []float64   // distribution of the faulty rows' scores, in bins of equal width; nil for other scores
	Good        []float64
	Reliability []Bin // of a probability
}

// Bin is one bin of a probability: mean prediction, observed share, weight.
type Bin struct{ Predicted, Observed, Weight float64 }

const histogramBins = 25

// plot makes the curves of every scorer that ranks and could measure rows of both labels.
func (o *Options) plot(c *rowSlice) Plot {
	p := Plot{Dataset: c.dataset}
	for _, s := range o.scorers(c.rows) {
		if !slices.Contains(s.has, AUROC) || s.name == AlwaysFlag {
			continue
		}
		series := s.series(c)
		total := series.total()
		if total.bad == 0 || total.good == 0 {
			continue
		}
		curve := series.curve(total)
		curve.Detector = s.name
		if slices.Contains(s.has, F1) {
			v := series.figures(rowWeights{})
			curve.At, curve.Precision = svg.Point{X: v[FalseAlarms], Y: v[Recall]}, v[Precision]
		}
		curve.Threshold = o.threshold(c, s.name)
		if s.name != Length {
			curve.Faulty, curve.Good = series.histogram(total)
		}
		p.Curves = append(p.Curves, curve)
	}
	return p
}

// threshold is the one threshold of all rows of the slice, or NaN.
func (o *Options) threshold(c *rowSlice, name string) float64 {
	only := math.NaN()
	for i, r := range c.rows {
		at, armed := o.Calibration.Threshold(name, r.Tenant, r.Operation, r.Model)
		if name == Risk {
			at, armed = o.flagAbove(r.Tenant), true
		}
		if !armed || (i > 0 && at != only) {
			return math.NaN()
		}
		only = at
	}
	return only
}

func (s *rankedRows) total() (t labelWeights) {
	for i := range s.items {
		t.add(s.items[i].positive, s.items[i].weight)
	}
	return t
}

// minPointDistance is the least visible distance of points on the unit square.
const minPointDistance = 0.01

func (s *rankedRows) curve(total labelWeights) Curve {
	c := Curve{ROC: []svg.Point{{}}, At: svg.Point{X: math.NaN(), Y: math.NaN()}, Precision: math.NaN()}
	var above labelWeights
	for i := 0; i < len(s.items); {
		score := s.items[i].score
		for ; i < len(s.items) && s.items[i].score == score; i++ {
			above.add(s.items[i].positive, s.items[i].weight)
		}
		recall, last := above.bad/total.bad, i == len(s.items)
		c.ROC = appendVisible(c.ROC, svg.Point{X: above.good / total.good, Y: recall}, last)
		c.PR = appendVisible(c.PR, svg.Point{X: recall, Y: above.bad / (above.bad + above.good)}, last)
	}
	if s.bins != nil {
		c.Reliability = s.reliability()
	}
	return c
}

func appendVisible(points []svg.Point, p svg.Point, last bool) []svg.Point {
	if n := len(points); n > 0 && !last && math.Abs(points[n-1].X-p.X) < minPointDistance && math.Abs(points[n-1].Y-p.Y) < minPointDistance {
		return points
	}
	return append(points, p)
}

func (s *rankedRows) histogram(total labelWeights) (faulty, good []float64) {
	faulty, good = make([]float64, histogramBins), make([]float64, histogramBins)
	for i := range s.items {
		it := &s.items[i]
		bin := min(histogramBins-1, max(0, int(it.score*histogramBins)))
		if it.positive {
			faulty[bin] += it.weight / total.bad
		} else {
			good[bin] += it.weight / total.good
		}
	}
	return faulty, good
}

func (s *rankedRows) reliability() []Bin {
	var sums [calibrationBins]Bin
	for i := range s.items {
		it, b := &s.items[i], &sums[s.bins[i]]
		b.Weight += it.weight
		b.Predicted += it.weight * it.score
		if it.positive {
			b.Observed += it.weight
		}
	}
	var bins []Bin
	for _, b := range sums {
		if b.Weight > 0 {
			bins = append(bins, Bin{b.Predicted / b.Weight, b.Observed / b.Weight, b.Weight})
		}
	}
	return bins
}
