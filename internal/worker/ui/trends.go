package ui

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"confab/calibration/rate"
	"confab/internal/worker/config"
	"confab/schemas"
)

// trendPeriod is what the trends show.
type trendPeriod struct {
	name   string
	step   time.Duration
	steps  int
	format string
}

func periodOf(name string) trendPeriod {
	switch name {
	case "week":
		return trendPeriod{name, 24 * time.Hour, 7, "2006-01-02"}
	case "month":
		return trendPeriod{name, 24 * time.Hour, 30, "2006-01-02"}
	}
	return trendPeriod{"day", time.Hour, 24, "01-02 15:04"}
}

// maxTableRows bounds the rows of one table.
const maxTableRows = 50

// trend is what the rows of a period add up to.
type trend struct {
	steps            []counts
	sum              counts
	services, models map[string]*counts
}

func (s *Server) showTrends(q *pageRequest) error {
	form, _ := s.form(q)
	length := periodOf(form.Get("period"))
	end := s.Now().UTC().Truncate(length.step).Add(length.step)
	begin := end.Add(-length.step * time.Duration(length.steps))
	t := trend{steps: make([]counts, length.steps), services: map[string]*counts{}, models: map[string]*counts{}}
	drawn := sample{by: form.Get("by"), groups: rate.Groups{}, attributes: map[string]bool{}}
	if rate.CheckDimension(drawn.by) != nil {
		drawn.by = "model"
	}
	earlier := begin.Add(begin.Sub(end))
	s.store.scan(&filter{Tenants: q.person.Sees, Tenant: form.Get("tenant"), Service: form.Get("service"), Model: form.Get("model"), From: earlier}, nil, func(r *row) bool {
		drawn.add(r, r.At.Before(begin))
		if r.At.Before(begin) {
			return true
		}
		t.steps[min(int(r.At.Sub(begin)/length.step), length.steps-1)].add(r)
		t.sum.add(r)
		addTo(t.services, r.Service, r)
		addTo(t.models, r.Model, r)
		return true
	})
	return s.write(q, &trendsPage{
		Frame: s.frame(q, "Trends", "/trends"), form: form, Period: length.name, Charts: drawCharts(t.steps, begin, length, t.sum.Fast > t.sum.Flagged), AllSeen: t.sum.Fast > t.sum.Flagged,
		Tables: []Table{{Name: "By service", Rows: tableRows(t.services)}, {Name: "By model", Rows: tableRows(t.models)}}, Notes: s.trendNotes(&t.sum, begin),
		By: drawn.by, Bys: drawn.choices(), Rates: drawn.rates(),
	})
}

// sample are the sampled answers of the period, and of one of the same length before, by the values of a dimension.
type sample struct {
	by         string
	groups     rate.Groups
	attributes map[string]bool // that they have
}

// add adds an answer that was sampled with a known probability.
func (s *sample) add(r *row, before bool) {
	if r.Pass != schemas.PassDeep || !r.Sampled || r.Chance <= 0 || r.Chance > 1 {
		return
	}
	a := rate.Answer{Probability: r.Chance, Cell: rate.CellOf(r.Alert, len(r.Fired))}
	if wrong := r.JudgedWrong; r.Judged {
		a.Judge = &wrong
	}
	if wrong := r.Verdict == schemas.Wrong; r.Verdict != "" {
		a.Person = &wrong
	}
	labels := rate.Labels{Model: r.Model, Service: r.Service, Operation: r.Operation, Tenant: r.Tenant, Attributes: r.Attributes}
	for name := range r.Attributes {
		s.attributes[name] = true
	}
	s.groups.Add(labels.Value(s.by), before, a)
}

// choices are the names by which rates can be split.
func (s *sample) choices() []string {
	names := []string{"model", "service", "operation", "tenant"}
	for _, name := range slices.Sorted(maps.Keys(s.attributes)) {
		if len(names) < maxTableRows {
			names = append(names, rate.AttributePrefix+name)
		}
	}
	return names
}

// rates estimates the share of wrong answers of all and of each group, most answers first.
func (s *sample) rates() (rows []Rate) {
	total, groups := s.groups.Rows(true)
	if total.Answers == 0 {
		return nil
	}
	rows = []Rate{rateRow("all answers", &total)}
	for i := range groups[:min(len(groups), maxTableRows)] {
		rows = append(rows, rateRow(cmp.Or(strings.Join(groups[i].Values, ""), "(none)"), &groups[i]))
	}
	return rows
}

func rateRow(name string, e *rate.Row) Rate {
	r := Rate{Name: name, Value: "-", Interval: "-", Before: "-", Change: e.Before.Word(), Basis: fmt.Sprintf("%d verdicts: %s", e.Verdicts, e.By())}
	if e.Enough() {
		r.Value, r.Interval = fmt.Sprintf("%.1f %%", 100*e.Value), fmt.Sprintf("%.1f to %.1f %%", 100*e.Low, 100*e.High)
	} else {
		r.Basis += fmt.Sprintf("; %d are needed", rate.MinSample)
	}
	if b := e.Before; b.Enough() {
		r.Before = fmt.Sprintf("%.1f %% (%.1f to %.1f)", 100*b.Value, 100*b.Interval.Low, 100*b.Interval.High)
	}
	if b := e.Before; b.Known {
		r.Change += fmt.Sprintf(": %+.1f (%+.1f to %+.1f)", 100*b.Change, 100*b.Low, 100*b.High)
	}
	return r
}

