package calibrate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/roc"
	"confab/calibration/thresholds"
	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/kafka/kafkatest"
	"confab/schemas"
	"confab/schemas/json"
)

// feedbackTest is a cluster in which 80 of 120 incidents are labelled; 60 of these were alerts, half of them right.
type feedbackTest struct {
	t       *testing.T
	cluster *embedded.Cluster
	cfg     kafka.Config
	flags   []schemas.Flag
}

// newFeedbackTest makes flags on which alpha has .9 where the answer is wrong and .8 where it is fine.
func newFeedbackTest(t *testing.T) *feedbackTest {
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{"flags": 2, "labels": 2}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	s := &feedbackTest{t: t, cluster: c, cfg: kafka.Config{SeedBrokers: c.Seeds()}}
	var labels []kafka.Message
	for i := range 120 {
		wrong := i%2 == 0
		e := schemas.Interaction{ID: fmt.Sprint("i", i), Answer: "a", Tenant: schemas.DefaultTenant}
		score := .8
		if wrong {
			score = .9
		}
		f := schemas.Flag{
			IncidentID: e.EventID().IncidentID(), Pass: schemas.PassFast, Tenant: e.Tenant, DetectedAt: labelledAt,
			Signals: []schemas.Signal{{Detector: "alpha", Outcome: schemas.Clear, Score: score}},
		}
		if i < 60 {
			f.Alert, f.Fired = true, []string{"citation"}
		}
		s.flags = append(s.flags, f)
		if i >= 80 {
			continue
		}
		l := schemas.Feedback{IncidentID: f.IncidentID, Verdict: schemas.Fine, User: "ann", Source: schemas.FromSlack, At: labelledAt}
		if wrong {
			l.Verdict = schemas.Wrong
		}
		value, err := json.AppendFeedback(nil, &l)
		require.NoError(t, err)
		labels = append(labels, kafka.Message{Topic: "labels", Partition: kafka.AnyPartition, Key: []byte(l.IncidentID), Value: value})
	}
	kafkatest.Write(t, s.cfg, labels...)
	return s
}

func (s *feedbackTest) options() Options {
	s.t.Helper()
	force, err := calibration.New(calibration.File{
		Format: calibration.Format, ID: "old", Thresholds: []calibration.Threshold{{Detector: "alpha", Threshold: .3, Armed: true}},
	})
	require.NoError(s.t, err)
	return Options{
		InForce: force, Suite: recordedSuite, Out: filepath.Join(s.t.TempDir(), "new.yaml"), Workers: 2,
		Choose: thresholds.Options{Target: roc.Target{Precision: .7}, CreatedBy: "test", Now: labelledAt},
		Feedback: &FeedbackOptions{
			Kafka: s.cfg, Topic: "labels", Incidents: "flags", Since: labelledAt.Add(-10 * 365 * 24 * time.Hour),
			Decode: func(_ context.Context, value []byte, f *schemas.Flag) error {
				if err := json.DecodeFlag(value, f); err != nil {
					return &consumer.PoisonError{Stage: "decode", Reason: "no_json", Err: err}
				}
				return nil
			},
		},
	}
}

func TestCalibrateOnFeedback(t *testing.T) {
	s := newFeedbackTest(t)
	s.flags[30].IncidentID = "" // a flag without an incident
	writeIncidents(t, s.cfg, "flags", s.flags...)
	kafkatest.Write(t, s.cfg, kafka.Message{Topic: "flags", Value: []byte("{")}, kafka.Message{Topic: "labels", Value: []byte("{")})
	o := s.options()
	var out, warnings bytes.Buffer
	require.NoError(t, Run(t.Context(), &out, &warnings, o))
	require.Contains(t, out.String(), "59 of 59 alerted, 0 of 0 flagged but not alerted, 20 of 60 quiet\n")
	require.Contains(t, out.String(), "1 labelled incidents have no flag any more")
	require.Contains(t, out.String(), "3 records of labels and flags could not be read")
	f, err := os.Open(o.Out)
	require.NoError(t, err)
	defer f.Close()
	c, err := calibration.Load(f)
	require.NoError(t, err)
	at, armed := c.Threshold("alpha", "", "", "")
	require.True(t, armed)
	require.True(t, .8 < at && at <= .9, "%v", at)

	again := s.options()
	require.NoError(t, Run(t.Context(), &bytes.Buffer{}, &bytes.Buffer{}, again))
	first, err := os.ReadFile(o.Out)
	require.NoError(t, err)
	second, err := os.ReadFile(again.Out)
	require.NoError(t, err)
	require.Equal(t, string(first), string(second), "the same labels give the same file")
}

func TestCalibrateOnFeedbackAndFiles(t *testing.T) {
	s := newFeedbackTest(t)
	writeIncidents(t, s.cfg, "flags", s.flags...)
	o := s.options()
	o.Files = []string{filepath.Join(t.TempDir(), "recorded.jsonl")}
	require.NoError(t, os.WriteFile(o.Files[0], []byte(strings.Join(recordedRows(), "\n")), 0o600))
	var out bytes.Buffer
	require.NoError(t, Run(t.Context(), &out, &bytes.Buffer{}, o))
	require.Contains(t, out.String(), fmt.Sprintf("%d rows", 80+len(recordedRows())))
}

func TestCalibrateOnFeedbackErrors(t *testing.T) {
	s := newFeedbackTest(t)
	writeIncidents(t, s.cfg, "flags", s.flags...)
	run := func(change func(o *Options)) error {
		o := s.options()
		change(&o)
		err := Run(t.Context(), &bytes.Buffer{}, &bytes.Buffer{}, o)
		require.NoFileExists(t, o.Out)
		return err
	}
	require.ErrorIs(t, run(func(o *Options) { o.Feedback.maxIncidents = 100 }), ErrTooManyIncidents)
	require.ErrorIs(t, run(func(o *Options) { o.Feedback.Since = time.Now().Add(time.Hour) }), thresholds.ErrLabels)
	require.ErrorContains(t, run(func(o *Options) { o.Feedback.Topic = "nowhere" }), "confab topics apply")
}

var labelledAt = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// writeIncidents writes flags as the worker keys them.
func writeIncidents(t *testing.T, cfg kafka.Config, topic string, flags ...schemas.Flag) {
	t.Helper()
	var ms []kafka.Message
	for i := range flags {
		value, err := json.AppendFlag(nil, &flags[i])
		require.NoError(t, err)
		ms = append(ms, kafka.Message{Topic: topic, Partition: kafka.AnyPartition, Key: []byte(flags[i].IncidentID), Value: value})
	}
	kafkatest.Write(t, cfg, ms...)
}
