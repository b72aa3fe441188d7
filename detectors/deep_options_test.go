package detectors

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDeepOptions(t *testing.T) {
	change := func(f func(*ConsistencyOptions)) *ConsistencyOptions {
		o := DefaultConsistencyOptions()
		f(&o)
		return &o
	}
	for name, tt := range map[string]struct {
		detector string
		options  any
		want     string
	}{
		"one sample":      {"consistency", change(func(o *ConsistencyOptions) { o.Samples = 1 }), "samples"},
		"17 samples":      {"consistency", change(func(o *ConsistencyOptions) { o.Samples = 17 }), "samples"},
		"cold":            {"consistency", change(func(o *ConsistencyOptions) { o.Temperature = 0 }), "temperature"},
		"too hot":         {"consistency", change(func(o *ConsistencyOptions) { o.Temperature = 2.1 }), "temperature"},
		"no number":       {"consistency", change(func(o *ConsistencyOptions) { o.Temperature = math.NaN() }), "temperature"},
		"no tokens":       {"consistency", change(func(o *ConsistencyOptions) { o.MaxTokens = 0 }), "max_tokens"},
		"no share":        {"consistency", change(func(o *ConsistencyOptions) { o.AgreedShare = 1.1 }), "agreed_share"},
		"no statements":   {"faithfulness", &FaithfulnessOptions{}, "max_statements"},
		"65 statements":   {"faithfulness", &FaithfulnessOptions{MaxStatements: 65}, "max_statements"},
		"no claims":       {"entailment", &EntailmentOptions{}, "max_claims"},
		"too many claims": {"entailment", &EntailmentOptions{MaxClaims: 65}, "max_claims"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, e := range Deep() {
				if e.Name == tt.detector {
					_, err := e.New(tt.options)
					require.ErrorContains(t, err, tt.want)
				}
			}
		})
	}
}
