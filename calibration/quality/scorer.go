package quality

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"confab/calibration/measure"
)

// The scorers in addition to the detectors.
const (
	Risk       = "risk"        // the fused probability; it fires where the recommendation is not to allow
	AnyFires   = "any"         // a detector fired; it has no score
	TwoOrMore  = "two-or-more" // two detectors fired; it has no score
	Alert      = "alert"       // the alert rule of the calibration: two or more, and its minimum risk
	AlwaysFlag = "always-flag" // trivial baseline: everything fires
	Length     = "answer-length"
	NewWords   = "new-words"    // share of the content words that no source has
	NewRuns    = "new-trigrams" // likewise of runs of three words
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
	probability bool // the score is a probability: an unknown one ranks lowest
}

//nolint:gochecknoglobals // read-only lists
var (
	rankMetrics    = []Metric{AUROC, Twins, WithinModel, FoundFive, FoundTen, FoundTwenty, FoundFifty}
	alarmMetrics   = []Metric{Precision, Recall, FalseAlarms}
	trafficMetrics = []Metric{AlertsAtTwo, AlertsAtEight, AlertsAtTwenty, PrecisionAtTwo, PrecisionAtEight, PrecisionAtTwenty}
	f1Metrics      = []Metric{F1}
	riskMetrics    = []Metric{CalibrationError, Places}
)

// scorers are those that judge, and the trivial baselines.
func (o *Options) scorers(rows []*measure.Row) []rowScorer {
	return append(o.judging(rows),
		rowScorer{name: AlwaysFlag, has: metricsOf(rankMetrics, alarmMetrics, f1Metrics), of: func(*measure.Row) (float64, bool, bool) { return 1, true, true }},
		floor(Length, func(r *measure.Row) float64 { return float64(r.Words) }),
		floor(NewWords, func(r *measure.Row) float64 { return r.New.Words }),
		floor(NewRuns, func(r *measure.Row) float64 { return r.New.Trigrams }),
	)
}

// judging are the detectors of the rows, the risk where any row has one, and the rules.
func (o *Options) judging(rows []*measure.Row) (all []rowScorer) {
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
		all = append(all, rowScorer{name: Risk, probability: true, has: metricsOf(rankMetrics, alarmMetrics, f1Metrics, riskMetrics), of: func(r *measure.Row) (float64, bool, bool) {
			p, ok := r.Risk(o.Calibration)
			return p, ok && p > o.flagAbove(r.Tenant), ok
		}})
	}
	rule := func(name string, holds func(r *measure.Row) bool, more ...Metric) rowScorer {
		return rowScorer{name: name, has: metricsOf(alarmMetrics, more), of: func(r *measure.Row) (float64, bool, bool) { return 0, holds(r), true }}
	}
	fired := func(r *measure.Row) int { n, _ := r.CountFired(o.Calibration); return n }
	return append(all,
		rule(AnyFires, func(r *measure.Row) bool { return fired(r) >= 1 }),
		rule(TwoOrMore, func(r *measure.Row) bool { return fired(r) >= 2 }, trafficMetrics...),
		rule(Alert, func(r *measure.Row) bool { return r.Alerts(o.Calibration) }, trafficMetrics...))
}

// floor ranks by a plain number.
func floor(name string, of func(r *measure.Row) float64) rowScorer {
	return rowScorer{name: name, has: rankMetrics, of: func(r *measure.Row) (float64, bool, bool) {
		x := of(r)
		return x, false, !math.IsNaN(x)
	}}
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

// series scores and sorts the slice's rows, and counts those measured, and of these the faulty ones.
func (s *rowScorer) series(c *rowSlice) (ranked *rankedRows, measured, faulty int) {
	ranked = &rankedRows{groups: c.groups}
	twins, models := map[int32][]scoredRow{}, map[string][]scoredRow{}
	for i, r := range c.rows {
		it := scoredRow{weight: r.Weight, group: c.group[i], positive: r.Positive, place: r.Spans}
		if it.weight == 0 {
			it.weight = 1
		}
		var ok bool
		if it.score, it.fired, ok = s.of(r); ok {
			if measured++; it.positive {
				faulty++
			}
		} else if it.score = -1; !s.probability {
			continue
		}
		ranked.items = append(ranked.items, it)
		if pair := c.pair[i]; pair >= 0 {
			twins[pair] = append(twins[pair], it)
		}
		if r.Model != "" {
			models[r.Model] = append(models[r.Model], it)
		}
	}
	sortRows(ranked.items)
	ranked.twins = sortedLists(twins)
	if len(models) > 1 {
		ranked.models = sortedLists(models)
	}
	if s.probability {
		ranked = ranked.withBins()
	}
	return ranked, measured, faulty
}

// sortedLists are the lists in the order of their keys, each sorted.
func sortedLists[K cmp.Ordered](lists map[K][]scoredRow) (sorted [][]scoredRow) {
	for _, k := range slices.Sorted(maps.Keys(lists)) {
		sortRows(lists[k])
		sorted = append(sorted, lists[k])
	}
	return sorted
}
