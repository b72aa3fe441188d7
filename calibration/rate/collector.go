package rate

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/calibration/roc"
	"confab/schemas"
)

// Dimensions are the fields that estimates may be split by.
func Dimensions() []string { return []string{"service", "model", "tenant", "operation", "provider"} }

// Collector collects the sample from flags and labels. Repeated records change nothing.
type Collector struct {
	by    []string
	deep  map[string]bool
	seen  map[string]*answer
	limit int

	unsampled map[string]bool // labelled incidents, by whether they are known; those that are not in the sample
}

// answer is a sampled answer.
type answer struct {
	key         string // values of the dimensions, separated by \x00
	probability float64
	judged      bool // by a deep detector
	fired       bool // one of them
	label       schemas.HumanVerdict
	labelled    time.Time
}

// maxAnswers bounds the sampled answers in memory.
const maxAnswers = 5_000_000

// leastProbability is below every useful one. Squares of its inverse are far from infinite.
const leastProbability = 1e-9

// NewCollector makes a collector that splits by the dimensions. deepDetectors are those whose verdicts count.
func NewCollector(by, deepDetectors []string) (*Collector, error) {
	c := &Collector{by: by, deep: make(map[string]bool), seen: make(map[string]*answer), limit: maxAnswers, unsampled: make(map[string]bool)}
	for _, name := range by {
		if !slices.Contains(Dimensions(), name) {
			return nil, fmt.Errorf("unknown dimension %q: known are %s", name, strings.Join(Dimensions(), ", "))
		}
	}
	for _, name := range deepDetectors {
		c.deep[name] = true
	}
	return c, nil
}

// AddFlag adds a flag. Only sampled answers with a sound probability count. The error is that there are too many.
func (c *Collector) AddFlag(f *schemas.Flag) error {
	if !f.Sampled || !(f.SampleProbability >= leastProbability && f.SampleProbability <= 1) { // also not a number
		return nil
	}
	a := c.seen[f.IncidentID]
	if a == nil {
		if len(c.seen) >= c.limit {
			return fmt.Errorf("more than %d sampled answers: ask for a shorter time", c.limit)
		}
		a = &answer{key: c.keyOf(f), probability: f.SampleProbability}
		c.seen[strings.Clone(f.IncidentID)] = a
	}
	if f.Pass != schemas.PassDeep {
		return nil
	}
	a.judged, a.fired = false, false // of several deep flags of an incident the last one counts
	for i := range f.Signals {
		s := &f.Signals[i]
		if !c.deep[s.Detector] {
			continue
		}
		a.judged = a.judged || s.Outcome == schemas.Fired || s.Outcome == schemas.Clear
		a.fired = a.fired || s.Outcome == schemas.Fired
	}
	return nil
}

// AddLabel adds a person's label, after all flags. Of several labels of an incident the last one counts. Labels of answers
// that were not sampled do not count: people label what alerts.
func (c *Collector) AddLabel(l *schemas.Feedback) {
	a := c.seen[l.IncidentID]
	if l.Verdict == schemas.Forgotten {
		delete(c.unsampled, l.IncidentID)
		if a != nil {
			a.label, a.labelled = "", time.Time{}
		}
	}
	if !slices.Contains(schemas.HumanVerdicts(), l.Verdict) {
		return // of another writer: it says neither
	}
	if a == nil {
		c.unsampled[l.IncidentID] = true
		return
	}
	if a.label == "" || !l.At.Before(a.labelled) {
		a.label, a.labelled = l.Verdict, l.At
	}
}

// Row is the estimate of one group of answers.
type Row struct {
	Estimate

	Values   []string // of the dimensions
	Labelled int      // judged answers whose verdict is a person's
	Unjudged int      // sampled answers without a verdict
	Missing  float64  // share of the sampled traffic that they stand for
}

// MaxMissing is the share of answers without a verdict from which on an estimate is conditional.
const MaxMissing = 0.1

// Conditional reports that so many sampled answers have no verdict that the rate is that of the judged ones only.
func (r *Row) Conditional() bool { return r.Missing > MaxMissing }

// Result is what a sample says.
type Result struct {
	By        []string
	Rows      []Row // by traffic, most first
	Total     Row
	Unsampled int // labels of answers that were not sampled
}

// Result returns the estimates.
func (c *Collector) Result() Result {
	groups := map[string]*group{}
	var total group
	for _, id := range slices.Sorted(maps.Keys(c.seen)) { // so that sums are the same each time
		a := c.seen[id]
		if groups[a.key] == nil {
			groups[a.key] = &group{}
		}
		groups[a.key].add(a)
		total.add(a)
	}
	res := Result{By: c.by, Unsampled: len(c.unsampled), Total: total.estimate()}
	for key, g := range groups {
		row := g.estimate()
		row.Values = strings.Split(key, "\x00")
		res.Rows = append(res.Rows, row)
	}
	slices.SortFunc(res.Rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(y.Traffic, x.Traffic), slices.Compare(x.Values, y.Values))
	})
	return res
}

// group are the answers of one row.
type group struct {
	row      Row
	sample   []Observation
	unjudged float64 // answers that those without a verdict stand for
}

func (g *group) add(a *answer) {
	positive, ok := a.verdict()
	if !ok {
		g.row.Unjudged++
		g.unjudged += 1 / a.probability
		return
	}
	if a.label != "" {
		g.row.Labelled++
	}
	g.sample = append(g.sample, Observation{Positive: positive, Probability: a.probability})
}

func (g *group) estimate() Row {
	r := g.row
	r.Estimate = Of(g.sample)
	r.Missing = roc.Ratio(g.unjudged, g.unjudged+r.Traffic)
	return r
}

// verdict is the person's, else that of the deep detectors; false without one.
func (a *answer) verdict() (positive, ok bool) {
	if a.label != "" {
		return a.label == schemas.Wrong, true
	}
	return a.fired, a.judged
}

func (c *Collector) keyOf(f *schemas.Flag) string {
	values := make([]string, len(c.by))
	for i, name := range c.by {
		switch name {
		case "service":
			values[i] = f.Service
		case "model":
			values[i] = f.Model
		case "tenant":
			values[i] = f.Tenant
		case "operation":
			values[i] = f.Operation
		case "provider":
			values[i] = f.Provider
		}
	}
	return strings.Join(values, "\x00")
}
