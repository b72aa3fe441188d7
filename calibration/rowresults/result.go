package rowresults

import (
	"fmt"
	"math"

	"confab/calibration/measure"
	"confab/schemas"
)

// Judge decides about rows. The fields are required.
type Judge struct {
	Calibration measure.Calibrated
	Stamp       func(f *schemas.Flag) // sets the alert and the recommendation, as alerting.Policy does
}

// Result is what a judge says about one row.
type Result struct {
	Row            *measure.Row
	ID             string // of the interaction, or "row N" by its place among the measured ones
	Index          int    // of the row
	Rules          []Rule // one per signal
	Fired          []string
	Risk           float64 // NaN if unknown
	Alert          bool
	Recommendation schemas.Recommendation
}

// Rule is the outcome of one detector.
type Rule struct {
	Detector         string
	Outcome          schemas.Outcome
	Score, Threshold float64 // NaN without one
	Reason           string  // why there is no score
}

// JudgeRows returns one result per row, in their order. Rules fire as in the tables of a quality report.
func JudgeRows(rows []measure.Row, j Judge) []Result {
	results := make([]Result, len(rows))
	for i := range rows {
		results[i] = j.judge(&rows[i], i)
	}
	return results
}

func (j *Judge) judge(r *measure.Row, index int) Result {
	result := Result{Row: r, ID: r.ID, Index: index, Risk: math.NaN(), Rules: make([]Rule, len(r.Signals))}
	if r.ID == "" {
		result.ID = fmt.Sprintf("row %d", index+1)
	}
	f := schemas.Flag{Tenant: r.Tenant, Operation: r.Operation}
	for i := range r.Signals {
		s := &r.Signals[i]
		rule := Rule{Detector: s.Detector, Outcome: s.Outcome, Score: math.NaN(), Threshold: math.NaN(), Reason: s.Reason}
		at, armed := j.Calibration.Threshold(s.Detector, r.Tenant, r.Operation, r.Model)
		if armed {
			rule.Threshold = at
		}
		if s.HasScore {
			rule.Score = s.Score
			rule.Outcome = outcomeOf(r.FiredBy(j.Calibration, i), armed)
		}
		if rule.Outcome == schemas.Fired {
			result.Fired = append(result.Fired, s.Detector)
		}
		result.Rules[i] = rule
	}
	f.Fired = result.Fired
	if p, ok := r.Risk(j.Calibration); ok {
		result.Risk = p
		f.Risk = &p
	}
	j.Stamp(&f)
	if f.Risk != nil && *f.Risk < r.MinRisk { // the minimum of the row's fold
		if f.Alert = false; f.Recommendation == schemas.Block {
			f.Recommendation = schemas.Recommend
		}
	}
	result.Alert, result.Recommendation = f.Alert, f.Recommendation
	return result
}

// outcomeOf is the outcome of a rule with a score.
func outcomeOf(fired, armed bool) schemas.Outcome {
	switch {
	case fired:
		return schemas.Fired
	case armed:
		return schemas.Clear
	}
	return schemas.Skipped
}

// Label is 1 for a faulty answer, else 0.
func (r *Result) Label() int {
	if r.Row.Positive {
		return 1
	}
	return 0
}
