package feedback

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"confab/calibration/measure"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/schemas"
)

// ErrTooManyIncidents says that more incidents were recorded than a census holds.
var ErrTooManyIncidents = errors.New("too many incidents")

// IncidentStore counts recorded incidents and puts what people said of them beside. Labels must be added before flags. It is for
// one goroutine.
type IncidentStore struct {
	limit    int
	names    []string // of detectors, by bit
	bits     map[string]uint64
	tenants  map[string]uint32 // numbered from 1 as they come
	recorded map[incidentKey]incidentRecord
	labels   map[string]map[string]schemas.Feedback // by incident and user: what the user said last
	flags    map[string][2]*schemas.Flag            // of labelled incidents: the fast one and the deep one
}

type incidentKey [16]byte

// incidentRecord is what is kept of an incident.
type incidentRecord struct {
	fired             uint64  // detectors, as the verdict that holds says
	sampleProbability float32 // with which its deep look was sampled
	tenant            uint32
	fast              bool
	deep              bool
	alert             bool
	anyFired          bool // something fired, in either pass
}

// NewIncidentStore makes a census of at most limit incidents, some 100 bytes each.
func NewIncidentStore(limit int) *IncidentStore {
	c := &IncidentStore{
		limit: limit, bits: map[string]uint64{}, tenants: map[string]uint32{}, recorded: map[incidentKey]incidentRecord{},
		labels: map[string]map[string]schemas.Feedback{}, flags: map[string][2]*schemas.Flag{},
	}
	c.names = append(detectors.Names(standard.Fast(standard.Dependencies{})), detectors.Names(standard.Deep(standard.Dependencies{}))...)
	for bit, name := range c.names {
		c.bits[name] = 1 << bit
	}
	return c
}

// AddLabel takes a label. Of several that one person gave to one incident the last counts.
func (c *IncidentStore) AddLabel(l schemas.Feedback) {
	if !slices.Contains(schemas.HumanVerdicts(), l.Verdict) {
		return
	}
	said := c.labels[l.IncidentID]
	if said == nil {
		said = map[string]schemas.Feedback{}
		c.labels[l.IncidentID] = said
	}
	if old, known := said[l.User]; !known || !l.At.Before(old.At) {
		said[l.User] = l
	}
}

// AddFlag takes a flag. A deep one outranks a fast one; a repeat changes nothing.
func (c *IncidentStore) AddFlag(f *schemas.Flag) error {
	sum := sha256.Sum256([]byte(f.IncidentID))
	key := incidentKey(sum[:len(incidentKey{})])
	r, known := c.recorded[key]
	if !known && len(c.recorded) == c.limit {
		return fmt.Errorf("%w: more than %d were recorded since then: ask for a shorter time", ErrTooManyIncidents, c.limit)
	}
	if !known {
		r.tenant = c.tenant(f.Tenant)
	}
	deep := f.Pass == schemas.PassDeep
	if deep || !r.deep {
		r.fired = 0
		for _, name := range f.Fired {
			r.fired |= c.bits[name]
		}
	}
	r.anyFired = r.anyFired || len(f.Fired) > 0
	r.alert = r.alert || f.Alert
	if deep {
		r.deep, r.sampleProbability = true, float32(f.SampleProbability)
	} else {
		r.fast = true
	}
	c.recorded[key] = r
	if c.labels[f.IncidentID] != nil {
		pair := c.flags[f.IncidentID]
		pair[boolInt(deep)] = withoutEvidence(f)
		c.flags[f.IncidentID] = pair
	}
	return nil
}

func (c *IncidentStore) tenant(name string) uint32 {
	n, known := c.tenants[name]
	if !known {
		n = uint32(len(c.tenants) + 1)
		c.tenants[strings.Clone(name)] = n
	}
	return n
}

// Recorded is the number of incidents.
func (c *IncidentStore) Recorded() int { return len(c.recorded) }

// withoutEvidence is the flag without any text of the answer.
func withoutEvidence(f *schemas.Flag) *schemas.Flag {
	slim := *f
	slim.Grounding, slim.Attributes = nil, nil
	slim.Signals = slices.Clone(f.Signals)
	for i := range slim.Signals {
		slim.Signals[i].Evidence, slim.Signals[i].Measures, slim.Signals[i].Reason = nil, nil, ""
	}
	return &slim
}

