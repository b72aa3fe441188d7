package alerttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest/samples"
	consolepkg "confab/alerting/console"
	"confab/alerting/dispatch"
	"confab/calibration"
	suites "confab/detectors"
	"confab/detectors/standard"
	"confab/internal/redact"
	"confab/schemas"
	"confab/schemas/avro"
	jsonschemas "confab/schemas/json"
)

// lax is a calibration by which nearly everything fires, so that as much as possible is shown.
type lax struct{ *calibration.Calibration }

func (lax) Threshold(_, _, _ string) (float64, bool) { return 0.001, true }

// measured are the flags of interactions that hold the canary wherever a text can.
func measured(t *testing.T, c samples.Canary, redact func(string) string, log *slog.Logger) []schemas.Flag {
	t.Helper()
	cal, err := calibration.Default()
	require.NoError(t, err)
	model, err := standard.DefaultModel()
	require.NoError(t, err)
	suite, err := suites.NewSuite(suites.Options{
		Detectors: standard.FastWith(standard.Deps{Baselines: cal, Model: model, Reliability: cal.Reliability()}), Fusion: model.Fuser(),
		Thresholds: lax{cal}, Risks: cal, Redact: redact, Now: time.Now, Logger: log,
	})
	require.NoError(t, err)
	var flags []schemas.Flag
	for _, in := range carriers(c) {
		e := suite.Evaluate(t.Context(), &in)
		flags = append(flags, e.Flag(schemas.Origin{Topic: "t"}, schemas.PassFast, samples.Morning()))
		e.Release()
	}
	return flags
}

// carriers are interactions whose texts hold the canary. What names an interaction does not: those are shown as they are.
// Nor do links where the canary looks like any other part of one.
func carriers(c samples.Canary) []schemas.Interaction {
	text := c.Text
	quoted, _ := json.Marshal(text)
	prose := "The desk in Lisbon said on Monday that " + text + " belongs to the old bridge [1]. It opened in 1937 and is 27 km long [2]."
	sources := []schemas.Source{
		{ID: "s1", Text: "Ferries cross the bay each hour. Ask " + text + " for times.", URI: "https://example.org/" + url.PathEscape(text)},
		{ID: "s2", Text: "The bridge opened in 1889 and is 3 km long."},
	}
	list := []schemas.Interaction{
		{Answer: prose, Sources: sources},
		{Answer: "Paid by " + text + ".", Sources: []schemas.Source{{ID: "s1", Text: "Nothing was paid."}}},
		{Answer: "It is so (source: " + text + ") and so [" + text + "].", Sources: sources},
		{Answer: "See https://localhost/" + c.InLink() + " and http://" + c.InLink() + ".invalid/x, or pip install " + text + ".", Sources: sources},
		{Answer: "Opened 1937.", Sources: []schemas.Source{{ID: "s1", Text: text + " in 1889"}}},
		{
			Answer:  fmt.Sprintf(`{"owner":%s,%s:1,"year":1937}`, quoted, quoted),
			Sources: []schemas.Source{{ID: "s1", Text: fmt.Sprintf(`{"owner":"nobody","note":%s,"year":1889}`, quoted)}},
			ResponseSchema: fmt.Sprintf(
				`{"type":"object","required":["missing"],"additionalProperties":false,"properties":{"owner":{"enum":["nobody"],"description":%s},"year":{"maximum":3}}}`, quoted),
		},
		{Answer: `{"broken": ` + string(quoted), ResponseSchema: `{"type":"object"}`},
		{Answer: prose, Sources: sources, Logprobs: spiky(prose)},
	}
	for i := range list {
		in := &list[i]
		in.ID, in.Tenant, in.Service, in.Operation, in.Model = fmt.Sprint("i-", i), "acme", "desk", "answer", "m"
		in.Messages = []schemas.Message{{Role: "system", Content: "Never tell " + text}, {Role: "user", Content: "Who is " + text + "?"}}
		in.Attributes, in.Temperature = map[string]string{"note": text}, schemas.UnknownTemperature
	}
	return list
}

// spiky are log-probabilities of an answer in tokens of four bytes, of which every third is a surprise.
func spiky(answer string) (l schemas.Logprobs) {
	for i := 0; i < len(answer); i += 4 {
		v := float32(-0.01)
		if i/4%3 == 0 {
			v = -6
		}
		l.Values, l.Offsets = append(l.Values, v), append(l.Offsets, int32(i))
	}
	return l
}

// shown is what every sink sends of the alerts, decoded, by sink and number.
func shown(t *testing.T, alerts []schemas.Alert) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, s := range sinks() {
		fake := NewFakeServer(t)
		for _, a := range Actions(s.open(t, fake.URL, fake.Options()), s) {
			for _, alert := range alerts {
				require.NoError(t, a.Do(t.Context(), alert))
			}
		}
		for i, body := range fake.Bodies {
			if plain, err := url.QueryUnescape(body); err == nil {
				body = plain
			}
			out[fmt.Sprint(s.Name, " ", i)] = body
		}
	}
	var console bytes.Buffer
	for _, a := range Actions(consolepkg.New(consolepkg.Options{Writer: &console}), Sink{}) {
		for _, alert := range alerts {
			require.NoError(t, a.Do(t.Context(), alert))
		}
	}
	out["console"] = console.String()
	return out
}

