package coverage

import (
	"log/slog"
	"strconv"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/detectors"
	"confab/internal/labels"
	"confab/internal/worker/config"
	"confab/schemas"
)

// Recorder counts evaluated answers. It is safe for concurrent use, and counting allocates nothing for a service and model
// that were seen before.
type Recorder struct {
	options Options
	pairs   *labels.Table[pairSeries]
	unknown *unknownFields

	malformed map[string]*fieldSeries // by name
	strange   *fieldSeries            // of malformed fields that are not in the list
	topics    map[string]*topicCounter

	answers, noSources atomic.Uint64
	reasons            [reasons]atomic.Uint64
	window             window
	failures           failures
}

// Options are the dependencies of a [Recorder].
type Options struct {
	Traffic  *labels.Traffic
	Warning  config.UncheckedWarning
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

// fieldSeries counts the records with a field, for the metric and for the window.
type fieldSeries struct {
	name    string
	counter prometheus.Counter
	count   atomic.Uint64
}

func (f *fieldSeries) add(n uint64) {
	f.counter.Add(float64(n))
	f.count.Add(n)
}

// NewRecorder registers the metrics, with every series whose labels are known.
func NewRecorder(o Options) *Recorder {
	f := promauto.With(o.Registry)
	r := &Recorder{options: o, malformed: map[string]*fieldSeries{}, topics: newTopicCounters(o.Topics)}
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
	for why := range reasons { // last: a scrape may call the functions from here on
		f.NewCounterFunc(prometheus.CounterOpts{
			Name: "confab_unchecked_interactions_total", ConstLabels: prometheus.Labels{"reason": why.String()},
			Help: "Interactions of which nothing was measured, by the first reason of the flag's unchecked, or empty_answer or no_claims.",
		}, func() float64 { return float64(r.reasons[why].Load()) })
	}
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "confab_unchecked_ratio", Help: "Share of unchecked interactions in the last five minutes; NaN without interactions.",
	}, r.currentShare)
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
		r.malformed[name] = &fieldSeries{name: name, counter: malformed.WithLabelValues(name)}
	}
	r.strange = &fieldSeries{name: labels.Other, counter: malformed.WithLabelValues(labels.Other)}
}

// Observe counts an evaluation of a record of a topic. action is the tenant's; known says that the calibration was made on
// answers of the model. A nil recorder counts nothing.
func (r *Recorder) Observe(e *detectors.Evaluation, action schemas.Action, topic string, known bool) {
	if r == nil {
		return
	}
	in := e.Interaction()
	p := r.pairs.At(in.Service, in.Model)
	r.answers.Add(1)
	why, unchecked := Unchecked(e)
	r.failures.add(e.Readings())
	switch {
	case unchecked:
		r.reasons[why].Add(1)
		p.evaluated[outcomeUnchecked].Inc()
	case e.AnyFired():
		p.evaluated[outcomeFlagged].Inc()
	default:
		p.evaluated[outcomeClear].Inc()
	}
	if !known || hasStaleBaseline(e.Readings()) {
		p.uncalibrated.Inc()
	}
	r.topics[topic].add(unchecked, len(in.Malformed) > 0)
	if hasNoSources(in) {
		r.noSources.Add(1)
	}
	p.countGrounding(e.Readings(), action)
	r.countFields(in)
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
		r.unknown.series(name).add(1)
	}
	if rest := in.UnknownFields - len(in.UnknownNames); rest > 0 {
		r.unknown.other().add(uint64(rest))
	}
	for _, name := range in.Malformed {
		f := r.malformed[name]
		if f == nil {
			f = r.strange
		}
		f.add(1)
	}
}

// maxUnknown is the number of unknown fields with a name in metrics; the others count as other.
const maxUnknown = 50

// unknownFields are the series of unknown fields.
type unknownFields struct {
	names *labels.Names
	slots [maxUnknown + 2]atomic.Pointer[fieldSeries] // by the label's position
	vec   *prometheus.CounterVec
}

func newUnknownFields(vec *prometheus.CounterVec) *unknownFields {
	u := &unknownFields{vec: vec, names: labels.NewNames(labels.Options{Max: maxUnknown, First: true})}
	u.other()
	return u
}

func (u *unknownFields) other() *fieldSeries { return u.series(labels.Other) }

func (u *unknownFields) series(name string) *fieldSeries {
	at := u.names.Find(name)
	if s := u.slots[at].Load(); s != nil {
		return s
	}
	label := fieldLabel(u.names.Label(at))
	u.slots[at].CompareAndSwap(nil, &fieldSeries{name: label, counter: u.vec.WithLabelValues(label)})
	return u.slots[at].Load()
}
