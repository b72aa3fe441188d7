package alerting

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"confab/schemas"
)

// SeverityOptions say which alerts are of high severity, one of them being enough. An alert whose recommendation is block
// is always of high severity.
type SeverityOptions struct {
	// The risk, 0 to 1, from which an alert is of high severity. Without it none is by its risk alone.
	MinRisk *float64 `yaml:"min_risk"`
	// What an interaction must be tagged with, one of them, for its alert to be of high severity; letter case does not count. Whoever writes
	// interactions chooses their tags.
	Tags []string `yaml:"tags"`
	// Detectors that make an alert one of high severity when they fire.
	Detectors []string `yaml:"detectors"`
	// Where to tell alerts of high severity. "" means the channel of the others.
	Channel string `yaml:"channel"`
}

// over is what holds where o is laid over base.
func (o SeverityOptions) over(base SeverityOptions) SeverityOptions {
	if o.MinRisk == nil {
		o.MinRisk = base.MinRisk
	}
	if o.Tags == nil {
		o.Tags = base.Tags
	}
	if o.Detectors == nil {
		o.Detectors = base.Detectors
	}
	if o.Channel == "" {
		o.Channel = base.Channel
	}
	return o
}

// severity is SeverityOptions with every default in place.
type severity struct {
	minRisk         float64 // more than 1 for none
	tags, detectors []string
	channel         string
}

func (o SeverityOptions) severity() severity {
	s := severity{minRisk: math.Inf(1), tags: slices.Clone(o.Tags), detectors: slices.Clone(o.Detectors), channel: o.Channel}
	if o.MinRisk != nil {
		s.minRisk = *o.MinRisk
	}
	return s
}

// holds says whether the flag is of high severity. Detectors that are unusual do not make it so.
func (s *severity) holds(f *schemas.Flag) bool {
	if riskOf(f) >= s.minRisk {
		return true
	}
	for _, name := range f.Fired {
		if _, unusual := f.AnomalousRates[name]; !unusual && slices.Contains(s.detectors, name) {
			return true
		}
	}
	for _, tag := range f.Tags {
		for _, want := range s.tags {
			if strings.EqualFold(tag, want) {
				return true
			}
		}
	}
	return false
}

func (o SeverityOptions) validate(path string, detectors []string) []error {
	var errs []error
	if r := o.MinRisk; r != nil && (!finite(*r) || *r < 0 || *r > 1) {
		errs = append(errs, fmt.Errorf("%s.min_risk: %v is no probability; use 0 to 1", path, *r))
	}
	for _, tag := range o.Tags {
		if strings.TrimSpace(tag) == "" || tag != strings.TrimSpace(tag) {
			errs = append(errs, fmt.Errorf("%s.tags: %q is empty or has spaces around it; write the tag as interactions carry it", path, tag))
		}
	}
	for _, name := range o.Detectors {
		if !slices.Contains(detectors, name) {
			errs = append(errs, fmt.Errorf("%s.detectors: no detector is called %q; known are %s", path, name, strings.Join(detectors, ", ")))
		}
	}
	if o.Channel != strings.TrimSpace(o.Channel) {
		errs = append(errs, fmt.Errorf("%s.channel: %q has spaces around it; remove them", path, o.Channel))
	}
	return errs
}

// RecommendationOptions say at which calibrated risk of an answer something is recommended. A flag without a risk goes by
// the alert rule instead.
type RecommendationOptions struct {
	// Flag is the risk, 0 to 1, above which the recommendation is flag; 0.4 where nothing is said.
	Flag *float64 `yaml:"flag"`
	// Block is the risk, 0 to 1, above which the recommendation is block; 0.7 where nothing is said.
	Block *float64 `yaml:"block"`
}

// over is what holds where o is laid over base.
func (o RecommendationOptions) over(base RecommendationOptions) RecommendationOptions {
	if o.Flag == nil {
		o.Flag = base.Flag
	}
	if o.Block == nil {
		o.Block = base.Block
	}
	return o
}

// limits are the options with every default in place.
func (o RecommendationOptions) limits() limits {
	l := limits{flag: flagAbove, block: blockAbove}
	if o.Flag != nil {
		l.flag = *o.Flag
	}
	if o.Block != nil {
		l.block = *o.Block
	}
	return l
}

// validate wants two probabilities in order. base is what they are laid over.
func (o RecommendationOptions) validate(path string, base RecommendationOptions) []error {
	var errs []error
	for _, r := range []struct {
		key   string
		value *float64
	}{{"flag", o.Flag}, {"block", o.Block}} {
		if v := r.value; v != nil && (!finite(*v) || *v < 0 || *v > 1) {
			errs = append(errs, fmt.Errorf("%s.%s: %v is no probability; use 0 to 1", path, r.key, *v))
		}
	}
	if l := o.over(base).limits(); len(errs) == 0 && (o != RecommendationOptions{}) && l.flag > l.block {
		errs = append(errs, fmt.Errorf("%s.flag: %v exceeds block (%v), so nothing would only be flagged; lower it, or raise block",
			path, l.flag, l.block))
	}
	return errs
}

// limits are the risks above which something is recommended.
type limits struct{ flag, block float64 }

// recommend goes by the risk, and by the rule where no risk is known.
func (l limits) recommend(f *schemas.Flag, risk float64) schemas.Recommendation {
	if math.IsNaN(risk) {
		switch {
		case f.Alert:
			return schemas.Block
		case len(f.Fired) > 0:
			return schemas.Recommend
		}
		return schemas.Allow
	}
	switch {
	case risk > l.block:
		return schemas.Block
	case risk > l.flag:
		return schemas.Recommend
	}
	return schemas.Allow
}

const flagAbove = 0.4 // risk above which an answer is worth a flag

const (
	blockAbove = 0.7 // risk above which an answer is worth a block
)
