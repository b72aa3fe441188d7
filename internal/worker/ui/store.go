package ui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"confab/alerting/card"
	"confab/schemas"
	"confab/schemas/json"
)

// store holds the last flags, with labels and alert states of their incidents, in memory. It is safe for concurrent use.
type store struct {
	limit int      // flags
	bytes int64    // limit of what it holds
	deep  []string // names of the detectors that ask language models
	now   func() time.Time

	mu        sync.RWMutex
	visible   bool     // marks of forgotten incidents were read, so flags may be shown
	rows      []*entry // the oldest first
	incidents map[string]*incident
	orphans   int   // of incidents
	held      int64 // size of incidents
	forgotten map[string]bool
	marks     []string // of forgotten incidents, the oldest first
}

// entry is a flag that is held.
type entry struct {
	row

	json []byte
}

// incident is what is held of an incident. Without flags it is an orphan: a label or state that came before its flag.
type incident struct {
	fast, deep *entry
	labels     []schemas.Feedback // of each person the last one, the oldest first
	alert      *schemas.AlertState
}

// Bounds of what is held. The oldest flags go first.
const (
	maxHeldBytes = 192 << 20
	maxAge       = 30 * 24 * time.Hour
	maxMarks     = 100_000 // incidents that stay forgotten if their flags are written again
	maxPeople    = 16      // whose labels of one incident are kept
	maxRowText   = 256     // bytes of a text in lists
	maxRowFired  = 16
	fixedBytes   = 800 // of an incident, its rows and its alert state, without their texts
)

func newStore(limit int, deep []string, now func() time.Time) *store {
	s := &store{limit: limit, bytes: maxHeldBytes, deep: deep, now: now}
	s.reset()
	return s
}

// reset removes everything, and shows nothing until show.
func (s *store) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visible, s.rows, s.orphans, s.held, s.marks = false, nil, 0, 0, nil
	s.incidents, s.forgotten = map[string]*incident{}, map[string]bool{}
}

// show makes what is held visible.
func (s *store) show() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visible = true
}

// size returns the number of flags, and the bytes of what is held.
func (s *store) size() (flags int, bytes int64) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.rows), s.held
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

	Tenant, Service, Operation, Model string
	Interaction, Trace                string
	Recommendation                    schemas.Recommendation
	SampleReason                      string
	Question                          string
	Fired                             []string
}

// newRow summarises a flag. It shares no memory with the flag.
func (s *store) newRow(f *schemas.Flag, at time.Time) row {
	r := row{
		At: at, Incident: strings.Clone(f.IncidentID), Pass: schemas.PassFast, Alert: f.Alert, Unchecked: true, Risk: -1, Sampled: f.Sampled, Chance: f.SampleProbability,
		Tenant:         strings.Clone(f.Tenant), // access is decided by the whole name
		Recommendation: schemas.Recommendation(cutRow(string(f.Recommendation))), Service: cutRow(f.Service), Operation: cutRow(f.Operation), Model: cutRow(f.Model),
		Interaction: cutRow(f.InteractionID), Trace: cutRow(f.TraceID), SampleReason: cutRow(f.SampleReason), Question: cutRow(f.Question),
	}
	for _, name := range f.Fired[:min(len(f.Fired), maxRowFired)] {
		r.Fired = append(r.Fired, cutRow(name))
	}
	if f.Pass == schemas.PassDeep {
		r.Pass = schemas.PassDeep
	}
	if f.Risk != nil && !math.IsNaN(*f.Risk) {
		r.Risk = *f.Risk
	}
	for i := range f.Signals {
		if o := f.Signals[i].Outcome; o == schemas.Fired || o == schemas.Clear {
			r.Unchecked = false
			r.Judged = r.Judged || slices.Contains(s.deep, f.Signals[i].Detector)
		}
	}
	r.Unchecked = r.Unchecked || f.Checked == schemas.CheckedNone
	return r
}

func cutRow(s string) string { return strings.Clone(s[:min(len(s), maxRowText)]) }

// compare orders rows: the older one first.
func (r *row) compare(o *row) int {
	return cmp.Or(r.At.Compare(o.At), cmp.Compare(r.Incident, o.Incident), cmp.Compare(r.Pass, o.Pass))
}

func (e *entry) bytes() int64 {
	if e == nil {
		return 0
	}
	n := len(e.json) + len(e.Incident) + len(e.Tenant) + len(e.Service) + len(e.Operation) + len(e.Model) + len(e.Interaction) + len(e.Trace) + len(e.Question) + len(e.SampleReason)
	for _, name := range e.Fired {
		n += len(name) + 16
	}
	return int64(n)
}

