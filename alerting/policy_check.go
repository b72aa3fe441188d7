package alerting

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"confab/schemas"
)

// Validate reports all invalid options at once, each by its path in the configuration. detectors are the names that
// options may use.
func (o PolicyOptions) Validate(detectors []string) error {
	errs := o.Default.validate("alerting", detectors)
	errs = append(errs, o.Recommendation.validate("recommendation", RecommendationOptions{})...)
	for _, name := range slices.Sorted(maps.Keys(o.Tenants)) {
		t := o.Tenants[name]
		path := "tenants." + name
		switch t.Action {
		case "", schemas.ActionLog, schemas.ActionFlag, schemas.ActionBlock:
		default:
			errs = append(errs, fmt.Errorf("%s.action: %q is not an action; use LOG, FLAG or BLOCK", path, t.Action))
		}
		errs = append(errs, t.Alerting.validate(path+".alerting", detectors)...)
		errs = append(errs, t.Recommendation.validate(path+".recommendation", o.Recommendation)...)
	}
	return errors.Join(errs...)
}

func (o RuleOptions) validate(path string, detectors []string) []error {
	var errs []error
	if !slices.Contains([]Preset{"", TwoOrMore, ByDetector}, o.Preset) {
		errs = append(errs, fmt.Errorf("%s.preset: %q is not a preset; use %s or %s", path, o.Preset, TwoOrMore, ByDetector))
	}
	if !slices.Contains([]Confirmation{"", ConfirmOff, ConfirmJudge}, o.Confirm) {
		errs = append(errs, fmt.Errorf("%s.confirm: %q is no second opinion; use %s or %s", path, o.Confirm, ConfirmOff, ConfirmJudge))
	}
	if t := o.Threshold; t != nil && (!isFinite(*t) || *t <= 0) {
		errs = append(errs, fmt.Errorf("%s.threshold: %v is not a finite, positive number; use a sum of weights", path, *t))
	}
	errs = append(errs, checkRisk(path+".min_risk", o.MinRisk)...)
	if o.Channel != strings.TrimSpace(o.Channel) {
		errs = append(errs, fmt.Errorf("%s.channel: %q has spaces around it; remove them", path, o.Channel))
	}
	errs = append(errs, o.High.validate(path+".high", detectors)...)
	return append(errs, o.validateNames(path, detectors)...)
}

// validateNames checks options that name detectors.
func (o RuleOptions) validateNames(path string, detectors []string) []error {
	var errs []error
	known := strings.Join(detectors, ", ")
	for _, name := range slices.Sorted(maps.Keys(o.Weights)) {
		if w := o.Weights[name]; !isFinite(w) || w < 0 {
			errs = append(errs, fmt.Errorf("%s.weights.%s: %v is not a weight; use 0 or more", path, name, w))
		}
		if !slices.Contains(detectors, name) {
			errs = append(errs, fmt.Errorf("%s.weights.%s: no such detector; known are %s", path, name, known))
		}
	}
	return append(errs, checkNames(path+".muted", o.Muted, detectors)...)
}

// checkNames reports the names that no detector has.
func checkNames(path string, names, detectors []string) (errs []error) {
	for _, name := range names {
		if !slices.Contains(detectors, name) {
			errs = append(errs, fmt.Errorf("%s: no detector is called %q; known are %s", path, name, strings.Join(detectors, ", ")))
		}
	}
	return errs
}

// checkRisk reports a risk that is no probability.
func checkRisk(path string, r *float64) []error {
	if r == nil || *r >= 0 && *r <= 1 {
		return nil
	}
	return []error{fmt.Errorf("%s: %v is not a probability; use 0 to 1", path, *r)}
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
