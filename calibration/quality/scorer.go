package quality

import (
	"slices"

	"confab/calibration/measure"
)

// The scorers in addition to the detectors.
const (
	Risk       = "risk"        // the fused probability; it fires where the recommendation is not to allow
	TwoOrMore  = "two-or-more" // two detectors fired; it has no score
	Alert      = "alert"       // the alert rule of the calibration: two or more, and its minimum risk
	AlwaysFlag = "always-flag" // trivial baseline: everything fires
	Length     = "answer-length"
)

// flagAbove is the default risk above which flagging is recommended.
const flagAbove = 0.4

func (o *Options) flagAbove(tenant string) float64 {
	if o.FlagAbove == nil {
		return flagAbove
	}
	return o.FlagAbove(tenant)
}

// rowScorer computes a score and whether it fires, and lists the metrics that it has.
type rowScorer struct {
	name        string
	has         []Metric
	of          func(r *measure.Row) (score float64, fired, ok bool)
	probability bool // the score is a probability

	positive func(r *measure.Row) bool // nil: as labelled
}

//nolint:gochecknoglobals // read-only lists
var (
	rankMetrics        = []Metric{AUROC, AveragePrecision, BestF1, RecallAtHalf, RecallAtOne, RecallAtFive}
	alarmMetrics       = []Metric{Precision, Recall, FalseAlarms, RecallAll}
	trafficMetrics     = []Metric{AlertsAtOne, AlertsAtFive, AlertsAtTwenty, PrecisionAtOne, PrecisionAtFive, PrecisionAtTwenty}
	f1Metrics          = []Metric{F1}
	calibrationMetrics = []Metric{CalibrationError}
)

// scorers are the detectors of the rows, the risk where it is known, the rule and the trivial baselines.
func (o *Options) scorers(rows []*measure.Row) []rowScorer {
	var all []rowScorer
	seen := map[string]bool{}
	for _, r := range rows {
		for _, s := range r.Signals {
			if !seen[s.Detector] {
				seen[s.Detector] = true
				all = append(all, o.detector(s.Detector, rows))
			}
		}
	}
	if slices.ContainsFunc(rows, func(r *measure.Row) bool { _, ok := r.Risk(o.Calibration); return ok }) {
		all = append(all, rowScorer{name: Risk, probability: true, has: metricsOf(rankMetrics, alarmMetrics, f1Metrics, calibrationMetrics), of: func(r *measure.Row) (float64, bool, bool) {
			p, ok := r.Risk(o.Calibration)
			return p, ok && p > o.flagAbove(r.Tenant), ok
		}})
	}
	return append(all,
		rowScorer{name: TwoOrMore, has: metricsOf(alarmMetrics, trafficMetrics), of: func(r *measure.Row) (float64, bool, bool) {
			fired, able := r.CountFired(o.Calibration)
			return 0, fired >= 2, able >= 2
		}},
		rowScorer{name: Alert, has: metricsOf(alarmMetrics, trafficMetrics), of: func(r *measure.Row) (float64, bool, bool) {
			_, able := r.CountFired(o.Calibration)
			return 0, r.Alerts(o.Calibration), able >= 1
		}},
		rowScorer{name: AlwaysFlag, has: metricsOf(rankMetrics, alarmMetrics, f1Metrics), of: func(*measure.Row) (float64, bool, bool) { return 1, true, true }},
		rowScorer{name: Length, has: rankMetrics, of: func(r *measure.Row) (float64, bool, bool) { return float64(r.Words), false, true }},
	)
}

// detector scores by the detector's signal; where no threshold is armed it only ranks.
func (o *Options) detector(name string, rows []*measure.Row) rowScorer {
	s := rowScorer{name: name, has: rankMetrics, of: func(r *measure.Row) (float64, bool, bool) {
		for i := range r.Signals {
			if r.Signals[i].Detector == name {
				return r.Signals[i].Score, r.FiredBy(o.Calibration, i), r.Signals[i].HasScore
			}
		}
		return 0, false, false
	}}
	for _, r := range rows {
		if _, armed := o.Calibration.Threshold(name, r.Tenant, r.Operation, r.Model); armed {
			s.has = metricsOf(rankMetrics, alarmMetrics, f1Metrics)
			break
		}
	}
	return s
}

func metricsOf(lists ...[]Metric) []Metric {
	var all []Metric
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// series scores and sorts the slice's rows.
func (s *rowScorer) series(c *rowSlice) *rankedRows {
	items := make([]scoredRow, len(c.rows))
	measured := make([]bool, len(c.rows))
	for i, r := range c.rows {
		it := scoredRow{weight: r.Weight, group: c.group[i], positive: r.Positive}
		if it.weight == 0 {
			it.weight = 1
		}
		if s.positive != nil {
			it.positive = s.positive(r)
		}
		it.score, it.fired, measured[i] = s.of(r)
		items[i] = it
	}
	series := newSeries(items, measured, rankedRows{groups: c.groups})
	if s.probability {
		series = series.withBins()
	}
	return series
}
