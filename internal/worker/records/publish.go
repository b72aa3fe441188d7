package records

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/alerting"
	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/labels"
	"confab/internal/redact"
	"confab/internal/worker/config"
	"confab/schemas"
)

// The event types of llm.incidents. A quiet flag, written under emit: all, carries none.
const (
	eventDetected          = "HALLUCINATION_DETECTED"
	eventDetectedStreaming = "HALLUCINATION_DETECTED_STREAMING"
)

// Publisher writes flags.
type Publisher struct {
	Topics  config.Topics
	Flags   *FlagEncoder      // nil: JSON
	Limits  *kafka.SizeLimits // nil: none is known
	Metrics *Metrics          // nil: nothing is counted
}

// Publish writes the flag, shortened as far as its topic requires. A flag that does not fit in its shortest form is written
// whole, and the broker rejects it as too large.
func (p *Publisher) Publish(ctx context.Context, f *schemas.Flag, r *consumer.Record[*schemas.Interaction], out consumer.Producer) error {
	m := kafka.Message{
		Topic: p.Topics.Incidents, Partition: kafka.AnyPartition, Key: []byte(f.IncidentID), Headers: p.headers(f, r),
	}
	for level := shortenNothing; ; level++ {
		slim := level.apply(f)
		value, err := p.Flags.encode(ctx, &slim)
		if err != nil {
			return fmt.Errorf("encode flag: %w", err)
		}
		fitting := m
		if fitting.Value = value; level == shortenNothing {
			m.Value = value
		}
		if p.Limits.Fits(&fitting) {
			if level > shortenNothing {
				p.Metrics.countShortened(m.Topic)
			}
			m = fitting
			break
		}
		if level == shortenTags {
			break
		}
	}
	p.Metrics.countFlag(f)
	out.Produce(m)
	return nil
}

// headers are the headers of a flag's record: trace, content type and the CloudEvents attributes in binary mode.
func (p *Publisher) headers(f *schemas.Flag, r *consumer.Record[*schemas.Interaction]) []kafka.Header {
	h := make([]kafka.Header, 0, 9)
	values := make([]byte, 0, 320) // one memory for all of them
	add := func(key string, parts ...string) {
		from := len(values)
		for _, part := range parts {
			values = append(values, part...)
		}
		h = append(h, kafka.Header{Key: key, Value: values[from:len(values):len(values)]})
	}
	add("content-type", p.Flags.contentType())
	add("ce_specversion", "1.0")
	add("ce_id", f.IncidentID, "/", string(f.Pass))
	add("ce_source", "/confab/", headerText(f.Origin.Topic))
	add("ce_type", "confab.flag")
	add("ce_subject", headerText(f.InteractionID))
	add("ce_time", f.DetectedAt.UTC().Format(time.RFC3339Nano))
	if len(f.Fired) > 0 {
		event := eventDetected
		if r.Value.Streamed {
			event = eventDetectedStreaming
		}
		add("confab-event-type", event)
	}
	if traceparent := r.Header("traceparent"); isTraceparent(traceparent) {
		h = append(h, kafka.Header{Key: "traceparent", Value: traceparent})
	}
	return h
}

// maxHeaderText bounds a header whose text comes from a payload, in UTF-16 code units.
const maxHeaderText = 256

// headerText keeps the visible characters of a payload's text on one line, cut at maxHeaderText.
func headerText(s string) string {
	if len(s) <= maxHeaderText && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return s
	}
	units := 0
	s = redact.Visible(s, maxHeaderText)
	for i, r := range s {
		if units += max(1, utf16.RuneLen(r)); units > maxHeaderText {
			return s[:i]
		}
	}
	return s
}

// traceparentForm is that of the W3C trace context: version, trace id, span id and flags.
var traceparentForm = regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)

// isTraceparent reports whether a record's header may be copied.
func isTraceparent(b []byte) bool { return traceparentForm.Match(b) }

// Metrics count the flags and alert states that are written.
type Metrics struct {
	flags     *labels.Table[flagSeries]
	shortened *prometheus.CounterVec
	skipped   *prometheus.CounterVec
	spans     *prometheus.CounterVec
	sources   *prometheus.CounterVec
	belowMin  *prometheus.CounterVec
	prompts   *prometheus.CounterVec
	prompted  map[string]map[string]prometheus.Counter // by topic and place, complete before the first record
	series    map[string]*spanSeries                   // of OTLP, by topic, complete before the first record
}

// flagSeries are the series of a service and a model, by pass and detector.
type flagSeries map[schemas.Pass]map[string]prometheus.Counter

// NewMetrics registers the metrics. detectors are the names of the detectors whose series exist from the start, by pass.
func NewMetrics(reg prometheus.Registerer, traffic *labels.Traffic, detectors map[schemas.Pass][]string) *Metrics {
	f := promauto.With(reg)
	flags := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_flags_total", Help: "Flags written, once per detector that fired.",
	}, []string{"pass", "detector", "service", "model"})
	belowMin := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_alerts_below_min_risk_total", Help: "Flags that are no alert only because their risk is below the minimum risk of an alert.",
	}, []string{"pass"})
	for pass := range detectors {
		belowMin.WithLabelValues(string(pass))
	}
	return &Metrics{
		belowMin: belowMin,
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
		skipped: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_records_skipped_total", Help: "Records of an input topic that its where leaves out.",
		}, []string{"topic"}),
		spans: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_otlp_spans_total", Help: "Spans and log records of an OTLP topic, by outcome: answer, no_text (its content was not recorded), rejected (a dead letter), filtered, failed, duplicate, context, other, unknown.",
		}, []string{"topic", "outcome"}),
		sources: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_otlp_sources_total", Help: "Answers of an OTLP topic, by where their sources were found; none has the reason.",
		}, []string{"topic", "from", "reason"}),
		prompts: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_prompt_sources_total", Help: "Answers whose messages were searched for sources, by where these were found: tool_messages, system, prompt (a message of the user), none.",
		}, []string{"topic", "from"}),
		shortened: f.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_flags_slimmed_total", Help: "Flags and alert states that were shortened to fit their topic.",
		}, []string{"topic"}),
	}
}

// CreateTopics creates the series of the topics whose records are shortened.
func (m *Metrics) CreateTopics(topics ...string) {
	for _, topic := range topics {
		m.shortened.WithLabelValues(topic)
	}
}

func (m *Metrics) countShortened(topic string) {
	if m != nil {
		m.shortened.WithLabelValues(topic).Inc()
	}
}

// CountBelowMinRisk counts a flag that is no alert only because of its risk.
func (m *Metrics) CountBelowMinRisk(p *alerting.Policy, f *schemas.Flag) {
	if m != nil && p.BelowMinRisk(f) {
		m.belowMin.WithLabelValues(string(f.Pass)).Inc()
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