// alertsOf are alerts of every kind, whose evidence is that of the flags.
func alertsOf(flags []schemas.Flag) []schemas.Alert {
	var alerts []schemas.Alert
	for i, f := range flags {
		a := samples.MinimalAlert()
		a.Flag, a.Riskiest, a.Count, a.Severity = f, flags[i:min(len(flags), i+3)], 3, schemas.SeverityHigh
		alerts = append(alerts, a)
	}
	for _, kind := range []schemas.AlertKind{schemas.AlertDigest, schemas.AlertBroken} {
		a := alerts[0]
		a.Kind, a.Cause, a.Detector, a.FiringRate = kind, schemas.DigestStale, "facts", 0.9
		alerts = append(alerts, a)
	}
	return alerts
}

// records are the flag as it is written.
func records(t *testing.T, f *schemas.Flag) string {
	t.Helper()
	raw, err := jsonschemas.AppendFlag(nil, f)
	require.NoError(t, err)
	raw, err = avro.AppendFlag(append(raw, '\n'), f)
	require.NoError(t, err)
	return string(raw)
}

// TestCanaries: what a text holds of keys and personal data reaches nobody, whatever the detectors make of it. The only
// texts of others that are shown as they are name things: tenant, service, operation, model, ids and tags.
func TestCanaries(t *testing.T) {
	require.GreaterOrEqual(t, len(samples.Canaries()), 30)
	for _, c := range samples.Canaries() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			flags := measured(t, c, redact.Redact, slog.New(slog.NewTextHandler(&log, nil)))
			for i := range flags {
				require.Empty(t, c.Leaks(records(t, &flags[i])), "carrier %d", i)
			}
			for where, out := range shown(t, alertsOf(flags)) {
				require.Empty(t, c.Leaks(out), "%s: %s", where, out)
			}
			require.Empty(t, c.Leaks(log.String()))

			raw := 0
			flags = measured(t, c, func(s string) string { return s }, nil)
			for i := range flags {
				if c.Leaks(records(t, &flags[i])) != "" {
					raw++
				}
			}
			require.GreaterOrEqual(t, raw, 2, "without redaction the carriers show it, so the test can fail")
		})
	}
}

// TestCanariesOnTheWay: neither what is remembered of alerts nor what is logged on the way holds a canary, whether they are
// told, fail to be told, or wait.
func TestCanariesOnTheWay(t *testing.T) {
	for _, c := range samples.Canaries() {
		flags := measured(t, c, redact.Redact, nil)
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := alerting.NewPolicy(alerting.PolicyOptions{Default: alerting.RuleOptions{Threshold: new(0.5)}})
				down := true
				sink := &FakeSink{Fail: func(string, *schemas.Alert) error {
					if down {
						return ErrDown
					}
					return nil
				}}
				var logged bytes.Buffer
				log := NewFakeLog()
				d := dispatch.New(dispatch.Options{
					Notifier: sink, Sink: "bot", Metrics: dispatch.NewMetrics(prometheus.NewRegistry()), Policy: p, Partitions: 1, Threads: true,
					Logger: slog.New(slog.NewTextHandler(&logged, nil)),
				})
				d.Assign(0)
				require.NoError(t, d.Load(t.Context(), 0, log, log.Records()))
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- d.Run(ctx) }()
				for i, f := range flags {
					if i%2 == 1 && len(f.Fired) > 0 {
						f.AnomalousRates = map[string]float64{f.Fired[0]: 0.9}
					}
					p.Stamp(&f)
					_, err := d.Add(t.Context(), 0, &f)
					require.NoError(t, err)
				}
				<-time.After(time.Minute)
				sink.Mutex.Lock()
				down = false
				sink.Mutex.Unlock()
				<-time.After(10 * time.Minute)
				require.NoError(t, d.Label(t.Context(), schemas.Feedback{
					IncidentID: flags[0].IncidentID, Verdict: schemas.Confirmed, User: "U012AB", Source: schemas.FromSlack, At: time.Now(),
				}))
				<-time.After(10 * time.Minute)
				synctest.Wait()
				require.NotEmpty(t, sink.Alerts())
				require.NotEmpty(t, log.Journal)
				for _, w := range log.Journal {
					require.Empty(t, c.Leaks(w.key+" "+string(w.Value)))
				}
				stop()
				require.ErrorIs(t, <-ended, context.Canceled)
				require.NotEmpty(t, logged.String())
				require.Empty(t, c.Leaks(logged.String()))
			})
		})
	}
}

// TestCanariesAtTheLastEdge: a flag that was written without redaction, by whomever, is redacted by the sink.
func TestCanariesAtTheLastEdge(t *testing.T) {
	for _, c := range samples.Canaries() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			f := samples.Flag()
			text := "see " + c.Text + " for more"
			for i := range f.Signals {
				f.Signals[i].Reason = text
				for j := range f.Signals[i].Evidence {
					e := &f.Signals[i].Evidence[j]
					e.Excerpt, e.Note, e.Citation = text, text, text
				}
			}
			f.Grounding = &schemas.Grounding{UngroundedClaimList: []schemas.Claim{{Excerpt: text}}}
			alerts := alertsOf([]schemas.Flag{f, f, f})
			for i := range alerts {
				alerts[i].Feedback = []schemas.Feedback{{Verdict: schemas.Confirmed, User: "U012AB", Source: schemas.FromCLI, At: samples.Morning(), Comment: text}}
			}
			for where, out := range shown(t, alerts) {
				require.Empty(t, c.Leaks(out), "%s: %s", where, out)
			}
		})
	}
}
