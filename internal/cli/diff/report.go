package diff

import (
	"maps"
	"math"
	"slices"

	"confab/schemas"
)

// Report is the result of a comparison.
type Report struct {
	A Side `json:"a"`
	B Side `json:"b"`

	Compared       int `json:"compared"` // rows that both sides have
	Equal          int `json:"equal"`
	Changed        int `json:"changed"`
	ThresholdsOnly int `json:"changed_thresholds_only"` // those of Changed in which nothing but thresholds differs
	Appeared       int `json:"appeared"`                // only B has them
	Vanished       int `json:"vanished"`                // only A has them

	Alerts      AlertChanges   `json:"alerts"`
	ChangedRows map[Aspect]int `json:"changed_rows"` // rows that differ, by aspect
	Risk        Movement       `json:"risk"`         // of the common rows
	Detectors   []Detector     `json:"detectors"`    // of the common rows, by name
	Worst       []Row          `json:"rows"`         // worst first

	detectors map[string]*Detector
}

// Side is one set of flags.
type Side struct {
	Name          string  `json:"name"`
	Rows          int     `json:"rows"`     // without repeats
	Repeated      int     `json:"repeated"` // flags of an incident and pass that an earlier line has
	Alerts        int     `json:"alerts"`
	AlertsPer1000 float64 `json:"alerts_per_1000"`
}

// AlertChanges are alerts that one side has only, those of missing rows included: B.Alerts = A.Alerts + Gained - Lost.
type AlertChanges struct {
	Gained        int     `json:"gained"`
	Lost          int     `json:"lost"`
	GainedPer1000 float64 `json:"gained_per_1000"` // of the rows of B
	LostPer1000   float64 `json:"lost_per_1000"`   // of the rows of A
}

// Movement says how far a number moved from A to B.
type Movement struct {
	Rows    int     `json:"rows"`    // a score: measured on at least one side; a risk: given on both
	Changed int     `json:"changed"` // moved, or one side has no risk
	Mean    float64 `json:"mean"`    // of B - A over Rows; 0 without rows
	Largest float64 `json:"largest"` // of |B - A|
}

func (m *Movement) add(delta float64) {
	m.Rows++
	m.Mean += delta // the sum, until finish
	m.Largest = max(m.Largest, math.Abs(delta))
}

// Detector compares one detector over the common rows.
type Detector struct {
	Name      string `json:"detector"`
	FiredA    int    `json:"fired_a"`
	FiredB    int    `json:"fired_b"`
	FiredBoth int    `json:"fired_both"`

	Outcomes   map[string]map[string]int `json:"outcomes"` // rows by outcome in A, then in B; "absent" without a signal
	Score      Movement                  `json:"score"`
	Thresholds int                       `json:"thresholds_changed"`
	Spans      int                       `json:"spans_changed"`
}

// add adds a row, of which one side may be nil.
func (r *Report) add(key rowKey, a, b *flagRecord) {
	all := changes(a, b)
	switch {
	case a == nil:
		r.Appeared++
	case b == nil:
		r.Vanished++
	default:
		r.addPair(a, b, all)
	}
	counted := map[Aspect]bool{}
	for i := range all {
		if c := &all[i]; !counted[c.Aspect] {
			counted[c.Aspect] = true
			r.ChangedRows[c.Aspect]++
		}
		r.addChange(&all[i])
	}
	if len(all) > 0 {
		r.Worst = append(r.Worst, newRow(key, a, b, all))
	}
}

func (r *Report) addPair(a, b *flagRecord, all []Change) {
	r.Compared++
	switch {
	case len(all) == 0:
		r.Equal++
	case !slices.ContainsFunc(all, func(c Change) bool { return c.Aspect != Threshold }):
		r.ThresholdsOnly++
		fallthrough
	default:
		r.Changed++
	}
	if a.risk != nil && b.risk != nil {
		r.Risk.add(*b.risk - *a.risk)
	}
	for _, name := range detectorsOf(a, b) {
		r.detector(name).add(signalOf(a.signals, name), signalOf(b.signals, name))
	}
}

func (r *Report) addChange(c *Change) {
	switch c.Aspect {
	case Alert:
		if c.To == true {
			r.Alerts.Gained++
		} else {
			r.Alerts.Lost++
		}
	case Risk:
		r.Risk.Changed++
	case Score:
		r.detector(c.Detector).Score.Changed++
	case Threshold:
		r.detector(c.Detector).Thresholds++
	case Spans:
		r.detector(c.Detector).Spans++
	default: // counted by row only; outcomes are in the matrix
	}
}

// add adds the signals of a row.
func (d *Detector) add(a, b flagSignal) {
	if d.Outcomes[a.outcome] == nil {
		d.Outcomes[a.outcome] = map[string]int{}
	}
	d.Outcomes[a.outcome][b.outcome]++
	if a.hasScore() || b.hasScore() || a.score != b.score {
		d.Score.add(b.score - a.score)
	}
	firedA, firedB := a.outcome == string(schemas.Fired), b.outcome == string(schemas.Fired)
	if firedA {
		d.FiredA++
	}
	if firedB {
		d.FiredB++
	}
	if firedA && firedB {
		d.FiredBoth++
	}
}

func (r *Report) detector(name string) *Detector {
	if r.detectors[name] == nil {
		r.detectors[name] = &Detector{Name: name, Outcomes: map[string]map[string]int{}}
	}
	return r.detectors[name]
}

// finish computes what follows from the counts, and keeps the worst rows.
func (r *Report) finish(worst int) {
	per1000 := func(n, of int) float64 { return 1000 * float64(n) / float64(of) }
	r.A.AlertsPer1000, r.B.AlertsPer1000 = per1000(r.A.Alerts, r.A.Rows), per1000(r.B.Alerts, r.B.Rows)
	r.Alerts.GainedPer1000, r.Alerts.LostPer1000 = per1000(r.Alerts.Gained, r.B.Rows), per1000(r.Alerts.Lost, r.A.Rows)
	r.Risk.Mean /= float64(max(1, r.Risk.Rows))
	r.Detectors = []Detector{}
	for _, name := range slices.Sorted(maps.Keys(r.detectors)) {
		d := r.detectors[name]
		d.Score.Mean /= float64(max(1, d.Score.Rows))
		r.Detectors = append(r.Detectors, *d)
	}
	slices.SortFunc(r.Worst, compareRows)
	r.Worst = append([]Row{}, r.Worst[:min(worst, len(r.Worst))]...)
}
