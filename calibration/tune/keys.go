package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/shares"
)

// levels is how many names answers are told apart by.
const levels = 3

// below is the key of the row one level below a key: operation, then tenant, then model.
func below(key calibration.ThresholdKey, level int, r *measure.Row) calibration.ThresholdKey {
	switch level {
	case 0:
		key.Operation = r.Operation
	case 1:
		key.Tenant = r.Tenant
	default:
		key.Model = r.Model
	}
	return key
}

const (
	leastKey   = 8    // judged answers of a key: fewer cannot move its threshold
	leastApart = 0.03 // its threshold and the coarser one
)

// setThresholds chooses thresholds for all answers, then for each key below.
func (f *fitRun) setThresholds(mapped *calibration.Calibration) {
	s := &search{sample: f.root, rule: newRule(f.o.Policy, mapped)}
	from := make([]float64, len(s.detectors))
	for d, name := range s.detectors {
		from[d] = f.startAt(name, calibration.ThresholdKey{})
	}
	s.choose(from)
	f.most = slices.Repeat([]float64{unarmed}, len(from))
	cheapest := slices.Clone(s.at)
	short := f.o.Alerts > 0 && f.spend(s)
	f.dropKeys()
	for _, c := range s.choices(from, f.most) {
		f.set(calibration.ThresholdKey{Detector: c.detector}, &c)
	}
	f.keepUnmeasured(s.detectors)
	if short { // with all that it costs least to flag
		f.most, s.at = s.at, cheapest
	}
	if f.o.Alerts == 0 || short {
		f.descend(f.rows, s, 0, calibration.ThresholdKey{})
	}
}

// startAt is the threshold of the detector for the key before labels.
func (f *fitRun) startAt(detector string, key calibration.ThresholdKey) float64 {
	if at, armed := f.start.Threshold(detector, key.Tenant, key.Operation, key.Model); armed {
		return at
	}
	return unarmed
}

// dropKeys removes the keys that earlier labels made, where labels decide anew.
func (f *fitRun) dropKeys() {
	f.file.Thresholds = slices.DeleteFunc(slices.Clone(f.file.Thresholds), func(t calibration.Threshold) bool {
		return t.Prior > 0 && !coversAll(t.Key()) && slices.ContainsFunc(f.rows, func(r Row) bool {
			return (t.Tenant == "" || t.Tenant == r.Tenant) && (t.Operation == "" || t.Operation == r.Operation) && (t.Model == "" || t.Model == r.Model)
		})
	})
}

// descend chooses thresholds for the keys below that of parent. A key is written where it saves enough.
func (f *fitRun) descend(rows []Row, parent *search, level int, key calibration.ThresholdKey) {
	if level == levels {
		return
	}
	groups := map[calibration.ThresholdKey][]Row{}
	for i := range rows {
		k := below(key, level, &rows[i].Row)
		groups[k] = append(groups[k], rows[i])
	}
	if len(groups) == 1 {
		f.descend(rows, parent, level+1, key)
		return
	}
	keys := make([]calibration.ThresholdKey, 0, len(groups))
	for k, own := range groups {
		if k != key && len(own) >= leastKey {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b calibration.ThresholdKey) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Model, b.Model))
	})
	for _, k := range keys {
		own := groups[k]
		s := &search{rule: parent.rule, sample: parent.child(own, func(r *measure.Row) bool { return below(key, level, r) == k })}
		from := slices.Clone(parent.at)
		for d, name := range s.detectors {
			exact := k
			exact.Detector = name
			if f.start.Has(exact) {
				from[d] = f.startAt(name, k)
			}
		}
		s.choose(from)
		s.requireLabels(from)
		for d, c := range s.choices(from, f.most) {
			if math.Abs(c.to-min(c.from, f.most[d])) >= leastApart {
				exact := k
				exact.Detector = c.detector
				f.set(exact, &c)
			}
		}
		f.descend(own, s, level+1, k)
	}
}

// set writes a choice into the file and the report.
func (f *fitRun) set(key calibration.ThresholdKey, c *choice) {
	at := slices.IndexFunc(f.file.Thresholds, func(t calibration.Threshold) bool { return t.Key() == key })
	inForce, armed := f.o.Current.Threshold(key.Detector, key.Tenant, key.Operation, key.Model)
	name := keyName(key)
	switch {
	case c.from > 1:
		f.keep("%s does not fire: the calibration in force has not armed it", name)
		return
	case c.to == c.from && (at < 0 || !armed || inForce == c.to):
		f.keep("%s stays at %g: %s", name, c.to, f.stays(c))
		return
	case inForce != c.to:
		f.report.Changes = append(f.report.Changes, Change{Name: name, From: inForce, To: c.to, Why: c.describe()})
	}
	t := c.threshold(key)
	if at < 0 {
		f.file.Thresholds = append(f.file.Thresholds, t)
		return
	}
	f.file.Thresholds[at] = t
}

func (f *fitRun) keep(format string, args ...any) {
	f.report.Kept = append(f.report.Kept, fmt.Sprintf(format, args...))
}

// stays says in words why a threshold does not move.
func (f *fitRun) stays(c *choice) string {
	if c.rows == 0 {
		return "it could check none of the labelled answers"
	}
	return fmt.Sprintf("no other would cost less: it flags %.1f %% of fine answers and %.0f %% of wrong ones", 100*c.before.alarms.mean(), 100*c.before.found.mean())
}

// keepUnmeasured names the detectors that no labelled answer was checked by.
func (f *fitRun) keepUnmeasured(measured []string) {
	var names []string
	for _, t := range f.file.Thresholds {
		if coversAll(t.Key()) && !slices.Contains(measured, t.Detector) {
			names = append(names, t.Detector)
		}
	}
	if len(names) > 0 {
		f.keep("%s: could check none of the labelled answers, so nothing changes", strings.Join(names, ", "))
	}
}

// threshold is the row of the file. Precision is that at an even prior, as the risk.
func (c *choice) threshold(key calibration.ThresholdKey) calibration.Threshold {
	found, alarms := c.after.found, c.after.alarms
	few, many := found.jeffreys().quantile(0.025), alarms.jeffreys().quantile(0.975)
	t := calibration.Threshold{
		Detector: key.Detector, Tenant: key.Tenant, Operation: key.Operation, Model: key.Model, Threshold: c.to, Armed: true,
		N: int(c.rows), Recall: roundTo(1e3, found.mean()), FalseAlarms: roundTo(1e3, alarms.mean()), FalseAlarmsHigh: roundTo(1e3, many),
		Precision:    roundTo(1e3, shares.Ratio(found.mean(), found.mean()+alarms.mean())),
		PrecisionLow: roundTo(1e3, few/(few+many)),
	}
	if c.to != c.from {
		t.Prior = c.from
	}
	return t
}

func coversAll(k calibration.ThresholdKey) bool {
	return k == calibration.ThresholdKey{Detector: k.Detector}
}

// keyName is the detector, with what the key stands for.
func keyName(k calibration.ThresholdKey) string {
	names := slices.DeleteFunc([]string{k.Operation, k.Tenant, k.Model}, func(s string) bool { return s == "" })
	if len(names) == 0 {
		return k.Detector
	}
	return fmt.Sprintf("%s (%s)", k.Detector, strings.Join(names, ", "))
}
