package coverage

import (
	"context"
	"log/slog"
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/detectors"
	"confab/internal/labels"
	"confab/schemas"
)

// Recorder counts evaluated answers. It is safe for concurrent use, and counting allocates nothing for names that were seen
// before.
type Recorder struct {
	options   Options
	pairs     *labels.Table[pairSeries]
	unchecked [reasons]prometheus.Counter
	unknown   *unknownFields
	malformed map[string]prometheus.Counter // by name
	strange   prometheus.Counter            // of malformed fields that are not in the list

	mu      sync.Mutex
	tallies map[string]*Tally // by input topic, since the last judgement of it
	skipped map[string]uint64 // by input topic, at that judgement
}

// Options are the dependencies of a [Recorder].
type Options struct {
	Traffic  *labels.Traffic
	Actions  []schemas.Action          // that the policy may set
	Topics   []string                  // of the inputs
	Skipped  func(topic string) uint64 // records that the filter of the input has left out; nil: none
	Registry prometheus.Registerer
	Logger   *slog.Logger
}

// The outcomes of an evaluated interaction.
const (
	outcomeFlagged = iota
	outcomeClear
	outcomeUnchecked
	outcomes
)

// pairSeries are the series of a service and a model.
type pairSeries struct {
	evaluated [outcomes]prometheus.Counter
	grounded  [2]map[schemas.Action]prometheus.Counter // not grounded, grounded

	uncalibrated prometheus.Counter
}

// NewRecorder registers the metrics, with every series whose labels are known.
func NewRecorder(o Options) *Recorder {
	f := promauto.With(o.Registry)
	r := &Recorder{options: o, malformed: map[string]prometheus.Counter{}, tallies: map[string]*Tally{}, skipped: map[string]uint64{}}
	for _, topic := range o.Topics {
		r.tallies[topic] = NewTally(nil)
	}
	evaluated := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_evaluated_interactions_total", Help: "Interactions that the detect role has evaluated, by outcome: flagged, clear, unchecked (nothing of the answer was measured).",
	}, []string{"outcome", "service", "model"})
	grounding := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_grounding_check_total", Help: "Interactions whose claims were compared with their sources, by result and the tenant's action.",
	}, []string{"grounded", "action", "service", "model"})
	uncalibrated := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_uncalibrated_interactions_total", Help: "Interactions of models that the calibration was not made for.",
	}, []string{"service", "model"})
	r.pairs = labels.NewTable(o.Traffic, func(service, model string) *pairSeries {
		p := &pairSeries{uncalibrated: uncalibrated.WithLabelValues(service, model)}
		for i, name := range [outcomes]string{"flagged", "clear", "unchecked"} {
			p.evaluated[i] = evaluated.WithLabelValues(name, service, model)
		}
		for i := range p.grounded {
			p.grounded[i] = map[schemas.Action]prometheus.Counter{}
			for _, action := range o.Actions {
				p.grounded[i][action] = grounding.WithLabelValues(strconv.FormatBool(i == 1), string(action), service, model)
			}
		}
		return p
	})
	r.registerFields(f)
	unchecked := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_unchecked_interactions_total",
		Help: "Interactions of which nothing was measured, by the first reason of the flag's unchecked, or empty_answer or no_claims.",
	}, []string{"reason"})
	for why := range reasons {
		r.unchecked[why] = unchecked.WithLabelValues(why.String())
	}
	return r
}

func (r *Recorder) registerFields(f promauto.Factory) {
	unknown := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_unknown_fields_total", Help: "Top-level fields of records that were ignored, by name; other: all after the first 50 names.",
	}, []string{"field"})
	r.unknown = newUnknownFields(unknown)
	malformed := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_malformed_fields_total", Help: "Optional fields of records that could not be read, by name. Detectors that need them report not_checkable.",
	}, []string{"field"})
	for _, name := range schemas.MalformedNames() {
		r.malformed[name] = malformed.WithLabelValues(name)
	}
	r.strange = malformed.WithLabelValues(labels.Other)
}

// Observe counts an evaluation of a record of a topic. action is the tenant's; known says that the calibration was made on
// answers of the model. A nil recorder counts nothing.
func (r *Recorder) Observe(e *detectors.Evaluation, action schemas.Action, topic string, known bool) {
	if r == nil {
		return
	}
	in := e.Interaction()
	p := r.pairs.At(in.Service, in.Model)
	why, unchecked := Unchecked(e)
	switch {
	case unchecked:
		r.unchecked[why].Inc()
		p.evaluated[outcomeUnchecked].Inc()
	case e.AnyFired():
		p.evaluated[outcomeFlagged].Inc()
	default:
		p.evaluated[outcomeClear].Inc()
	}
	if !known || hasStaleBaseline(e.Readings()) {
		p.uncalibrated.Inc()
	}
	p.countGrounding(e.Readings(), action)
	r.countFields(in)
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.tallies[topic]; t != nil {
		t.Add(e)
	}
}

