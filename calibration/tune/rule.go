package tune

import "confab/calibration"

// setRule says how often two or more detectors fire on a right answer, and how often they would if they were independent.
func (f *fitRun) setRule() {
	table := calibration.NewThresholdTable(f.file.Thresholds)
	rate, checked := map[string]float64{}, map[string]float64{}
	joint, rows := 0.0, 0
	each := func(a *answer, signal func(name string, fired bool)) {
		for i := range a.row.Signals {
			if s := &a.row.Signals[i]; s.HasScore {
				signal(s.Detector, a.row.FiredBy(table, i))
			}
		}
	}
	for i := range f.root.answers {
		a := &f.root.answers[i]
		fired := 0
		each(a, func(name string, hit bool) {
			checked[name] += a.right
			rate[name] += a.right * float64(boolInt(hit))
			fired += boolInt(hit)
		})
		joint += a.right * float64(boolInt(fired >= 2))
		rows += boolInt(a.weight > 0 && a.right > a.wrong)
	}
	independent := 0.0
	for i := range f.root.answers {
		a := &f.root.answers[i]
		none, one := 1.0, 0.0
		each(a, func(name string, _ bool) {
			p := ratio(rate[name], checked[name]-rate[name])
			none, one = none*(1-p), one*(1-p)+none*p
		})
		independent += a.right * max(0, 1-none-one)
	}
	both := beta{joint, f.root.right - joint}
	f.file.Rule = &calibration.Rule{
		Rows: rows, JointRate: round4(both.mean()), JointHigh: round4(both.quantile(0.975)), Independence: round4(independent / f.root.right),
	}
}
