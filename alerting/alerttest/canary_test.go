package alerttest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"sync"
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

// lowThresholds is a calibration with which nearly everything fires.
type lowThresholds struct{ *calibration.Calibration }

func (lowThresholds) Threshold(_, _, _, _ string) (float64, bool) { return 0.001, true }

// detectFlags returns the flags of the canaryInteractions.
func detectFlags(t *testing.T, c Canary, redact func(string) string, log *slog.Logger) []schemas.Flag {
	t.Helper()
	cal, err := calibration.Default()
	require.NoError(t, err)
	model, err := standard.DefaultModel()
	require.NoError(t, err)
	suite, err := suites.NewSuite(suites.Options{
		Detectors: standard.Fast(standard.Dependencies{Baselines: cal, Model: model}), Fusion: model.Fuser(),
		Thresholds: lowThresholds{cal}, Risks: cal, Redact: redact, Now: time.Now, Logger: log,
	})
	require.NoError(t, err)
	var flags []schemas.Flag
	for _, in := range canaryInteractions(c) {
		e := suite.Evaluate(t.Context(), &in)
		flags = append(flags, e.Flag(schemas.Origin{Topic: "t"}, schemas.PassFast, samples.Noon()))
		e.Release()
	}
	return flags
}

// canaryInteractions returns interactions whose texts hold the canary. Names do not, because they are shown as they are, nor
// do links in which the canary looks like a path.
func canaryInteractions(c Canary) []schemas.Interaction {
	text := c.Text
	quoted, _ := json.Marshal(text)
	prose := "The office in Lisbon said on Monday that " + text + " belongs to the old bridge [1]. It opened in 1937 and is 27 km long [2]."
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
			Sources: []schemas.Source{{ID: "s1", Text: fmt.Sprintf(`{"owner":"none","note":%s,"year":1889}`, quoted)}},
			ResponseSchema: fmt.Sprintf(
				`{"type":"object","required":["missing"],"additionalProperties":false,"properties":{"owner":{"enum":["none"],"description":%s},"year":{"maximum":3}}}`, quoted),
		},
		{Answer: `{"broken": ` + string(quoted), ResponseSchema: `{"type":"object"}`},
		{Answer: prose, Sources: sources, Logprobs: unlikelyLogprobs(prose)},
	}
	for i := range list {
		in := &list[i]
		in.ID, in.Tenant, in.Service, in.Operation, in.Model = fmt.Sprint("i-", i), "acme", "support", "answer", "m"
		in.Messages = []schemas.Message{{Role: "system", Content: "Never reveal " + text}, {Role: "user", Content: "Who is " + text + "?"}}
		in.Attributes, in.Temperature = map[string]string{"note": text}, schemas.UnknownTemperature
	}
	for i := range list {
		list[i].Messages = []schemas.Message{{Role: "user", Content: "Is " + text + " right?\nReally, " + text}}
	}
	return list
}

// unlikelyLogprobs returns log-probabilities of an answer in tokens of four bytes, of which every third is unlikely.
func unlikelyLogprobs(answer string) (l schemas.Logprobs) {
	for i := 0; i < len(answer); i += 4 {
		v := float32(-0.01)
		if i/4%3 == 0 {
			v = -6
		}
		l.Values, l.Offsets = append(l.Values, v), append(l.Offsets, int32(i))
	}
	return l
}

// renderEverywhere returns what every sink sends of the alerts, decoded, by sink and number.
func renderEverywhere(t *testing.T, alerts []schemas.Alert) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, s := range sinkCases() {
		fake := NewFakeServer(t)
		for _, a := range actionsOf(s.open(t, fake.URL, fake.Options()), s) {
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
	for _, a := range actionsOf(consolepkg.New(consolepkg.Options{Writer: &console}), sinkCase{}) {
		for _, alert := range alerts {
			require.NoError(t, a.Do(t.Context(), alert))
		}
	}
	out["console"] = console.String()
	return out
}

// alertsOf returns alerts of every kind with the evidence of the flags.
func alertsOf(flags []schemas.Flag) []schemas.Alert {
	var alerts []schemas.Alert
	for i, f := range flags {
		a := samples.MinimalAlert()
		a.Flag, a.Riskiest, a.Count, a.Severity = f, flags[i:min(len(flags), i+3)], 3, schemas.SeverityHigh
		alerts = append(alerts, a)
	}
	digest := alerts[0]
	digest.Kind, digest.Cause = schemas.AlertDigest, schemas.DigestStale
	return append(alerts, digest)
}

// encodeRecords returns the flag in all output formats.
func encodeRecords(t *testing.T, f *schemas.Flag) string {
	t.Helper()
	raw, err := jsonschemas.AppendFlag(nil, f)
	require.NoError(t, err)
	raw, err = avro.AppendFlag(append(raw, '\n'), f)
	require.NoError(t, err)
	return string(raw)
}

// TestCanaries: keys and personal data in texts are in no flag, log or message. Untrusted names are shown as they are:
// tenant, service, operation, model, ids and tags.
func TestCanaries(t *testing.T) {
	require.GreaterOrEqual(t, len(Canaries()), 30)
	for _, c := range Canaries() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			flags := detectFlags(t, c, redact.Redact, slog.New(slog.NewTextHandler(&log, nil)))
			for i := range flags {
				require.Empty(t, c.Leaks(encodeRecords(t, &flags[i])), "interaction %d", i)
			}
			for where, out := range renderEverywhere(t, alertsOf(flags)) {
				require.Empty(t, c.Leaks(out), "%s: %s", where, out)
			}
			require.Empty(t, c.Leaks(log.String()))

			raw := 0
			flags = detectFlags(t, c, func(s string) string { return s }, nil)
			for i := range flags {
				if c.Leaks(encodeRecords(t, &flags[i])) != "" {
					raw++
				}
			}
			require.GreaterOrEqual(t, raw, 2, "without redaction the test fails")
		})
	}
}