// countGrounding counts an answer whose claims were compared with the sources.
func (p *pairSeries) countGrounding(readings []detectors.Reading, action schemas.Action) {
	for i := range readings {
		if readings[i].Finding.Grounding.Claims == 0 {
			continue
		}
		grounded := 1
		if readings[i].Outcome == schemas.Fired {
			grounded = 0
		}
		if c := p.grounded[grounded][action]; c != nil {
			c.Inc()
		}
	}
}

func (r *Recorder) countFields(in *schemas.Interaction) {
	for _, name := range in.UnknownNames {
		r.unknown.series(name).Inc()
	}
	if rest := in.UnknownFields - len(in.UnknownNames); rest > 0 {
		r.unknown.series(labels.Other).Add(float64(rest))
	}
	for _, name := range in.Malformed {
		f := r.malformed[name]
		if f == nil {
			f = r.strange
		}
		f.Inc()
	}
}

// maxUnknown is the number of unknown fields with a name in metrics; the others count as other.
const maxUnknown = 50

// unknownFields are the series of unknown fields.
type unknownFields struct {
	names *labels.Names
	slots [maxUnknown + 2]atomic.Pointer[prometheus.Counter] // by the label's position
	vec   *prometheus.CounterVec
}

func newUnknownFields(vec *prometheus.CounterVec) *unknownFields {
	u := &unknownFields{vec: vec, names: labels.NewNames(labels.Options{Max: maxUnknown, First: true})}
	u.series(labels.Other)
	return u
}

func (u *unknownFields) series(name string) prometheus.Counter {
	at := u.names.Find(name)
	if s := u.slots[at].Load(); s != nil {
		return *s
	}
	made := u.vec.WithLabelValues(fieldLabel(u.names.Label(at)))
	u.slots[at].CompareAndSwap(nil, &made)
	return *u.slots[at].Load()
}

// warnEvery is the least time between two warnings about a topic.
const warnEvery = time.Minute

// Run warns of topics once a minute until ctx ends, and then for the last time.
func (r *Recorder) Run(ctx context.Context) error {
	tick := time.NewTicker(warnEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			r.warn(ctx)
		case <-ctx.Done():
			r.warn(ctx)
			return nil
		}
	}
}

// A line is logged when at least minAnswers answers have come since the last judgement and this share has nothing to check.
const (
	minAnswers = 20
	warnShare  = 0.5
)

// warn judges every topic that has enough answers since its last judgement, or of which every record was skipped.
func (r *Recorder) warn(ctx context.Context) {
	log := r.options.Logger
	for _, topic := range r.options.Topics {
		r.mu.Lock()
		s, skipped := r.tallies[topic].Summary(), uint64(0)
		if r.options.Skipped != nil {
			skipped = r.options.Skipped(topic) - r.skipped[topic]
		}
		due := s.Answers >= minAnswers || len(s.Failures) > 0 || s.Answers == 0 && skipped >= minAnswers
		if due {
			r.tallies[topic] = NewTally(nil)
			r.skipped[topic] += skipped
		}
		r.mu.Unlock()
		if !due {
			continue
		}
		if len(s.Failures) > 0 {
			log.WarnContext(ctx, "detectors could not measure answers", "topic", topic, "detectors", s.FailureText(), "remedy", FailureRemedy())
		}
		switch {
		case s.Answers == 0:
			log.WarnContext(ctx, "every record of a topic was skipped", "topic", topic, "skipped", skipped,
				"remedy", "compare kafka.inputs[].where with a record: `confab check --input TOPIC FILE` shows what it selects")
		case s.Answers >= minAnswers:
			r.warnTopic(ctx, topic, &s)
		}
	}
}

// warnTopic logs the shares that are above the limit.
func (r *Recorder) warnTopic(ctx context.Context, topic string, s *Summary) {
	log := r.options.Logger
	if s.Share() >= warnShare {
		log.WarnContext(ctx, "many answers of a topic had nothing to check",
			"topic", topic, "answers", s.Answers, "unchecked", s.Unchecked, "share", math.Round(100*s.Share())/100,
			"reasons", s.ReasonText(), "without_sources", s.NoSources,
			"unknown_fields", s.UnknownText(), "malformed_fields", s.MalformedText(), "remedy", s.Remedy())
	}
	if share := float64(s.Damaged) / float64(s.Answers); share >= warnShare {
		log.WarnContext(ctx, "many records of a topic had malformed fields",
			"topic", topic, "answers", s.Answers, "malformed", s.Damaged, "share", math.Round(100*share)/100,
			"malformed_fields", s.MalformedText(), "remedy", s.MalformedRemedy())
	}
}
