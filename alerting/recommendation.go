package alerting

import (
	"fmt"
	"math"

	"confab/schemas"
)

const (
	flagAbove  = 0.4 // risk above which an answer is worth a flag
	blockAbove = 0.7 // risk above which an answer is worth a block
)

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