func addTo(all map[string]*counts, name string, r *row) {
	if all[name] == nil {
		all[name] = new(counts)
	}
	all[name].add(r)
}

// tableRows are the rows with the most flags first.
func tableRows(all map[string]*counts) (rows []TableRow) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, TableRow{Name: name, counts: *all[name]})
	}
	slices.SortStableFunc(rows, func(a, b TableRow) int { return cmp.Compare(b.Flagged, a.Flagged) })
	return rows[:min(len(rows), maxTableRows)]
}

func (s *Server) trendNotes(sum *counts, begin time.Time) (notes []string) {
	if oldest, full := s.store.oldest(); full && oldest.After(begin) {
		notes = append(notes, fmt.Sprintf("The page holds the last %d flags, the oldest of %s UTC: what came before is not counted here. ui.flags sets the number; the metrics of the workers count everything.", s.store.limit, formatTime(oldest)))
	}
	if sum.Fast == sum.Flagged && s.Config.Emit != config.EmitAll {
		notes = append(notes, "Workers write flagged answers only, so the shares of flagged and of uncheckable answers are not known here: set emit: all, or see the metrics of the workers.")
	}
	if sum.Wrong+sum.Fine == 0 {
		notes = append(notes, "No alert of this period has a label yet, so the precision of alerts is not known.")
	}
	return notes
}

// Chart is a bar chart over time, with its values as a table.
type Chart struct {
	Title  string
	Labels []string // of the steps, the oldest first
	Series []Series
	Share  bool // the values are shares of 1, written as percents
}

// Series are values of a chart. NaN is a step without a value.
type Series struct {
	Name   string
	Values []float64
}

// Bar is a rectangle in a drawing of 100 by 100 units.
type Bar struct {
	Series              int
	X, Y, Width, Height float64
}

// Most is the value at the top: a round number that is not below any value.
func (c *Chart) Most() float64 {
	most := 0.0
	for _, s := range c.Series {
		for _, v := range s.Values {
			if v > most { // not NaN
				most = v
			}
		}
	}
	if c.Share {
		return min(1, max(0.05, math.Ceil(most*20)/20))
	}
	unit := math.Pow(10, math.Floor(math.Log10(max(most, 1))))
	return unit * math.Ceil(max(most, 1)/unit)
}

// Span is the time that the chart shows.
func (c *Chart) Span() string { return c.Labels[0] + " to " + c.Labels[len(c.Labels)-1] }

// Bars are the rectangles of the drawing.
func (c *Chart) Bars() (all []Bar) {
	most, width := c.Most(), 100/float64(max(1, len(c.Labels)*(len(c.Series)+1)))
	for i, s := range c.Series {
		for j, v := range s.Values {
			if v > 0 {
				h := 100 * v / most
				all = append(all, Bar{Series: i, X: width * float64(j*(len(c.Series)+1)+i), Y: 100 - h, Width: width, Height: h})
			}
		}
	}
	return all
}

// drawCharts draws counts; shares of all answers only if quiet ones are held too.
func drawCharts(steps []counts, begin time.Time, length trendPeriod, all bool) []*Chart {
	labels := make([]string, len(steps))
	for i := range steps {
		labels[i] = begin.Add(length.step * time.Duration(i)).Format(length.format)
	}
	series := func(name string, value func(c *counts) float64) Series {
		s := Series{Name: name}
		for i := range steps {
			s.Values = append(s.Values, value(&steps[i]))
		}
		return s
	}
	share := func(n, of int) float64 {
		if of <= 0 {
			return math.NaN()
		}
		return float64(n) / float64(of)
	}
	charts := []*Chart{{Title: "Flagged answers and alerts", Labels: labels, Series: []Series{
		series("flagged", func(c *counts) float64 { return float64(c.Flagged) }),
		series("alerts", func(c *counts) float64 { return float64(c.Alerts) }),
	}}}
	if all {
		charts = append(charts, &Chart{Title: "Share of answers", Labels: labels, Share: true, Series: []Series{
			series("flagged", func(c *counts) float64 { return share(c.Flagged, c.Fast) }),
			series("nothing to check", func(c *counts) float64 { return share(c.Unchecked, c.Fast) }),
		}})
	}
	if !slices.ContainsFunc(steps, func(c counts) bool { return c.Wrong+c.Fine > 0 }) {
		return charts
	}
	return append(charts, &Chart{Title: "Precision of alerts, from labels", Labels: labels, Share: true, Series: []Series{
		series("answer wrong", func(c *counts) float64 { return share(c.Wrong, c.Wrong+c.Fine) }),
	}})
}
