package diff

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

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

func (s *Side) count(r *flagRecord) {
	s.Rows++
	if r.alert {
		s.Alerts++
	}
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
	Changed int     `json:"changed"` // moved by more than the tolerance, or one side has no risk
	Mean    float64 `json:"mean"`    // of B - A over Rows; 0 without rows
	Largest float64 `json:"largest"` // of |B - A|

	sum float64
}

func (m *Movement) add(delta float64) {
	m.Rows++
	m.sum += delta
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
	Texts      int                       `json:"texts_changed"`
}

func newReport(a, b string) *Report {
	return &Report{
		A: Side{Name: a}, B: Side{Name: b}, Worst: []Row{},
		ChangedRows: map[Aspect]int{}, detectors: map[string]*Detector{},
	}
}

func (r *Report) addPair(a, b *flagRecord, changes []Change) {
	r.Compared++
	switch {
	case len(changes) == 0:
		r.Equal++
	case !slices.ContainsFunc(changes, func(c Change) bool { return c.Aspect != Threshold }):
		r.ThresholdsOnly++
		fallthrough
	default:
		r.Changed++
	}
	if a.risk != nil && b.risk != nil {
		r.Risk.add(*b.risk - *a.risk)
	}
	for x, y := range alignSignals(a.signals, b.signals) {
		r.addSignals(x, y)
	}
	r.addChanges(changes)
}

func (r *Report) addMissing(a *flagRecord, changes []Change) {
	if a == nil {
		r.Appeared++
	} else {
		r.Vanished++
	}
	r.addChanges(changes)
}

// addChanges counts a row once for each aspect in which it differs.
func (r *Report) addChanges(changes []Change) {
	counted := map[Aspect]bool{}
	for _, c := range changes {
		if !counted[c.Aspect] {
			counted[c.Aspect] = true
			r.ChangedRows[c.Aspect]++
		}
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
		case Texts:
			r.detector(c.Detector).Texts++
		default: // counted by row only; outcomes are in the matrix
		}
	}
}

// addSignals adds two signals of one detector, of which one may be nil.
func (r *Report) addSignals(a, b *flagSignal) {
	some, score := a, 0.0
	if a == nil {
		some = b
	} else {
		score = -a.score
	}
	if b != nil {
		score += b.score
	}
	d := r.detector(some.detector)
	from, to := outcomeOf(a), outcomeOf(b)
	if d.Outcomes[from] == nil {
		d.Outcomes[from] = map[string]int{}
	}
	d.Outcomes[from][to]++
	if hasScore(a) || hasScore(b) || score != 0 {
		d.Score.add(score)
	}
	firedA, firedB := from == string(schemas.Fired), to == string(schemas.Fired)
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

// finish computes what follows from the counts.
func (r *Report) finish() {
	r.A.AlertsPer1000, r.B.AlertsPer1000 = per1000(r.A.Alerts, r.A.Rows), per1000(r.B.Alerts, r.B.Rows)
	r.Alerts.GainedPer1000, r.Alerts.LostPer1000 = per1000(r.Alerts.Gained, r.B.Rows), per1000(r.Alerts.Lost, r.A.Rows)
	r.Risk.Mean = meanOf(r.Risk)
	r.Detectors = []Detector{}
	for _, name := range slices.Sorted(maps.Keys(r.detectors)) {
		d := r.detectors[name]
		d.Score.Mean = meanOf(d.Score)
		r.Detectors = append(r.Detectors, *d)
	}
}

func per1000(n, of int) float64 { return 1000 * float64(n) / float64(of) }

func meanOf(m Movement) float64 { return m.sum / float64(max(1, m.Rows)) }

// Condition is a kind of change on which a caller may fail.
type Condition string

// The conditions. AnyChange includes those that no other condition covers: thresholds and, where compared, texts.
const (
	AnyChange     Condition = "any"
	AlertChange   Condition = "alerts"
	OutcomeChange Condition = "outcomes" // an outcome, a fired set or a recommendation
	ScoreChange   Condition = "scores"
	RiskChange    Condition = "risk"
	SpanChange    Condition = "spans"
	MissingRow    Condition = "missing"
)

// Conditions lists every condition.
func Conditions() []Condition {
	return []Condition{AnyChange, AlertChange, OutcomeChange, ScoreChange, RiskChange, SpanChange, MissingRow}
}

// ParseConditions reads the names of conditions.
func ParseConditions(names []string) ([]Condition, error) {
	var all []Condition
	for _, name := range names {
		c := Condition(strings.TrimSpace(name))
		if !slices.Contains(Conditions(), c) {
			return nil, fmt.Errorf("%q: expected a comma-separated list of %v", name, Conditions())
		}
		all = append(all, c)
	}
	return all, nil
}

// Holds reports whether a row has such a change.
func (r *Report) Holds(c Condition) bool {
	var rows int
	switch c {
	case AlertChange:
		rows = r.ChangedRows[Alert]
	case OutcomeChange:
		rows = r.ChangedRows[Outcome] + r.ChangedRows[FiredSet] + r.ChangedRows[Recommendation]
	case ScoreChange:
		rows = r.ChangedRows[Score]
	case RiskChange:
		rows = r.ChangedRows[Risk]
	case SpanChange:
		rows = r.ChangedRows[Spans]
	case MissingRow:
		rows = r.Appeared + r.Vanished
	default:
		rows = r.Changed + r.Appeared + r.Vanished
	}
	return rows > 0
}
