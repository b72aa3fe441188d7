package calibrate

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"confab/calibration/measure"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/schemas"
)

// ErrTooManyIncidents says that more incidents were recorded than the store holds.
var ErrTooManyIncidents = errors.New("too many incidents")

// incidentStore counts recorded incidents and keeps the flags of labelled ones. Labels must be added before flags. It
// is not safe for concurrent use.
type incidentStore struct {
	limit    int
	tenants  map[string]uint32 // number from 1, in order of arrival
	recorded map[incidentKey]incidentRecord
	labels   map[string]map[string]schemas.Feedback // by incident and user: the user's last label
	flags    map[string][2]*schemas.Flag            // of labelled incidents: fast, deep
}

type incidentKey [16]byte

type incidentRecord struct {
	sampleProbability float32 // of the deep evaluation
	tenant            uint32
	fast              bool
	deep              bool
	alert             bool
	anyFired          bool // in either pass
}

// newIncidentStore makes a store of at most limit incidents, about 100 bytes each.
func newIncidentStore(limit int) *incidentStore {
	return &incidentStore{
		limit: limit, tenants: map[string]uint32{}, recorded: map[incidentKey]incidentRecord{},
		labels: map[string]map[string]schemas.Feedback{}, flags: map[string][2]*schemas.Flag{},
	}
}

// AddLabel adds a label. Of several labels of one person for one incident the last counts.
func (c *incidentStore) AddLabel(l schemas.Feedback) {
	if l.Verdict == schemas.Forgotten {
		delete(c.labels, l.IncidentID)
	}
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

// AddFlag adds a flag. A deep flag replaces a fast one; a repeated flag changes nothing.
func (c *incidentStore) AddFlag(f *schemas.Flag) error {
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

func (c *incidentStore) tenant(name string) uint32 {
	n, known := c.tenants[name]
	if !known {
		n = uint32(len(c.tenants) + 1)
		c.tenants[strings.Clone(name)] = n
	}
	return n
}

// withoutEvidence copies the flag without text of the answer.
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

// recordProbability is the probability that such an answer is recorded: 1 where the fast pass wrote a flag, else the
// sampling probability; 0 where it is unknown.
func (r *incidentRecord) recordProbability() float64 {
	if r.fast {
		return 1
	}
	return float64(r.sampleProbability)
}

// labelledIncident is a labelled incident with its retained flags.
type labelledIncident struct {
	IncidentID string
	Fast, Deep *schemas.Flag // without evidence; one of them may be nil
	Positive   bool          // the last label says wrong
	Stratum    measure.Stratum
	Weight     float64 // answers that it stands for

	record incidentRecord
}

// FinalFlag is the deep flag, or else the fast one.
func (s *labelledIncident) FinalFlag() *schemas.Flag { return cmp.Or(s.Deep, s.Fast) }

// stratumCount counts the incidents of a stratum.
type stratumCount struct {
	Recorded  int     // incidents
	Answers   float64 // sum of 1/probability
	Labelled  int
	Positives int
}

// weightedLabels are human labels joined with recorded incidents.
type weightedLabels struct {
	Incidents []labelledIncident // by incident id
	Strata    [measure.NumStrata]stratumCount

	Expired            int // labelled incidents without a retained flag
	UnknownProbability int // sampled incidents without a recorded probability; left out
	Uncovered          int // incidents of tenants without a label in that stratum
	People             int
	deepNames          []string
	store              *incidentStore
	ownCells           map[weightCell]bool // cells with their own weight
	perLabel           float64             // mean number of answers per label
	uncoveredShare     float64             // share of the answers that Uncovered stands for
}

// Join joins labels and incidents and computes the weights.
func (c *incidentStore) Join() *weightedLabels {
	fb := &weightedLabels{deepNames: detectors.Names(standard.Deep(standard.Dependencies{})), store: c}
	people := map[string]bool{}
	for id, said := range c.labels {
		var last schemas.Feedback
		for user, l := range said {
			people[user] = true
			if last.IncidentID == "" || cmp.Or(l.At.Compare(last.At), cmp.Compare(l.User, last.User)) > 0 {
				last = l
			}
		}
		pair, found := c.flags[id]
		if !found {
			fb.Expired++
			continue
		}
		sum := sha256.Sum256([]byte(id))
		r := c.recorded[incidentKey(sum[:len(incidentKey{})])]
		if r.recordProbability() == 0 {
			continue
		}
		fb.Incidents = append(fb.Incidents, labelledIncident{
			IncidentID: id, Fast: pair[0], Deep: pair[1], Positive: last.Verdict == schemas.Wrong,
			Stratum: r.stratum(), record: r,
		})
	}
	fb.People = len(people)
	slices.SortFunc(fb.Incidents, func(a, b labelledIncident) int { return cmp.Compare(a.IncidentID, b.IncidentID) })
	fb.countStrata()
	fb.assignWeights()
	return fb
}

func (fb *weightedLabels) countStrata() {
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
