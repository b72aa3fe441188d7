package confidence

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"confab/detectors"
	"confab/schemas"
)

// LeastAnswers is the least number of answers of a live baseline: with 100 of them, 8 % wrong, .4 % of fine answers fire at
// the shipped threshold, and 2 % with 25 (testdata/live.golden).
const LeastAnswers = 100

const (
	liveAnswers = 256            // of a baseline that is learned from a stream
	liveSpan    = 24 * time.Hour // that they cover at least: an attack, or a model that got worse, is not usual at once
	fileAnswers = 4096
	maxKeys     = 4096 // the least recently used half is forgotten
	maxKeyBytes = 1024
)

// Live learns from passing answers which peak of token entropy is usual for a model and operation. It judges by rank: entropies
// end at ln k, so that few are ever many deviations above a median. A tenant is judged by its own answers; until there
// are enough, by the first answers of all tenants, of which each gives at most LeastAnswers. It is safe for concurrent use.
type Live struct {
	now     func() time.Time
	answers int           // of a baseline
	every   time.Duration // between two answers that a full one takes

	mu            sync.Mutex
	recent, older map[liveKey]*usual // two generations
	frozen        bool
}

// liveKey is what a baseline holds for. It belongs to all tenants if shared.
type liveKey struct {
	tenant, model, operation string
	shared                   bool
}

// usual are the peaks of the answers that a baseline was learned from.
type usual struct {
	key    liveKey
	peaks  []float32 // as they came; next is the oldest if full
	sorted []float32
	next   int
	last   time.Time
}

// NewLive makes baselines that are learned from a stream.
func NewLive(now func() time.Time) *Live {
	return &Live{now: now, answers: liveAnswers, every: liveSpan / liveAnswers}
}

// NewFileLive makes baselines that are learned from a file, which is read before it is judged: call Freeze in between.
func NewFileLive() *Live { return &Live{now: time.Now, answers: fileAnswers} }

// Freeze ends the learning.
func (l *Live) Freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.frozen = true
}

// Learn adds an answer on which no other detector fired.
func (l *Live) Learn(e *detectors.Evaluation) {
	var own *detectors.Reading
	for i := range e.Readings() {
		switch r := &e.Readings()[i]; {
		case r.Detector == Name:
			own = r
		case r.Outcome == schemas.Fired:
			return
		}
	}
	if own == nil {
		return
	}
	if at := slices.IndexFunc(own.Finding.Measures, func(m detectors.Measure) bool { return m.Name == measurePeak }); at >= 0 {
		l.add(e.Interaction(), own.Finding.Measures[at].Value)
	}
}

// LearnAnswer adds an answer that no detector has read.
func (l *Live) LearnAnswer(in *schemas.Interaction) {
	if u := MeasureUncertainty(in.Logprobs); u.Tokens > 0 {
		l.add(in, u.Peak)
	}
}

func (l *Live) add(in *schemas.Interaction, peak float64) {
	key := liveKey{tenant: in.Tenant, model: in.Model, operation: in.Operation}
	if len(key.tenant)+len(key.model)+len(key.operation) > maxKeyBytes {
		return
	}
	now := l.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.frozen {
		return
	}
	own := l.make(key)
	if len(own.peaks) < LeastAnswers {
		l.make(key.forAll()).add(float32(peak), l.answers)
	}
	if len(own.peaks) < l.answers || now.Sub(own.last) >= l.every {
		own.last = now
		own.add(float32(peak), l.answers)
	}
}

// rank returns the share of usual answers with a lower peak, and their number. Below LeastAnswers of them it means nothing.
func (l *Live) rank(in *schemas.Interaction, peak float64) (share float64, answers int) {
	key := liveKey{tenant: in.Tenant, model: in.Model, operation: in.Operation}
	l.mu.Lock()
	defer l.mu.Unlock()
	u := l.at(key)
	if u == nil || len(u.peaks) < LeastAnswers {
		u = l.at(key.forAll())
	}
	if u == nil {
		return 0, 0
	}
	return u.rank(float32(peak)), len(u.peaks)
}

// Count is the number of baselines that are ready, or of those that still lack answers.
func (l *Live) Count(ready bool) (n int) {
	for _, b := range l.Learned() {
		if (b.Answers >= LeastAnswers) == ready {
			n++
		}
	}
	return n
}

// Learned describes a live baseline of a tenant.
type Learned struct {
	Tenant, Model, Operation string
	Answers                  int
}

// Learned are the baselines and those that still lack answers, the largest first.
func (l *Live) Learned() []Learned {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Learned
	for _, generation := range []map[liveKey]*usual{l.recent, l.older} {
		for k, u := range generation {
			if !k.shared {
				all = append(all, Learned{k.tenant, k.model, k.operation, len(u.peaks)})
			}
		}
	}
	slices.SortFunc(all, func(a, b Learned) int {
		return cmp.Or(cmp.Compare(b.Answers, a.Answers), cmp.Compare(a.Tenant, b.Tenant), cmp.Compare(a.Model, b.Model), cmp.Compare(a.Operation, b.Operation))
	})
	return all
}

// at returns what is known under the key; nil for nothing.
func (l *Live) at(k liveKey) *usual {
	u := l.recent[k]
	if u == nil {
		if u = l.older[k]; u != nil {
			delete(l.older, u.key)
			l.keep(u)
		}
	}
	return u
}

func (l *Live) make(k liveKey) *usual {
	u := l.at(k)
	if u == nil {
		k.tenant, k.model, k.operation = strings.Clone(k.tenant), strings.Clone(k.model), strings.Clone(k.operation)
		u = &usual{key: k}
		l.keep(u)
	}
	return u
}

func (l *Live) keep(u *usual) {
	if l.recent == nil || len(l.recent) >= maxKeys/2 {
		l.recent, l.older = map[liveKey]*usual{}, l.recent
	}
	l.recent[u.key] = u
}

func (k liveKey) forAll() liveKey {
	return liveKey{model: k.model, operation: k.operation, shared: true}
}

// add adds a peak, in the place of the oldest if there are that many.
func (u *usual) add(peak float32, most int) {
	if len(u.peaks) < most {
		u.peaks = append(u.peaks, peak)
	} else {
		at, _ := slices.BinarySearch(u.sorted, u.peaks[u.next])
		u.sorted = slices.Delete(u.sorted, at, at+1)
		u.peaks[u.next] = peak
		u.next = (u.next + 1) % most
	}
	at, _ := slices.BinarySearch(u.sorted, peak)
	u.sorted = slices.Insert(u.sorted, at, peak)
}

// rank is the share of the peaks that are lower; above 0 and below 1.
func (u *usual) rank(peak float32) float64 {
	below, _ := slices.BinarySearch(u.sorted, peak)
	alike, _ := slices.BinarySearch(u.sorted[below:], math.Nextafter32(peak, math.MaxFloat32))
	return (float64(below) + float64(alike)/2 + 0.5) / float64(len(u.sorted)+1)
}