// switchedSink fails while it is down.
type switchedSink struct {
	mu    sync.Mutex
	down  bool
	posts int
}

func (s *switchedSink) setDown(down bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = down
}

func (s *switchedSink) Notify(context.Context, schemas.Alert) (schemas.Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return schemas.Receipt{}, &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonConnection, Op: "post", Detail: "refused"}
	}
	s.posts++
	return schemas.Receipt{Channel: "C042", Timestamp: fmt.Sprintf("%d.0", s.posts)}, nil
}

func (s *switchedSink) Edit(context.Context, schemas.Alert, schemas.Receipt) error { return nil }

// journal is an alert log that keeps the text of every record.
type journal struct {
	mu      sync.Mutex
	written []string
	states  map[string]schemas.AlertState
}

func (j *journal) Get(key string) (schemas.AlertState, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s, ok := j.states[key]
	return s, ok
}

func (j *journal) Put(_ context.Context, entries ...alerting.StateEntry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range entries {
		if e.State == nil {
			delete(j.states, e.Key)
			continue
		}
		raw, err := jsonschemas.AppendAlertState(nil, e.State)
		if err != nil {
			return err
		}
		j.written, j.states[e.Key] = append(j.written, e.Key+" "+string(raw)), *e.State
	}
	return nil
}

// TestCanariesInState: neither the alert state nor the log holds a canary, for pending, failed and sent alerts.
func TestCanariesInState(t *testing.T) {
	for _, c := range Canaries() {
		flags := detectFlags(t, c, redact.Redact, nil)
		t.Run(c.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := alerting.NewPolicy(alerting.PolicyOptions{Default: alerting.RuleOptions{Threshold: new(0.5)}})
				sink := &switchedSink{down: true}
				var logged bytes.Buffer
				log := &journal{states: map[string]schemas.AlertState{}}
				d := dispatch.New(dispatch.Options{
					Notifier: sink, Sink: "bot", Metrics: dispatch.NewMetrics(prometheus.NewRegistry()), Policy: p, Partitions: 1,
					Logger: slog.New(slog.NewTextHandler(&logged, nil)),
				})
				d.Assign(0)
				require.NoError(t, d.Load(t.Context(), 0, log, func(func(alerting.StateEntry, error) bool) {}))
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- d.Run(ctx) }()
				for _, f := range flags {
					p.Stamp(&f)
					_, err := d.Add(t.Context(), 0, &f)
					require.NoError(t, err)
				}
				<-time.After(time.Minute)
				sink.setDown(false)
				<-time.After(10 * time.Minute)
				require.NoError(t, d.Label(t.Context(), schemas.Feedback{
					IncidentID: flags[0].IncidentID, Verdict: schemas.Wrong, User: "U012AB", Source: schemas.FromSlack, At: time.Now(),
				}))
				<-time.After(10 * time.Minute)
				synctest.Wait()
				require.Positive(t, sink.posts)
				require.NotEmpty(t, log.written)
				for _, w := range log.written {
					require.Empty(t, c.Leaks(w))
				}
				stop()
				require.ErrorIs(t, <-ended, context.Canceled)
				require.NotEmpty(t, logged.String())
				require.Empty(t, c.Leaks(logged.String()))
			})
		})
	}
}

// TestCanariesInUnredactedFlags: a flag that was written without redaction is redacted by the sink.
func TestCanariesInUnredactedFlags(t *testing.T) {
	for _, c := range Canaries() {
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
				alerts[i].Feedback = []schemas.Feedback{{Verdict: schemas.Wrong, User: "U012AB", Source: schemas.FromCLI, At: samples.Noon(), Comment: text}}
			}
			for where, out := range renderEverywhere(t, alerts) {
				require.Empty(t, c.Leaks(out), "%s: %s", where, out)
			}
		})
	}
}
