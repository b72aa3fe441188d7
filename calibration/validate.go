package calibration

import (
	"fmt"
	"math"

	"confab/detectors/confidence"
	"confab/internal/strictyaml"
)

// validator collects problems of a file that has the right keys and types.
type validator struct{ problems []strictyaml.Problem }

func (f *File) validate() []strictyaml.Problem {
	v := new(validator)
	if f.Format != Format {
		v.report("format", "%s", formatMessage(f.Format))
		return v.problems
	}
	if f.ID == "" {
		v.report("id", "is missing: flags carry it; write the date and a fingerprint of the data")
	}
	v.checkCount("data.rows", f.Data.Rows)
	v.checkCount("data.positives", f.Data.Positives)
	if f.Data.Positives > f.Data.Rows {
		v.report("data.positives", "%d exceeds the %d rows", f.Data.Positives, f.Data.Rows)
	}
	v.checkThresholds(f.Thresholds)
	v.checkBaselines(f.Baselines)
	v.checkRisks(f.Risk)
	v.checkAlert(f.Alert)
	v.checkRule(f.Rule)
	return v.problems
}

func formatMessage(format int) string {
	if format > Format {
		return fmt.Sprintf("%d is newer than this binary reads (%d): upgrade confab, or write the file again with this version", format, Format)
	}
	if format == 0 {
		return fmt.Sprintf("is missing or 0: this binary reads format %d; write the file with confab tune", Format)
	}
	return fmt.Sprintf("is %d: this binary reads format %d", format, Format)
}

func (v *validator) checkThresholds(rows []Threshold) {
	seen := make(map[ThresholdKey]int, len(rows))
	for i, t := range rows {
		field := fmt.Sprintf("thresholds[%d]", i)
		if t.Detector == "" {
			v.report(field+".detector", "is missing: name the detector the threshold is for")
		}
		v.checkShare(field+".threshold", t.Threshold)
		v.checkShare(field+".precision", t.Precision)
		v.checkShare(field+".precision_low", t.PrecisionLow)
		v.checkShare(field+".recall", t.Recall)
		v.checkShare(field+".false_alarms", t.FalseAlarms)
		v.checkShare(field+".false_alarms_high", t.FalseAlarmsHigh)
		v.checkShare(field+".prior", t.Prior)
		v.checkCount(field+".n", t.N)
		key := t.Key()
		if first, twice := seen[key]; twice {
			v.report(field, "has the detector, tenant, operation and model of thresholds[%d]: keep one of them", first)
			continue
		}
		seen[key] = i
	}
}

func (v *validator) checkBaselines(rows []Baseline) {
	seen := make(map[baselineKey]int, len(rows))
	for i, b := range rows {
		field := fmt.Sprintf("baselines[%d]", i)
		if b.Model == "" {
			v.report(field+".model", "is missing: a baseline holds for one model, name it as the provider reports it")
		}
		v.checkEntropy(field+".mean", b.Mean)
		v.checkEntropy(field+".stdev", b.Stdev)
		v.checkEntropy(field+".peak_mean", b.PeakMean)
		v.checkEntropy(field+".peak_stdev", b.PeakStdev)
		if s := b.Statistic; s != "" && s != confidence.StatisticPeak && s != confidence.StatisticMean {
			v.report(field+".statistic", "%q is not one of peak, mean, or empty for peak", s)
		}
		v.checkCount(field+".n", b.N)
		key := baselineKey{b.Model, b.Operation}
		if first, twice := seen[key]; twice {
			v.report(field, "has the model and operation of baselines[%d]: keep one of them", first)
			continue
		}
		seen[key] = i
	}
}

func (v *validator) checkShare(field string, x float64) {
	if !(x >= 0 && x <= 1) {
		v.report(field, "%v is outside 0 to 1", x)
	}
}

func (v *validator) checkEntropy(field string, x float64) {
	if !(x >= 0) || math.IsInf(x, 1) {
		v.report(field, "%v is not an entropy: write a finite number of nats, 0 or more", x)
	}
}

func (v *validator) checkCount(field string, n int) {
	if n < 0 {
		v.report(field, "%d is negative", n)
	}
}

func (v *validator) report(field, format string, args ...any) {
	v.problems = append(v.problems, strictyaml.Problem{Path: field, Message: fmt.Sprintf(format, args...)})
}
