package standard

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/consistency"
	"confab/detectors/entailment"
	"confab/detectors/faithfulness"
)

func TestDeepOptions(t *testing.T) {
	change := func(f func(*consistency.Options)) *consistency.Options {
		o := consistency.DefaultOptions()
		f(&o)
		return &o
	}
	for name, tt := range map[string]struct {
		detector string
		options  any
		want     string
	}{
		"one sample":      {"consistency", change(func(o *consistency.Options) { o.Samples = 1 }), "samples"},
		"17 samples":      {"consistency", change(func(o *consistency.Options) { o.Samples = 17 }), "samples"},
		"cold":            {"consistency", change(func(o *consistency.Options) { o.Temperature = 0 }), "temperature"},
		"too hot":         {"consistency", change(func(o *consistency.Options) { o.Temperature = 2.1 }), "temperature"},
		"no number":       {"consistency", change(func(o *consistency.Options) { o.Temperature = math.NaN() }), "temperature"},
		"no tokens":       {"consistency", change(func(o *consistency.Options) { o.MaxTokens = 0 }), "max_tokens"},
		"no share":        {"consistency", change(func(o *consistency.Options) { o.AgreedShare = 1.1 }), "AgreedShare"},
		"no statements":   {"faithfulness", &faithfulness.Options{}, "MaxStatements"},
		"65 statements":   {"faithfulness", &faithfulness.Options{MaxStatements: 65}, "MaxStatements"},
		"no claims":       {"entailment", &entailment.Options{}, "max_claims"},
		"too many claims": {"entailment", &entailment.Options{MaxClaims: 65}, "max_claims"},
		"no reliability":  {"entailment", &entailment.Options{MaxClaims: 1, MinReliability: 1.1}, "min_reliability"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, e := range Deep(Dependencies{}) {
				if e.Name == tt.detector {
					_, err := e.New(tt.options)
					require.ErrorContains(t, err, tt.want)
				}
			}
		})
	}
}
