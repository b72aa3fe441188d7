package ui

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"confab/alerting"
	"confab/alerting/card"
	"confab/calibration/draw"
	"confab/schemas"
	"confab/schemas/json"
)

// store holds the last flags, with the labels of their incidents, in memory. It is safe for concurrent use.
type store struct {
	limit int      // flags
	bytes int64    // limit of what it holds
	deep  []string // names of the detectors that ask language models
	now   func() time.Time

	policy *alerting.Policy // the alert rule

	mu        sync.RWMutex
	visible   bool     // marks of forgotten incidents were read, so flags may be shown
	rows      []*entry // the oldest first
	incidents map[string]*incident
	held      int64 // size of rows
	forgotten map[string]bool
	marks     []string // of forgotten incidents, the oldest first
}

// entry is a flag that is held.
type entry struct {
	row

	json []byte
}

// incident is what is held of an incident that has a flag.
type incident struct {
	fast, deep *entry
	labels     []schemas.Feedback // of each person the last one, the oldest first
}

// Bounds of what is held. The oldest flags go first.
const (
	maxHeldBytes = 192 << 20
	maxMarks     = 100_000 // incidents that stay forgotten if their flags are written again
	maxPeople    = 16      // whose labels of one incident are kept
	maxRowText   = 256     // bytes of a text in lists
	maxRowFired  = 16
	fixedBytes   = 4 << 10 // of a flag without its JSON: about the most of its row, and of the labels of its incident
)

func newStore(limit int, deep []string, policy *alerting.Policy, now func() time.Time) *store {
	s := &store{limit: limit, bytes: maxHeldBytes, deep: deep, policy: policy, now: now}
	s.reset()
	return s
}

// reset removes everything, and shows nothing until show.
func (s *store) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visible, s.rows, s.held, s.marks = false, nil, 0, nil
	s.incidents, s.forgotten = map[string]*incident{}, map[string]bool{}
}

// show makes what is held visible.
func (s *store) show() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visible = true
}

// oldest is the time of the oldest flag, and whether older ones were left out for their number or size.
func (s *store) oldest() (at time.Time, full bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if len(s.rows) == 0 {
		return at, false
	}
	return s.rows[0].At, len(s.rows) >= s.limit || s.held > s.bytes*9/10
}

// row is the summary of one flag, as lists need it.
type row struct {
	At        time.Time // of its record in llm.incidents, not after the moment of reading it
	Incident  string
	Pass      schemas.Pass
	Verdict   schemas.HumanVerdict // of the latest label; "" without one
	Alert     bool
	Unchecked bool    // nothing of the answer was measured
	Sampled   bool    // chosen for deep evaluation
	Judged    bool    // a deep detector fired or is clear
	Risk      float64 // -1 if unknown
	Chance    float64 // of being sampled; 0 if unknown

	JudgedWrong bool              // a deep detector fired
	Attributes  map[string]string // of sampled answers

	Tenant, Service, Operation, Model string
	Interaction, Trace                string
	Recommendation                    schemas.Recommendation
	SampleReason                      string
	Question                          string
	Fired                             []string
	Judge                             *schemas.Judged // nil: no judge has read the answer
	Draw                              draw.Answer     // to label
}

// newRow summarises a flag. It shares no memory with the flag.
func (s *store) newRow(f *schemas.Flag, at time.Time) row {
	r := row{
		Judge: f.Judged(), Draw: s.drawn(f), At: at, Incident: strings.Clone(f.IncidentID), Pass: schemas.PassFast, Alert: f.Alert, Unchecked: true, Risk: -1, Sampled: f.Sampled, Chance: f.SampleProbability,
		Tenant:         strings.Clone(f.Tenant), // access is decided by the whole name
		Recommendation: schemas.Recommendation(cutRow(string(f.Recommendation))), Service: cutRow(f.Service), Operation: cutRow(f.Operation), Model: cutRow(f.Model),
		Interaction: cutRow(f.InteractionID), Trace: cutRow(f.TraceID), SampleReason: cutRow(f.SampleReason), Question: cutRow(f.Question),
	}
	for _, name := range f.Fired[:min(len(f.Fired), maxRowFired)] {
		r.Fired = append(r.Fired, cutRow(name))
	}
	if f.Pass == schemas.PassDeep {
		r.Pass = schemas.PassDeep
		r.keepAttributes(f)
	}
	if f.Risk != nil && !math.IsNaN(*f.Risk) {
		r.Risk = *f.Risk
	}
	s.readSignals(f, &r)
	return r
}

// readSignals says whether anything measured the answer, and what a judge said.
func (s *store) readSignals(f *schemas.Flag, r *row) {
	for i := range f.Signals {
		if o := f.Signals[i].Outcome; o == schemas.Fired || o == schemas.Clear {
			r.Unchecked = false
			deep := slices.Contains(s.deep, f.Signals[i].Detector)
			r.Judged, r.JudgedWrong = r.Judged || deep, r.JudgedWrong || deep && o == schemas.Fired
		}
	}
	r.Unchecked = len(r.Fired) == 0 && (r.Unchecked || f.Checked == schemas.CheckedNone)
}

