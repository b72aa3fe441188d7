package records

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"

	"confab/schemas"
	"confab/schemas/otlp"
)

// spanSeries are the series of one OTLP topic.
type spanSeries struct {
	outcomes []prometheus.Counter
	from     map[string]prometheus.Counter
	none     map[string]prometheus.Counter // by reason
}

// createSpanSeries creates the series of an OTLP topic.
func (m *Metrics) createSpanSeries(topic string) {
	s := &spanSeries{from: map[string]prometheus.Counter{}, none: map[string]prometheus.Counter{}}
	for _, o := range otlp.Outcomes() {
		s.outcomes = append(s.outcomes, m.spans.WithLabelValues(topic, o.String()))
	}
	for _, from := range []string{
		schemas.SourcesFromField, schemas.SourcesFromRetriever, schemas.SourcesFromToolMessages, schemas.SourcesFromSystem,
		schemas.SourcesFromPrompt, schemas.SourcesFromConfiguration,
	} {
		s.from[from] = m.sources.WithLabelValues(topic, from, "")
	}
	for _, why := range append(slices.Clone(otlp.NoSourcesReasons()), "") {
		s.none[why] = m.sources.WithLabelValues(topic, schemas.SourcesFromNone, why)
	}
	if m.series == nil {
		m.series = map[string]*spanSeries{}
	}
	m.series[topic] = s
}

// countSpans counts the spans of a record. A nil receiver counts nothing.
func (m *Metrics) countSpans(topic string, counts *otlp.Counts) {
	if m == nil || m.series[topic] == nil {
		return
	}
	for o, n := range counts {
		if n > 0 {
			m.series[topic].outcomes[o].Add(float64(n))
		}
	}
}

// countSources counts where the sources of an answer are.
func (m *Metrics) countSources(topic string, in *schemas.Interaction) {
	if m == nil || m.series[topic] == nil {
		return
	}
	c := m.series[topic].from[in.SourcesFrom]
	if c == nil {
		c = m.series[topic].none[in.NoSources]
	}
	if c != nil {
		c.Inc()
	}
}

// createPromptSeries creates the series of the prompts of a topic.
func (m *Metrics) createPromptSeries(topic string) {
	series := map[string]prometheus.Counter{}
	for _, from := range []string{schemas.SourcesFromToolMessages, schemas.SourcesFromSystem, schemas.SourcesFromPrompt, schemas.SourcesFromNone} {
		series[from] = m.prompts.WithLabelValues(topic, from)
	}
	if m.prompted == nil {
		m.prompted = map[string]map[string]prometheus.Counter{}
	}
	m.prompted[topic] = series
}

// countPrompt counts where the sources of an answer were found, if its messages were searched. A nil receiver counts nothing.
func (m *Metrics) countPrompt(topic string, in *schemas.Interaction) {
	searched, found := in.PromptSources()
	if m == nil || !searched {
		return
	}
	from := schemas.SourcesFromNone
	if found {
		from = in.SourcesFrom
	}
	if c := m.prompted[topic][from]; c != nil {
		c.Inc()
	}
}
