package records

import (
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/alerting"
	"confab/internal/labels"
	"confab/schemas"
	"confab/schemas/otlp"
)

// Metrics count the records that are read, and the flags and alert states that are written. A nil *Metrics counts nothing.
type Metrics struct {
	flags     *labels.Table[flagSeries]
	verdicts  *labels.Table[verdictSeries]
	shortened *prometheus.CounterVec
	skipped   *prometheus.CounterVec
	spans     *prometheus.CounterVec
	belowMin  *prometheus.CounterVec
	prompts   *prometheus.CounterVec
}

// flagSeries are the series of a service and a model, by pass and detector.
type flagSeries map[schemas.Pass]map[string]prometheus.Counter

// verdictSeries are the series of a service and a model, by whether the judge called the answer wrong.
type verdictSeries map[bool]prometheus.Counter

// NewMetrics registers the metrics. detectors are the names of the detectors whose series exist from the start, by pass.
func NewMetrics(reg prometheus.Registerer, traffic *labels.Traffic, detectors map[schemas.Pass][]string) *Metrics {
	f := promauto.With(reg)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	flags := counter("confab_flags_total", "Flags written, once per detector that fired.", "pass", "detector", "service", "model")
	verdicts := counter("confab_sampled_verdicts_total",
		"Answers of the random sample that the judge has read, by what it said: wrong or fine.", "verdict", "service", "model")
	m := &Metrics{
		verdicts: labels.NewTable(traffic, func(service, model string) *verdictSeries {
			return &verdictSeries{
				true:  verdicts.WithLabelValues(string(schemas.Wrong), service, model),
				false: verdicts.WithLabelValues(string(schemas.Fine), service, model),
			}
		}),
		flags: labels.NewTable(traffic, func(service, model string) *flagSeries {
			series := flagSeries{}
			for pass, names := range detectors {
				series[pass] = make(map[string]prometheus.Counter, len(names))
				for _, name := range names {
					series[pass][name] = flags.WithLabelValues(string(pass), name, service, model)
				}
			}
			return &series
		}),
		belowMin: counter("confab_alerts_below_min_risk_total",
			"Flags that are no alert only because their risk is below the minimum risk of an alert.", "pass"),
		skipped: counter("confab_records_skipped_total", "Records of an input topic that its where leaves out.", "topic"),
		spans: counter("confab_otlp_spans_total",
			"Spans and log records of an OTLP topic, by outcome: answer, no_text (its content was not recorded), text_not_found (its answer is not where its convention has it), rejected (a dead letter), filtered, failed, duplicate, context, other, unknown.",
			"topic", "outcome"),
		prompts: counter("confab_prompt_sources_total",
			"Answers whose messages were searched for sources, by where these were found: tool_messages, system, prompt (a message of the user), none.",
			"topic", "from"),
		shortened: counter("confab_flags_slimmed_total", "Flags and alert states that were shortened to fit their topic.", "topic"),
	}
	for pass := range detectors {
		m.belowMin.WithLabelValues(string(pass))
	}
	return m
}

// CreateTopics creates the series of the topics whose records are shortened.
func (m *Metrics) CreateTopics(topics ...string) {
	for _, topic := range topics {
		m.shortened.WithLabelValues(topic)
	}
}

// createInput creates the series of an input.
func (m *Metrics) createInput(topic string, spans bool) {
	m.skipped.WithLabelValues(topic)
	for _, from := range []string{schemas.SourcesFromToolMessages, schemas.SourcesFromSystem, schemas.SourcesFromPrompt, schemas.SourcesFromNone} {
		m.prompts.WithLabelValues(topic, from)
	}
	if !spans {
		return
	}
	for _, o := range otlp.Outcomes() {
		m.spans.WithLabelValues(topic, o.String())
	}
}

func (m *Metrics) countShortened(topic string, level shortenLevel) {
	if m != nil && level > shortenNothing {
		m.shortened.WithLabelValues(topic).Inc()
	}
}

// CountBelowMinRisk counts a flag that is no alert only because of its risk.
func (m *Metrics) CountBelowMinRisk(p *alerting.Policy, f *schemas.Flag) {
	if m != nil && p.BelowMinRisk(f) {
		m.belowMin.WithLabelValues(string(f.Pass)).Inc()
	}
}

// CountVerdict counts what the judge says of an answer of the random sample.
func (m *Metrics) CountVerdict(f *schemas.Flag, wrong bool) {
	if m != nil {
		(*m.verdicts.At(f.Service, f.Model))[wrong].Inc()
	}
}

func (m *Metrics) countFlag(f *schemas.Flag) {
	if m == nil {
		return
	}
	series := (*m.flags.At(f.Service, f.Model))[f.Pass]
	for _, name := range f.Fired {
		if c := series[name]; c != nil {
			c.Inc()
		}
	}
}

// countSkipped counts a record without interactions.
func (m *Metrics) countSkipped(topic string) {
	if m != nil {
		m.skipped.WithLabelValues(topic).Inc()
	}
}

// countSpans counts the spans of a record.
func (m *Metrics) countSpans(topic string, counts *otlp.Counts) {
	if m == nil {
		return
	}
	for _, o := range otlp.Outcomes() {
		if n := counts[o]; n > 0 {
			m.spans.WithLabelValues(topic, o.String()).Add(float64(n))
		}
	}
}

// countPrompt counts where the sources of an answer were found, if its messages were searched.
func (m *Metrics) countPrompt(topic string, in *schemas.Interaction) {
	searched, found := in.PromptSources()
	if m == nil || !searched {
		return
	}
	from := schemas.SourcesFromNone
	if found {
		from = in.SourcesFrom
	}
	m.prompts.WithLabelValues(topic, from).Inc()
}
