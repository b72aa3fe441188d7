package records

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/labels"
	"confab/internal/worker/config"
	"confab/schemas"
)

func newTestMetrics() (*Metrics, *prometheus.Registry) {
	names := labels.Options{Allowed: []string{"shop", "m"}}
	reg := prometheus.NewRegistry()
	return NewMetrics(reg, labels.NewTraffic(names, names), map[schemas.Pass][]string{schemas.PassFast: {"citation", "facts"}}), reg
}

// Flags are counted by detector, service and model; the series of detectors exist before the first flag.
func TestFlagsAreCounted(t *testing.T) {
	m, reg := newTestMetrics()
	for _, f := range []schemas.Flag{
		{Pass: schemas.PassFast, Service: "shop", Model: "m", Fired: []string{"citation", "facts"}},
		{Pass: schemas.PassFast, Service: "shop", Model: "m", Fired: []string{"facts"}},
		{Pass: schemas.PassFast, Service: "shop", Model: "unlisted", Fired: []string{"facts"}},
		{Pass: schemas.PassFast, Service: "shop", Model: "m"},
		{Pass: "unknown", Fired: []string{"facts"}},
	} {
		m.countFlag(&f)
	}
	require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP confab_flags_total Flags written, once per detector that fired.
# TYPE confab_flags_total counter
confab_flags_total{detector="citation",model="m",pass="fast",service="shop"} 1
confab_flags_total{detector="facts",model="m",pass="fast",service="shop"} 2
confab_flags_total{detector="citation",model="other",pass="fast",service="shop"} 0
confab_flags_total{detector="facts",model="other",pass="fast",service="shop"} 1
confab_flags_total{detector="citation",model="none",pass="fast",service="none"} 0
confab_flags_total{detector="facts",model="none",pass="fast",service="none"} 0
confab_flags_total{detector="citation",model="other",pass="fast",service="other"} 0
confab_flags_total{detector="facts",model="other",pass="fast",service="other"} 0
`), "confab_flags_total"))
}

// Only flags that their risk keeps from being alerts are counted.
func TestAlertsBelowTheMinimumAreCounted(t *testing.T) {
	m, reg := newTestMetrics()
	p := alerting.NewPolicy(alerting.PolicyOptions{CalibratedMinRisk: new(0.8)})
	for _, f := range []schemas.Flag{
		{Pass: schemas.PassFast, Fired: []string{"citation", "facts"}, Risk: new(0.7)},
		{Pass: schemas.PassFast, Fired: []string{"citation", "facts"}, Risk: new(0.9)},
		{Pass: schemas.PassFast, Fired: []string{"facts"}, Risk: new(0.7)},
	} {
		p.Stamp(&f)
		m.CountBelowMinRisk(p, &f)
	}
	(*Metrics)(nil).CountBelowMinRisk(p, &schemas.Flag{Fired: []string{"citation", "facts"}, Risk: new(0.7)})
	require.NoError(t, testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP confab_alerts_below_min_risk_total Flags that are no alert only because their risk is below the minimum risk of an alert.
# TYPE confab_alerts_below_min_risk_total counter
confab_alerts_below_min_risk_total{pass="fast"} 1
`), "confab_alerts_below_min_risk_total"))
}

const goodTrace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// Headers of a flag hold no control characters, whatever the payload's ids hold.
func TestFlagHeadersAreVisibleText(t *testing.T) {
	for name, text := range map[string]string{
		"escape":     "a\x1b[31m\x1b]0;title\x07b",
		"line break": "a\r\nb\u0085c\u2028d",
		"bidi":       "a\u202eb\u2066c",
		"zero width": "a\u200bb\ufeffc",
		"c1":         "a\u0090b\u009b1mc",
		"bad utf-8":  "a\xffb",
		"long":       strings.Repeat("\U0001F4E6", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			p := Publisher{Topics: config.Default().Kafka.Topics}
			f := &schemas.Flag{IncidentID: "i", Pass: schemas.PassFast, InteractionID: text, Tenant: text, Origin: schemas.Origin{Topic: text}}
			r := &consumer.Record[*schemas.Interaction]{
				Value: &schemas.Interaction{}, Headers: []kafka.Header{{Key: "traceparent", Value: []byte(text)}},
			}
			headers := p.headers(f, r)
			require.NotEmpty(t, headerValue(headers, "ce_subject"))
			require.Empty(t, headerValue(headers, "traceparent"), "not a trace context")
			for _, h := range headers {
				require.True(t, utf8.Valid(h.Value), "%s", h.Key)
				require.NotContains(t, string(h.Value), "\u2028")
				require.False(t, strings.ContainsFunc(string(h.Value), func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }), "%s: %q", h.Key, h.Value)
				require.LessOrEqual(t, len(h.Value), 4*maxHeaderText)
			}
		})
	}
}

func TestFlagHeadersKeepValidTexts(t *testing.T) {
	p := Publisher{Topics: config.Default().Kafka.Topics}
	f := &schemas.Flag{IncidentID: "i", Pass: schemas.PassDeep, InteractionID: "chatcmpl-1/Ä", Origin: schemas.Origin{Topic: "llm.interactions"}}
	r := &consumer.Record[*schemas.Interaction]{
		Value: &schemas.Interaction{}, Headers: []kafka.Header{{Key: "traceparent", Value: []byte(goodTrace)}},
	}
	headers := p.headers(f, r)
	require.Equal(t, "chatcmpl-1/Ä", headerValue(headers, "ce_subject"))
	require.Equal(t, "/confab/llm.interactions", headerValue(headers, "ce_source"))
	require.Equal(t, goodTrace, headerValue(headers, "traceparent"))
	for _, bad := range []string{"", goodTrace + "\n", "00-xyz", strings.ToUpper(goodTrace), fmt.Sprint(goodTrace, goodTrace), goodTrace + "-more"} {
		trace, _ := schemas.ReadTraceparent(bad)
		require.Empty(t, trace, "%q", bad)
	}
	trace, _ := schemas.ReadTraceparent("01" + goodTrace[2:] + "-more")
	require.NotEmpty(t, trace, "a later version may have more")
}

func headerValue(headers []kafka.Header, key string) string {
	for _, h := range headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}
