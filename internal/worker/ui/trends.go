package ui

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"confab/calibration/rate"
	"confab/internal/svg"
	"confab/internal/worker/config"
	"confab/internal/worker/ui/pages"
	"confab/internal/worker/ui/store"
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

func (s *Server) showTrends(q *pageRequest) error {
	values := q.URL.Query()
	form, length := readQuery(values), periodOf(values.Get("period"))
	end := s.Now().UTC().Truncate(length.step).Add(length.step)
	begin := end.Add(-length.step * time.Duration(length.steps))
	steps := make([]store.Counts, length.steps)
	services, models := map[string]*store.Counts{}, map[string]*store.Counts{}
	var sum store.Counts
	err := s.store.Hours(begin, func(h *store.Hour) {
		at := int(h.At.Sub(begin) / length.step)
		if !q.person.Sees(h.Tenant) || !isOneOf(form.Tenant, h.Tenant) || !isOneOf(form.Service, h.Service) || !isOneOf(form.Model, h.Model) || at < 0 || at >= len(steps) {
			return
		}
		steps[at].Add(&h.Counts)
		sum.Add(&h.Counts)
		addTo(services, h.Service, &h.Counts)
		addTo(models, h.Model, &h.Counts)
	})
	if err != nil {
		return err
	}
	choices, _, err := s.choices(q)
	if err != nil {
		return err
	}
	p := &pages.Trends{
		Frame: s.frame(q, "Trends", "/trends"), Query: form, Choices: choices, Period: length.name, Charts: drawCharts(steps, begin, length, sum.Fast > sum.Flagged),
		Tables: []pages.Table{{Name: "By service", Rows: tableRows(services)}, {Name: "By model", Rows: tableRows(models)}}, Notes: s.trendNotes(&sum),
	}
	if p.Rates, err = s.estimateRates(q, &form, begin); err != nil {
		return err
	}
	return s.write(q, p)
}

// estimateRates estimates the share of wrong answers of all, of each service and of each model, from the sampled answers.
func (s *Server) estimateRates(q *pageRequest, form *pages.Query, begin time.Time) (rows []pages.Rate, err error) {
	var all []rate.Observation
	services, models := map[string][]rate.Observation{}, map[string][]rate.Observation{}
	f := store.Filter{
		Tenants: q.person.Sees, Tenant: form.Tenant, Service: form.Service, Model: form.Model, Pass: schemas.PassDeep, Sampled: true, From: begin,
	}
	err = s.store.Scan(&f, "", func(_ []byte, r *store.Row) bool {
		if r.Chance <= 0 || r.Chance > 1 || !r.Judged && r.Verdict == "" {
			return true
		}
		o := rate.Observation{Positive: slices.ContainsFunc(r.Fired, func(name string) bool { return slices.Contains(s.store.Deep, name) }), Probability: r.Chance}
		if r.Verdict != "" {
			o.Positive = r.Verdict == schemas.Confirmed
		}
		all = append(all, o)
		services[r.Service], models[r.Model] = append(services[r.Service], o), append(models[r.Model], o)
		return true
	})
	if err != nil || len(all) == 0 {
		return nil, err
	}
	rows = append(rows, rateRow("all answers", all))
	for _, group := range []struct {
		kind string
		by   map[string][]rate.Observation
	}{{"service ", services}, {"model ", models}} {
		for _, name := range slices.Sorted(maps.Keys(group.by)) {
			if len(rows) < maxTableRows {
				rows = append(rows, rateRow(group.kind+name, group.by[name]))
			}
		}
	}
	return rows, nil
}

func rateRow(name string, sample []rate.Observation) pages.Rate {
	e := rate.Of(sample)
	r := pages.Rate{Name: name, Value: "-", Interval: "-", Basis: fmt.Sprintf("%d sampled answers with a verdict", e.Judged)}
	if e.Enough() {
		r.Value, r.Interval = fmt.Sprintf("%.1f %%", 100*e.Share), fmt.Sprintf("%.1f to %.1f %%", 100*e.Low, 100*e.High)
	} else {
		r.Basis += fmt.Sprintf(", %d are needed", rate.MinSample)
	}
	return r
}

// isOneOf reports whether the value is the wanted one, or any is.
func isOneOf(want, have string) bool { return want == "" || want == have }

func addTo(all map[string]*store.Counts, name string, c *store.Counts) {
	if all[name] == nil {
		all[name] = new(store.Counts)
	}
	all[name].Add(c)
}

// tableRows are the rows with the most flags first.
func tableRows(all map[string]*store.Counts) (rows []pages.TableRow) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, pages.TableRow{Name: name, Counts: *all[name]})
	}
	slices.SortStableFunc(rows, func(a, b pages.TableRow) int { return cmp.Compare(b.Flagged, a.Flagged) })
	return rows[:min(len(rows), maxTableRows)]
}

func (s *Server) trendNotes(sum *store.Counts) (notes []string) {
	if sum.Fast == sum.Flagged && s.Config.Emit != config.EmitAll {
		notes = append(notes, "Workers write flagged answers only, so the shares of flagged and of uncheckable answers are not known here: set emit: all, or see the metrics of the workers.")
	}
	if sum.Confirmed+sum.FalsePositives == 0 {
		notes = append(notes, "No alert of this period has a label yet, so the precision of alerts is not known.")
	}
	return notes
}

// drawCharts draws counts; shares of all answers only if quiet ones are stored too.
func drawCharts(steps []store.Counts, begin time.Time, length trendPeriod, all bool) (charts []pages.Chart) {
	labels := make([]string, len(steps))
	for i := range steps {
		labels[i] = begin.Add(length.step * time.Duration(i)).Format(length.format)
	}
	line := func(name string, color int, value func(c *store.Counts) float64) svg.Line {
		l := svg.Line{Name: name, Color: color}
		for i := range steps {
			l.Values = append(l.Values, value(&steps[i]))
		}
		return l
	}
	share := func(n, of int64) float64 {
		if of <= 0 {
			return math.NaN()
		}
		return float64(n) / float64(of)
	}
	charts = append(charts, pages.Chart{Timeline: svg.Timeline{Title: "Flagged answers and alerts", Labels: labels, Lines: []svg.Line{
		line("flagged", 0, func(c *store.Counts) float64 { return float64(c.Flagged) }),
		line("alerts", 1, func(c *store.Counts) float64 { return float64(c.Alerts) }),
	}}})
	if all {
		charts = append(charts, pages.Chart{Timeline: svg.Timeline{Title: "Share of answers", Labels: labels, Share: true, Lines: []svg.Line{
			line("flagged", 0, func(c *store.Counts) float64 { return share(c.Flagged, c.Fast) }),
			line("nothing to check", 2, func(c *store.Counts) float64 { return share(c.Unchecked, c.Fast) }),
		}}})
	}
	if !slices.ContainsFunc(steps, func(c store.Counts) bool { return c.Confirmed+c.FalsePositives > 0 }) {
		return charts
	}
	return append(charts, pages.Chart{Timeline: svg.Timeline{Title: "Precision of alerts, from labels", Labels: labels, Share: true, Lines: []svg.Line{
		line("confirmed", 3, func(c *store.Counts) float64 { return share(c.Confirmed, c.Confirmed+c.FalsePositives) }),
	}}})
}
