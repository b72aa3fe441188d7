package standard

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/consistency"
	"confab/detectors/entailment"
)

func TestDeepOptions(t *testing.T) {
	for name, tt := range map[string]struct {
		detector string
		options  any
		want     string
	}{
		"one sample":     {"consistency", &consistency.Options{Samples: 1, MaxTokens: 1}, "samples"},
		"17 samples":     {"consistency", &consistency.Options{Samples: 17, MaxTokens: 1}, "samples"},
		"no tokens":      {"consistency", &consistency.Options{Samples: 2}, "max_tokens"},
		"no reliability": {"entailment", &entailment.Options{MinReliability: 1.1}, "min_reliability"},
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
