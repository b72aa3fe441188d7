package tuning

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"confab/calibration"
	"confab/calibration/tune"
	"confab/internal/model"
)

const (
	leastStep  = 0.01
	maxStep    = 0.05 // of a threshold or a minimum risk, in one refit
	maxOddStep = 0.25 // of a number of a risk map, in one refit
	heaviest   = 3    // owners of each kind without whom every change must hold, too
	leastOwner = 0.01 // share of the weight from which on an owner may be one of them
)

// fitted is the fit without one owner; of all rows without a name.
type fitted struct {
	*calibration.Calibration

	kind    owner
	without string
}

// fitSteadily fits the rows that are not held out, and again as if each of those from whom most of them come did not exist. Of every
// number it takes the smallest move that all fits agree on, none where they disagree, and at most a step: nobody moves anything alone,
// but a tenant its own thresholds.
func (in *refitInput) fitSteadily(ctx context.Context) (calibration.File, error) {
	var fits []fitted
	fit := func(o owner, without string) error {
		if err := ctx.Err(); err != nil { // of many answers a fit takes seconds
			return err
		}
		j := in.store.join(o, without)
		train, _ := split(j.rows)
		options := in.fit
		options.Answers = j.answers
		f, _, err := tune.Fit(rowsOf(train), options)
		if err != nil {
			return err
		}
		c, err := calibration.New(f)
		fits = append(fits, fitted{c, o, without})
		return err
	}
	if err := fit(numOwners, ""); err != nil {
		return calibration.File{}, err
	}
	for o := range numOwners {
		for _, name := range heaviestOwners(in.rows, o) {
			if err := fit(o, name); err != nil {
				return calibration.File{}, err
			}
		}
	}
	return in.merge(fits), nil
}

// heaviestOwners are those without whom changes must hold, too. The only service or tenant is none of them.
func heaviestOwners(rows []judgedRow, o owner) []string {
	total, by := ownerWeights(rows, o)
	names := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), strings.Compare(a, b)) })
	names = slices.DeleteFunc(names, func(name string) bool { return by[name] < leastOwner*total })
	return names[:min(len(names), heaviest)]
}

// merge moves the numbers of the current file to where all fits agree. The first is that of all rows.
func (in *refitInput) merge(fits []fitted) calibration.File {
	f, full := in.inForce.File(), fits[0].File()
	f.ID, f.CreatedBy, f.Model, f.Data = full.ID, full.CreatedBy, full.Model, full.Data
	f.Thresholds = slices.Clone(f.Thresholds)
	for _, t := range thresholdsOf(full.Thresholds, f.Thresholds) {
		at, moves := in.move(&t, fits)
		if _, set := in.set[t.Detector]; set || !moves {
			continue
		}
		t.Threshold = at
		if i := slices.IndexFunc(f.Thresholds, func(old calibration.Threshold) bool { return old.Key() == t.Key() }); i >= 0 {
			f.Thresholds[i] = t
		} else {
			f.Thresholds = append(f.Thresholds, t)
		}
	}
	f.Risk = slices.Clone(f.Risk)
	for i := range f.Risk {
		f.Risk[i] = mergedRisk(f.Risk[i], fits)
	}
	if f.Alert != nil {
		alert := *f.Alert
		var least []float64
		for _, c := range fits {
			value, ok := c.AlertRisk()
			if !ok {
				value = alert.MinRisk
			}
			least = append(least, value)
		}
		alert.MinRisk = leastMove(alert.MinRisk, maxStep, least)
		f.Alert = &alert
	}
	return f
}

// move is where all fits agree that the threshold of a key goes; false if it stays, or does not fire.
func (in *refitInput) move(t *calibration.Threshold, fits []fitted) (to float64, moves bool) {
	from, armed := in.inForce.Threshold(t.Detector, t.Tenant, t.Operation, t.Model)
	var values []float64
	for _, c := range fits {
		value, same := c.Threshold(t.Detector, t.Tenant, t.Operation, t.Model)
		switch {
		case c.kind == tenant && c.without == t.Tenant && t.Tenant != "":
		case same == armed:
			values = append(values, value)
		default: // whether it fires at all is for a person to say
			values = append(values, from)
		}
	}
	to = leastMove(from, maxStep, values)
	return to, armed && to != from
}

// thresholdsOf are the rows of the first list, and those of the second whose key the first has not.
func thresholdsOf(first, second []calibration.Threshold) []calibration.Threshold {
	all := slices.Clone(first)
	for i := range second {
		if !slices.ContainsFunc(first, func(t calibration.Threshold) bool { return t.Key() == second[i].Key() }) {
			all = append(all, second[i])
		}
	}
	return all
}

// mergedRisk is the risk map moved to where all fits agree.
func mergedRisk(m calibration.RiskMap, fits []fitted) calibration.RiskMap {
	next := m
	var as, bs []float64
	for i, c := range fits {
		at := slices.IndexFunc(c.File().Risk, func(other calibration.RiskMap) bool { return other.Measurable == m.Measurable })
		if at < 0 {
			return m
		}
		fit := c.File().Risk[at]
		if as, bs = append(as, fit.A), append(bs, fit.B); i == 0 {
			next = fit
		}
	}
	next.A, next.B = leastMove(m.A, maxOddStep, as), leastMove(m.B, maxOddStep, bs)
	return next
}

// leastMove is the value nearest to from that lies between from and all values, at most a step away.
func leastMove(from, step float64, values []float64) float64 {
	low, high := slices.Min(values), slices.Max(values)
	switch {
	case low > from:
		return min(low, from+step)
	case high < from:
		return max(high, from-step)
	}
	return from
}

// changesOf says what the file changes, one line each. Smaller changes are none.
func changesOf(current *calibration.Calibration, f *calibration.File) (all []string) {
	say := func(name string, from, to float64) {
		if math.Abs(from-to) >= leastStep-tolerance {
			all = append(all, fmt.Sprintf("%s: %.2f, was %.2f", name, to, from))
		}
	}
	for i := range f.Thresholds {
		t := &f.Thresholds[i]
		at, _ := current.Threshold(t.Detector, t.Tenant, t.Operation, t.Model)
		name := []string{"threshold of " + t.Detector}
		for _, part := range []struct{ what, value string }{{"tenant", t.Tenant}, {"operation", t.Operation}, {"model", t.Model}} {
			if part.value != "" {
				name = append(name, fmt.Sprintf("%s %q", part.what, part.value))
			}
		}
		say(strings.Join(name, ", "), at, t.Threshold)
	}
	old := current.File()
	for i := range f.Risk {
		say(fmt.Sprintf("risk where the scores say %.2f", model.Logistic(1)), old.Risk[i].At(1), f.Risk[i].At(1))
	}
	if f.Alert != nil {
		say("least risk of an alert", old.Alert.MinRisk, f.Alert.MinRisk)
	}
	return all
}
