package alerting

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/schemas"
)

// SeverityOptions say which alerts are of high severity. One match is enough.
type SeverityOptions struct {
	// Risk, 0 to 1, from which an alert is of high severity. Default: 0.9.
	MinRisk *float64 `yaml:"min_risk"`
	// Tags of an interaction of which one makes its alert one of high severity, in any letter case. Producers choose the tags.
	Tags []string `yaml:"tags"`
	// Detectors that make an alert one of high severity when they fire.
	Detectors []string `yaml:"detectors"`
	// Channel for alerts of high severity. Empty: the channel of the others.
	Channel string `yaml:"channel"`
}

// withDefaults returns o with unset options taken from base.
func (o SeverityOptions) withDefaults(base SeverityOptions) SeverityOptions {
	o.MinRisk, o.Channel = cmp.Or(o.MinRisk, base.MinRisk), cmp.Or(o.Channel, base.Channel)
	if o.Tags == nil {
		o.Tags = base.Tags
	}
	if o.Detectors == nil {
		o.Detectors = base.Detectors
	}
	return o
}

// severityRule is SeverityOptions with defaults.
type severityRule struct {
	minRisk         float64
	tags, detectors []string
	channel         string
}

func (o SeverityOptions) severity() severityRule {
	return severityRule{
		minRisk: *cmp.Or(o.MinRisk, new(defaultHighRisk)), tags: slices.Clone(o.Tags), detectors: slices.Clone(o.Detectors), channel: o.Channel,
	}
}

// matches reports whether the flag is of high severity.
func (s *severityRule) matches(f *schemas.Flag) bool {
	return riskOf(f) >= s.minRisk || slices.ContainsFunc(f.Fired, func(name string) bool { return slices.Contains(s.detectors, name) }) ||
		slices.ContainsFunc(f.Tags, func(tag string) bool {
			return slices.ContainsFunc(s.tags, func(want string) bool { return strings.EqualFold(tag, want) })
		})
}

func (o SeverityOptions) validate(path string, detectors []string) []error {
	errs := checkRisk(path+".min_risk", o.MinRisk)
	for _, tag := range o.Tags {
		if strings.TrimSpace(tag) == "" || tag != strings.TrimSpace(tag) {
			errs = append(errs, fmt.Errorf("%s.tags: %q is empty or has spaces around it; write the tag as in interactions", path, tag))
		}
	}
	errs = append(errs, checkNames(path+".detectors", o.Detectors, detectors)...)
	if o.Channel != strings.TrimSpace(o.Channel) {
		errs = append(errs, fmt.Errorf("%s.channel: %q has spaces around it; remove them", path, o.Channel))
	}
	return errs
}

// RecommendationOptions are the calibrated risks of the recommendations. Only an alert is recommended to be blocked, and it
// is never allowed. An alert without a risk is blocked. If a detector failed or was skipped, the answer is not allowed, and
// an alert is blocked.
type RecommendationOptions struct {
	// Flag is the risk, 0 to 1, above which the recommendation is flag if a detector fired. Default: 0.4.
	Flag *float64 `yaml:"flag"`
	// Block is the risk, 0 to 1, above which the recommendation is block. Default: 0.7.
	Block *float64 `yaml:"block"`
}

// withDefaults returns o with unset options taken from base.
func (o RecommendationOptions) withDefaults(base RecommendationOptions) RecommendationOptions {
	return RecommendationOptions{Flag: cmp.Or(o.Flag, base.Flag), Block: cmp.Or(o.Block, base.Block)}
}

// limits returns the options with defaults.
func (o RecommendationOptions) limits() riskLimits {
	return riskLimits{flag: *cmp.Or(o.Flag, new(defaultFlagRisk)), block: *cmp.Or(o.Block, new(defaultBlockRisk))}
}

// validate requires two ordered probabilities after defaults from base.
func (o RecommendationOptions) validate(path string, base RecommendationOptions) []error {
	errs := append(checkRisk(path+".flag", o.Flag), checkRisk(path+".block", o.Block)...)
	if l := o.withDefaults(base).limits(); len(errs) == 0 && (o != RecommendationOptions{}) && l.flag > l.block {
		errs = append(errs, fmt.Errorf("%s.flag: %v exceeds block (%v), so nothing would only be flagged; lower it, or raise block",
			path, l.flag, l.block))
	}
	return errs
}

// riskLimits are the risks above which the recommendation is flag or block.
type riskLimits struct{ flag, block float64 }

// recommend returns the recommendation by the flag's alert and risk, which is NaN when unknown. Block implies an alert, and
// an alert is never allowed. An incomplete measurement is never allowed, and its risk does not keep an alert from being
// blocked: a detector that could not measure can only have made the answer look better.
func (l riskLimits) recommend(f *schemas.Flag, risk float64) schemas.Recommendation {
	unknown, incomplete := math.IsNaN(risk), f.Incomplete()
	switch {
	case f.Alert && (unknown || incomplete || risk > l.block):
		return schemas.Block
	case f.Alert, incomplete, len(f.Fired) > 0 && (unknown || risk > l.flag):
		return schemas.Recommend
	}
	return schemas.Allow
}

const (
	defaultFlagRisk  = 0.4
	defaultBlockRisk = 0.7
	defaultHighRisk  = 0.9
)
