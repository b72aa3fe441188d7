package tuning

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"confab/calibration/measure"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/schemas"
)

const (
	// maxAnswers bounds the answers in memory, about 2 kB each, and as many that the judge read. Of more, those with the lowest hashes
	// of their ids are kept.
	maxAnswers = 20_000
	// leastProbability is below every useful one.
	leastProbability = 1e-6
)

// answerStore collects recorded answers and labels. Labels come before flags; repeated records change nothing.
type answerStore struct {
	limit  int
	all    part              // of all answers
	judged part              // of those that the judge read: they are few among the flags of much traffic, and each is needed
	fused  map[string]bool   // the fast detectors, and whether fusion reads them
	labels map[string]labels // by incident
	kept   map[string]*answer

	oldest, newest time.Time
	unreadable     int // records
}

// part is a random part of answers: those with the lowest hashes.
type part struct {
	cutoff uint64 // the largest hash in it
	n      int    // answers that are kept
}

// add counts an answer, unless it is not in the part.
func (p *part) add(a *answer) {
	if a.hash <= p.cutoff {
		p.n++
	}
}

// labels are the last label of each person.
type labels map[string]*schemas.Feedback

// answer is what the flags of an incident say, without texts.
type answer struct {
	row                   measure.Row // from the fast flag, else from the deep one: deep detectors are left out
	service, conversation string
	hash                  uint64
	at                    time.Time // when it was first detected
	fast, alert, fired    bool
	probability           float64         // of its deep evaluation; 0: unknown
	verdict               schemas.Outcome // of the judge
}

// stratum is a part of the recorded answers. People label the strata at different rates.
type stratum int

const (
	alerted stratum = iota
	flagged         // something fired, without an alert
	quiet
	numStrata
)

func (s stratum) String() string {
	return []string{"alerted", "flagged but not alerted", "quiet"}[s]
}

func newAnswerStore(limit int) *answerStore {
	s := &answerStore{limit: limit, fused: map[string]bool{}, labels: map[string]labels{}, kept: map[string]*answer{}}
	s.all.cutoff, s.judged.cutoff = math.MaxUint64, math.MaxUint64
	for _, e := range standard.Fast(standard.Dependencies{}) {
		s.fused[e.Name] = !e.Independent
	}
	return s
}

// addLabel adds a label. Of several labels of one person for one incident the last counts.
func (s *answerStore) addLabel(l *schemas.Feedback) {
	if l.Verdict == schemas.Forgotten {
		delete(s.labels, l.IncidentID)
	}
	if !slices.Contains(schemas.HumanVerdicts(), l.Verdict) {
		return
	}
	said := s.labels[l.IncidentID]
	if said == nil {
		said = labels{}
		s.labels[l.IncidentID] = said
	}
	if old := said[l.User]; old == nil || !l.At.Before(old.At) {
		said[l.User] = l
	}
}

// wrong is the share of people who say that the answer is wrong.
func (l labels) wrong() float64 {
	n := 0
	for _, said := range l {
		if said.Verdict == schemas.Wrong {
			n++
		}
	}
	return float64(n) / float64(len(l))
}

// addFlag adds a flag.
func (s *answerStore) addFlag(f *schemas.Flag) {
	a, known := s.kept[f.IncidentID]
	if !known {
		sum := sha256.Sum256([]byte(f.IncidentID))
		a = &answer{hash: binary.BigEndian.Uint64(sum[:])}
	}
	judged := a.judged()
	a.add(f, s.fused)
	if !s.keeps(f.IncidentID, a) {
		return
	}
	if !known {
		s.kept[strings.Clone(f.IncidentID)] = a
		s.all.add(a)
	}
	if !judged && a.judged() {
		s.judged.add(a)
	}
	if at := f.DetectedAt; !at.IsZero() {
		if s.oldest.IsZero() || at.Before(s.oldest) {
			s.oldest = at
		}
		if at.After(s.newest) {
			s.newest = at
		}
		if a.at.IsZero() || at.Before(a.at) {
			a.at = at
		}
	}
	s.thin(&s.all)
	s.thin(&s.judged)
}

// keeps reports whether an answer is in one of the parts, or labelled.
func (s *answerStore) keeps(id string, a *answer) bool {
	return a.hash <= s.all.cutoff || a.judged() && a.hash <= s.judged.cutoff || s.labels[id] != nil
}