func (in *incident) bytes() int64 {
	n := fixedBytes + in.fast.bytes() + in.deep.bytes()
	for i := range in.labels {
		n += int64(200 + len(in.labels[i].User) + len(in.labels[i].Comment))
	}
	return n
}

// pass is where the flag of a pass is held.
func (in *incident) pass(p schemas.Pass) **entry {
	if p == schemas.PassDeep {
		return &in.deep
	}
	return &in.fast
}

func (in *incident) isOrphan() bool { return in.fast == nil && in.deep == nil }

func (in *incident) isEmpty() bool { return in.isOrphan() && len(in.labels) == 0 && in.alert == nil }

// count adds an incident to the sums, or takes it from them.
func (s *store) count(in *incident, sign int) {
	s.held += int64(sign) * in.bytes()
	if in.isOrphan() {
		s.orphans += sign
	}
}

// change changes what is held of an incident. What nothing is left of is removed.
func (s *store) change(id string, fn func(in *incident)) {
	in := s.incidents[id]
	if in == nil {
		in = new(incident)
	} else {
		s.count(in, -1)
	}
	fn(in)
	if in.isEmpty() {
		delete(s.incidents, id)
		return
	}
	s.incidents[strings.Clone(id)] = in
	s.count(in, +1)
	verdict := schemas.HumanVerdict("")
	if n := len(in.labels); n > 0 {
		verdict = in.labels[n-1].Verdict
	}
	for _, e := range []*entry{in.fast, in.deep} {
		if e != nil {
			e.Verdict = verdict
		}
	}
}

// wants reports whether a flag of that time would be held.
func (s *store) wants(at time.Time) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.rows) < s.limit || at.After(s.rows[0].At)
}

// addFlag holds a flag. What is invalid, too old, known or forgotten is left out.
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
	s.change(e.Incident, func(in *incident) { *in.pass(e.Pass) = e })
	s.trim()
	return nil
}

// addLabel keeps the latest label of a person, or forgets the incident.
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
	if s.forgotten[l.IncidentID] || !slices.Contains(schemas.HumanVerdicts(), l.Verdict) {
		return
	}
	kept := schemas.Feedback{
		IncidentID: strings.Clone(l.IncidentID), Verdict: l.Verdict, User: strings.Clone(cutRunes(l.User, maxPerson)), Source: l.Source, At: l.At,
		Comment: strings.Clone(cutRunes(l.Comment, maxComment)),
	}
	s.change(kept.IncidentID, func(in *incident) {
		at := slices.IndexFunc(in.labels, func(k schemas.Feedback) bool { return k.User == kept.User })
		switch {
		case at >= 0 && kept.At.After(in.labels[at].At):
			in.labels[at] = kept
		case at < 0 && len(in.labels) < maxPeople:
			in.labels = append(in.labels, kept)
		}
		slices.SortStableFunc(in.labels, func(a, b schemas.Feedback) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.User, b.User)) })
	})
	s.trim()
}

// setAlert keeps the alert state of an incident; nil removes it. Other records of llm.alerts have shorter keys.
func (s *store) setAlert(id string, state *schemas.AlertState) {
	if !card.IsIncidentID(id) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.forgotten[id] {
		s.change(id, func(in *incident) { in.alert = state })
		s.trim()
	}
}

// forget removes everything about an incident. Flags of it that are read later are left out.
func (s *store) forget(id string) {
	if in := s.incidents[id]; in != nil {
		for _, e := range []*entry{in.fast, in.deep} {
			if i := slices.Index(s.rows, e); i >= 0 {
				s.rows = slices.Delete(s.rows, i, i+1)
			}
		}
		s.change(id, func(in *incident) { *in = incident{} })
	}
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

// expire removes what has become too old.
func (s *store) expire() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trim()
}

// trim applies the bounds.
func (s *store) trim() {
	if s.orphans > s.limit || s.held > s.bytes && s.orphans > 0 {
		for id, in := range s.incidents {
			if in.isOrphan() {
				s.change(id, func(in *incident) { *in = incident{} })
			}
		}
	}
	oldest := s.now().Add(-maxAge)
	n := 0
	for ; n < len(s.rows) && (len(s.rows)-n > s.limit || s.held > s.bytes || s.rows[n].At.Before(oldest)); n++ {
		e := s.rows[n]
		s.change(e.Incident, func(in *incident) {
			if *in.pass(e.Pass) = nil; in.isOrphan() {
				*in = incident{}
			}
		})
	}
	s.rows = slices.Delete(s.rows, 0, n)
}