func (r *incidentRecord) stratum() measure.Stratum {
	switch {
	case r.alert:
		return measure.Alerted
	case r.anyFired:
		return measure.Unalerted
	}
	return measure.Quiet
}

// recordProbability is the probability with which an answer like this one is recorded: certain where the cheap pass wrote a flag,
// else that of being sampled; 0 where nobody knows it.
func (r *incidentRecord) recordProbability() float64 {
	if r.fast {
		return 1
	}
	return float64(r.sampleProbability)
}

// LabelledIncident is a labelled incident, with the flags that are retained of it.
type LabelledIncident struct {
	IncidentID string
	Fast, Deep *schemas.Flag // without evidence; one of them may be nil
	Positive   bool          // the last word on it was confirmed
	At         time.Time     // of that word
	Stratum    measure.Stratum
	Weight     float64 // answers of the traffic that it stands for

	record incidentRecord
}

// FinalFlag is the flag whose verdict holds.
func (s *LabelledIncident) FinalFlag() *schemas.Flag { return cmp.Or(s.Deep, s.Fast) }

// StratumCount is what is known of a stratum.
type StratumCount struct {
	Recorded  int     // incidents
	Answers   float64 // that they stand for: the sum of 1/probability
	Labelled  int
	Positives int
}

// WeightedLabels is what people said, joined with what was recorded.
type WeightedLabels struct {
	Incidents []LabelledIncident // by incident id
	Strata    [measure.NumStrata]StratumCount

	Expired            int // labelled incidents of which no flag is retained
	UnknownProbability int // labelled or not: sampled ones whose probability is not recorded; they are left out
	Disputed           int // labelled incidents on which people disagree; the last word counts
	Uncovered          int // incidents of tenants of which, in their stratum, nobody has labelled any
	Clicked            int // labels of incidents that a message showed first, since a button is about that one
	People             int
	deepNames          []string
	store              *IncidentStore
	ownCells           map[weightCell]bool // those weighed by themselves
	ranks              []int               // of tenants by name, by number: no figure depends on the order in which they came
	perLabel           float64             // answers that a label stands for in the mean
	uncoveredShare     float64             // answers that those of Unlike stand for, of all
}

// Join weighs the labels: see [Feedback.Weighed].
func (c *IncidentStore) Join() *WeightedLabels {
	fb := &WeightedLabels{deepNames: detectors.Names(standard.Deep(standard.Dependencies{})), store: c}
	people := map[string]bool{}
	for id, said := range c.labels {
		var last schemas.Feedback
		disputed := false
		for user, l := range said {
			people[user] = true
			disputed = disputed || (last.IncidentID != "" && l.Verdict != last.Verdict)
			if last.IncidentID == "" || cmp.Or(l.At.Compare(last.At), cmp.Compare(l.User, last.User)) > 0 {
				last = l
			}
		}
		pair, found := c.flags[id]
		if !found {
			fb.Expired++
			continue
		}
		fb.Disputed += boolInt(disputed)
		fb.Clicked += boolInt(last.Source == schemas.FromSlack)
		sum := sha256.Sum256([]byte(id))
		r := c.recorded[incidentKey(sum[:len(incidentKey{})])]
		if r.recordProbability() == 0 {
			continue
		}
		fb.Incidents = append(fb.Incidents, LabelledIncident{
			IncidentID: id, Fast: pair[0], Deep: pair[1], Positive: last.Verdict == schemas.Confirmed, At: last.At,
			Stratum: r.stratum(), record: r,
		})
	}
	fb.People = len(people)
	slices.SortFunc(fb.Incidents, func(a, b LabelledIncident) int { return cmp.Compare(a.IncidentID, b.IncidentID) })
	fb.countStrata()
	fb.assignWeights()
	return fb
}

func (fb *WeightedLabels) countStrata() {
	for _, r := range fb.store.recorded {
		if r.recordProbability() == 0 {
			fb.UnknownProbability++
			continue
		}
		n := &fb.Strata[r.stratum()]
		n.Recorded++
		n.Answers += 1 / r.recordProbability()
	}
	for i := range fb.Incidents {
		n := &fb.Strata[fb.Incidents[i].Stratum]
		n.Labelled++
		n.Positives += boolInt(fb.Incidents[i].Positive)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
