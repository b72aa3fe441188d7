package coverage

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"golang.org/x/time/rate"

	"confab/detectors"
	"confab/internal/labels"
	"confab/schemas"
)

// maxUnknown is the number of unknown fields with a name; the others count as other.
const maxUnknown = 50

// Recorder counts evaluated answers. It is safe for concurrent use.
type Recorder struct {
	pairs     *labels.Table[pairSeries]
	grounding *GroundingChecks
	unchecked *prometheus.CounterVec
	names     *labels.Names // of unknown fields
	unknown   *prometheus.CounterVec
	malformed *prometheus.CounterVec

	log      *slog.Logger
	minute   rate.Sometimes
	spans    rate.Sometimes // the same for spans without an answer
	mu       sync.Mutex     // guards failures
	failures Counts         // since the last line of the log
}

// pairSeries are the series of a service and a model.
type pairSeries struct {
	flagged, clear, unchecked, uncalibrated prometheus.Counter
}

// NewRecorder registers the metrics, with every series whose labels are known.
func NewRecorder(reg prometheus.Registerer, traffic *labels.Traffic, grounding *GroundingChecks, log *slog.Logger) *Recorder {
	f := promauto.With(reg)
	evaluated := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_evaluated_interactions_total", Help: "Interactions that the detect role has evaluated, by outcome: flagged, clear, unchecked (nothing of the answer was measured).",
	}, []string{"outcome", "service", "model"})
	uncalibrated := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_uncalibrated_interactions_total", Help: "Interactions of models that the calibration was not made for; none with the embedded one.",
	}, []string{"service", "model"})
	r := &Recorder{
		grounding: grounding, log: log, minute: rate.Sometimes{First: 1, Interval: time.Minute}, spans: rate.Sometimes{First: 1, Interval: time.Minute},
		pairs: labels.NewTable(traffic, func(service, model string) *pairSeries {
			return &pairSeries{
				flagged:      evaluated.WithLabelValues("flagged", service, model),
				clear:        evaluated.WithLabelValues("clear", service, model),
				unchecked:    evaluated.WithLabelValues("unchecked", service, model),
				uncalibrated: uncalibrated.WithLabelValues(service, model),
			}
		}),
		unchecked: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_unchecked_interactions_total",
			Help: "Interactions of which nothing was measured, by the first reason of the flag's unchecked, or empty_answer, no_claims or abstention.",
		}, []string{"reason"}),
		names: labels.NewNames(labels.Options{Max: maxUnknown}),
		unknown: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_unknown_fields_total", Help: "Top-level fields of records that were ignored, by name; other: all after the first 50 names.",
		}, []string{"field"}),
		malformed: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_malformed_fields_total", Help: "Optional fields of records that could not be read, by name. Detectors that need them report not_checkable.",
		}, []string{"field"}),
	}
	for _, why := range reasons() {
		r.unchecked.WithLabelValues(why)
	}
	for _, name := range append(schemas.MalformedNames(), labels.Other) {
		r.malformed.WithLabelValues(name)
	}
	r.unknown.WithLabelValues(labels.Other)
	return r
}

// Observe counts an evaluation. action is the tenant's; known says that the calibration was made on answers of the model. A
// nil recorder counts nothing.
func (r *Recorder) Observe(e *detectors.Evaluation, action schemas.Action, known bool) {
	if r == nil {
		return
	}
	in := e.Interaction()
	p := r.pairs.At(in.Service, in.Model)
	switch why := Unchecked(e); {
	case why != "":
		r.unchecked.WithLabelValues(why).Inc()
		p.unchecked.Inc()
	case e.AnyFired():
		p.flagged.Inc()
	default:
		p.clear.Inc()
	}
	readings := e.Readings()
	if !known {
		p.uncalibrated.Inc()
	}
	for i := range readings {
		if readings[i].Finding.Grounding.Claims > 0 {
			r.grounding.Count(in.Service, in.Model, readings[i].Outcome != schemas.Fired, action)
		}
	}
	r.countFields(in)
	r.logFailures(readings)
	if in.NoAnswer == schemas.NotFound {
		r.logNotFound(in)
	}
}

// logNotFound logs the attributes of a span whose answer is not where its convention has it, at most once a minute.
func (r *Recorder) logNotFound(in *schemas.Interaction) {
	r.spans.Do(func() {
		var names Counts
		for _, name := range in.UnknownNames {
			names.add(name, 1)
		}
		r.log.Warn("spans have no answer where their convention has it", "attributes", names.NameText(), "service", labels.Clean(in.Service), "remedy", NotFoundRemedy)
	})
}

// logFailures logs the detectors that could not measure answers, with their numbers, at most once a minute.
func (r *Recorder) logFailures(readings []detectors.Reading) {
	if !slices.ContainsFunc(readings, func(d detectors.Reading) bool { return d.Failure() != "" }) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures.addFailures(readings)
	r.minute.Do(func() {
		r.log.Warn("detectors could not measure answers", "detectors", r.failures.String(), "remedy", FailureRemedy)
		r.failures = nil
	})
}

func (r *Recorder) countFields(in *schemas.Interaction) {
	for _, name := range in.UnknownNames {
		r.unknown.WithLabelValues(fieldLabel(r.names.Label(name))).Inc()
	}
	if rest := in.UnknownFields - len(in.UnknownNames); rest > 0 {
		r.unknown.WithLabelValues(labels.Other).Add(float64(rest))
	}
	for _, name := range in.Malformed {
		if !slices.Contains(schemas.MalformedNames(), name) {
			name = labels.Other
		}
		r.malformed.WithLabelValues(name).Inc()
	}
}