// maxAttributes bounds the attributes of a row.
const maxAttributes = 8

// keepAttributes keeps the first ones of a sampled answer.
func (r *row) keepAttributes(f *schemas.Flag) {
	if !f.Sampled || len(f.Attributes) == 0 {
		return
	}
	r.Attributes = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(f.Attributes)) {
		if len(r.Attributes) < maxAttributes {
			r.Attributes[cutRow(name)] = cutRow(f.Attributes[name])
		}
	}
}

func cutRow(s string) string { return strings.Clone(s[:min(len(s), maxRowText)]) }

// compare orders rows: the older one first.
func (r *row) compare(o *row) int {
	return cmp.Or(r.At.Compare(o.At), cmp.Compare(r.Incident, o.Incident), cmp.Compare(r.Pass, o.Pass))
}

func (e *entry) bytes() int64 { return int64(len(e.json)) + fixedBytes }

// pass is where the flag of a pass is held.
func (in *incident) pass(p schemas.Pass) **entry {
	if p == schemas.PassDeep {
		return &in.deep
	}
	return &in.fast
}

// verdict is that of the latest label.
func (in *incident) verdict() (v schemas.HumanVerdict) {
	if n := len(in.labels); n > 0 {
		v = in.labels[n-1].Verdict
	}
	return v
}

// wants reports whether a flag of that time would be held.
func (s *store) wants(at time.Time) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.rows) < s.limit || at.After(s.rows[0].At)
}

// addFlag holds a flag. What is invalid, known or forgotten is left out.
func (s *store) addFlag(f *schemas.Flag, at time.Time) error {
	if !card.IsIncidentID(f.IncidentID) {
		return nil
	}
	text, err := json.AppendFlag(nil, f)
	if err != nil {
		return fmt.Errorf("keep flag: %w", err)
	}
	if now := s.now(); at.After(now) {
		at = now
	}
	e := &entry{row: s.newRow(f, at.UTC().Truncate(time.Millisecond)), json: slices.Clip(text)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if in := s.incidents[e.Incident]; s.forgotten[e.Incident] || in != nil && *in.pass(e.Pass) != nil {
		return nil
	}
	i, _ := slices.BinarySearchFunc(s.rows, e, func(a, b *entry) int { return a.compare(&b.row) })
	s.rows = slices.Insert(s.rows, i, e)
	in := s.incidents[e.Incident]
	if in == nil {
		in = new(incident)
		s.incidents[e.Incident] = in
	}
	*in.pass(e.Pass), e.Verdict = e, in.verdict()
	s.held += e.bytes()
	s.trim()
	return nil
}

// addLabel keeps the latest label of a person, or forgets the incident. Labels of incidents without a flag are left out: flags are
// read first.
func (s *store) addLabel(l *schemas.Feedback) {
	if !card.IsIncidentID(l.IncidentID) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l.Verdict == schemas.Forgotten {
		s.forget(l.IncidentID)
		return
	}
	in := s.incidents[l.IncidentID]
	if in == nil || !slices.Contains(schemas.HumanVerdicts(), l.Verdict) {
		return
	}
	kept := schemas.Feedback{
		IncidentID: strings.Clone(l.IncidentID), Verdict: l.Verdict, User: strings.Clone(cutRunes(l.User, maxPerson)), Source: l.Source, At: l.At,
		Comment: strings.Clone(cutRunes(l.Comment, maxComment)),
	}
	at := slices.IndexFunc(in.labels, func(k schemas.Feedback) bool { return k.User == kept.User })
	switch {
	case at >= 0 && kept.At.After(in.labels[at].At):
		in.labels[at] = kept
	case at < 0 && len(in.labels) < maxPeople:
		in.labels = append(in.labels, kept)
	}
	slices.SortStableFunc(in.labels, func(a, b schemas.Feedback) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.User, b.User)) })
	for _, e := range []*entry{in.fast, in.deep} {
		if e != nil {
			e.Verdict = in.verdict()
		}
	}
}

// forget removes everything about an incident. Flags of it that are read later are left out.
func (s *store) forget(id string) {
	s.rows = slices.DeleteFunc(s.rows, func(e *entry) bool {
		if e.Incident == id {
			s.held -= e.bytes()
		}
		return e.Incident == id
	})
	delete(s.incidents, id)
	if s.forgotten[id] {
		return
	}
	id = strings.Clone(id)
	s.forgotten[id] = true
	if s.marks = append(s.marks, id); len(s.marks) > maxMarks {
		delete(s.forgotten, s.marks[0])
		s.marks = s.marks[1:]
	}
}

// trim applies the bounds.
func (s *store) trim() {
	n := 0
	for ; n < len(s.rows) && (len(s.rows)-n > s.limit || s.held > s.bytes); n++ {
		e := s.rows[n]
		s.held -= e.bytes()
		in := s.incidents[e.Incident]
		if *in.pass(e.Pass) = nil; in.fast == nil && in.deep == nil {
			delete(s.incidents, e.Incident)
		}
	}
	s.rows = slices.Delete(s.rows, 0, n)
}