// thin halves a part until it is within the limit.
func (s *answerStore) thin(p *part) {
	for p.n > s.limit {
		p.cutoff /= 2
		maps.DeleteFunc(s.kept, func(id string, a *answer) bool { return !s.keeps(id, a) })
		s.all.n, s.judged.n = 0, 0
		for _, a := range s.kept {
			s.all.add(a)
			if a.judged() {
				s.judged.add(a)
			}
		}
	}
}

func (a *answer) add(f *schemas.Flag, fused map[string]bool) {
	a.alert, a.fired = a.alert || f.Alert, a.fired || len(f.Fired) > 0
	isDeep := f.Pass == schemas.PassDeep
	if !isDeep || !a.fast {
		a.row = flagRow(f, fused)
	}
	a.service, a.conversation = measure.SharedName(f.Service), strings.Clone(f.ConversationID)
	if !isDeep {
		a.fast = true
		return
	}
	a.addVerdict(f)
}

// addVerdict takes what a deep flag says of the judge. The last one counts.
func (a *answer) addVerdict(f *schemas.Flag) {
	a.verdict, a.probability = "", 0
	if p := f.SampleProbability; f.Sampled && p >= leastProbability && p <= 1 { // also not a number
		a.probability = p
	}
	for i := range f.Signals {
		if at := &f.Signals[i]; at.Detector == schemas.JudgeDetector && (at.Outcome == schemas.Fired || at.Outcome == schemas.Clear) {
			a.verdict = at.Outcome
		}
	}
}

// flagRow is the row of a flag: its names, and the scores of the detectors of the fast pass.
func flagRow(f *schemas.Flag, fused map[string]bool) measure.Row {
	r := measure.Row{
		Tenant: measure.SharedName(f.Tenant), Operation: measure.SharedName(f.Operation), Model: measure.SharedName(f.Model),
	}
	for i := range f.Signals {
		s := &f.Signals[i]
		if _, fast := fused[s.Detector]; !fast || len(r.Signals) == len(fused) {
			continue
		}
		m := measure.Signal{Detector: measure.SharedName(s.Detector), Outcome: s.Outcome}
		measured := s.Outcome == schemas.Fired || s.Outcome == schemas.Clear || s.Outcome == schemas.Skipped && s.Reason == detectors.ReasonNotArmed
		if m.HasScore = measured && s.Score >= 0 && s.Score <= 1; m.HasScore { // also not a number
			m.Score = s.Score
		}
		r.Signals = append(r.Signals, m)
	}
	r.FuseScores(func(name string) bool { return fused[name] })
	return r
}

// judged reports whether the judge read the answer as one of a sample with known probabilities.
func (a *answer) judged() bool { return a.verdict != "" && a.probability > 0 }

func (a *answer) stratum() stratum {
	switch {
	case a.alert:
		return alerted
	case a.fired:
		return flagged
	}
	return quiet
}

// standsFor is how many answers a recorded one stands for: one where the fast pass wrote a flag, else those from which it was
// sampled; 0 if that is unknown.
func (a *answer) standsFor() float64 {
	switch {
	case a.fast:
		return 1
	case a.probability > 0:
		return 1 / a.probability
	}
	return 0
}

// join makes rows of the judged answers: all, or as if one owner did not exist.
func (s *answerStore) join(o owner, without string) *joined {
	j := &joined{people: map[string]bool{}, share: (float64(s.all.cutoff) + 1) / math.Exp2(64), span: s.newest.Sub(s.oldest), unreadable: s.unreadable}
	for _, id := range slices.Sorted(maps.Keys(s.kept)) {
		a := s.kept[id]
		a.row.ID, a.row.Group, a.row.Weight = id, cmp.Or(a.conversation, id), a.standsFor()
		owners := [numOwners]string{service: a.service, tenant: a.row.Tenant, conversation: a.row.Group}
		if o < person && owners[o] == without {
			continue
		}
		if a.row.Weight == 0 {
			j.unknown++
			continue
		}
		if a.hash <= s.all.cutoff {
			row := a.row
			row.Weight /= j.share
			j.answers = append(j.answers, row)
			j.totals[a.stratum()] += row.Weight
		}
		said := s.labels[id]
		if o == person && said[without] != nil {
			said = maps.Clone(said)
			delete(said, without)
		}
		j.add(a, owners, said, a.judged() && a.hash <= s.judged.cutoff)
	}
	for id := range s.labels {
		if s.kept[id] == nil {
			j.expired++
		}
	}
	j.soften()
	j.weigh()
	capOwners(j.rows)
	return j
}
