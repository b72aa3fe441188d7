package detectors

import (
	"context"
	"errors"
)

// FaithfulnessOptions tune the faithfulness detector.
type FaithfulnessOptions struct {
	// ExcludeOutOfScope leaves statements about nothing that the sources speak of out of the share.
	ExcludeOutOfScope bool `yaml:"exclude_out_of_scope_statements" json:"exclude_out_of_scope_statements"`
	// MaxStatements is the number of statements that are judged, 1 to 64; the others are counted.
	MaxStatements int `yaml:"max_statements" json:"max_statements"`
}

// DefaultFaithfulnessOptions judge up to 32 statements and count all of them.
func DefaultFaithfulnessOptions() FaithfulnessOptions { return FaithfulnessOptions{MaxStatements: 32} }

type faithfulness struct {
	opts  FaithfulnessOptions
	judge Judge
	from  Resampler
}

func newFaithfulness(o FaithfulnessOptions, deps Deps) (Detector, error) {
	if o.MaxStatements < 1 || o.MaxStatements > MaxClaims {
		return nil, errors.New("max_statements is how many are judged: choose 1 to 64")
	}
	return &faithfulness{opts: o, judge: deps.Judge, from: deps.Resampler}, nil
}

func (*faithfulness) Name() string { return "faithfulness" }

const reasonNoJudge = "no judge"

// Detect is not written yet.
func (f *faithfulness) Detect(context.Context, *Document) (Finding, error) {
	return Finding{NotCheckable: reasonNoJudge}, nil
}
