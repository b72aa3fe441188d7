package tuning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/calibration"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// refitHarness has a cluster with the flags and labels of a traffic.
type refitHarness struct {
	*testing.T
	config   *config.Config
	kafka    kafka.Config
	producer *kafka.Producer
	now      time.Time
}

func newRefitHarness(t *testing.T, w *testTraffic, labels ...*schemas.Feedback) *refitHarness {
	t.Helper()
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{"llm.incidents": 3, "llm.feedback": 3, "llm.feedback.users": 3, testTopic: 1}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	h := &refitHarness{T: t, config: config.Default(), kafka: kafka.Config{SeedBrokers: c.Seeds()}, now: testTime.Add(time.Hour)}
	h.config.Tuning.Auto = config.TuningApply
	h.producer, err = kafka.NewProducer(h.kafka)
	require.NoError(t, err)
	t.Cleanup(h.producer.Close)
	var all []kafka.Message
	for _, f := range w.flags() {
		value, err := json.AppendFlag(nil, f)
		require.NoError(t, err)
		all = append(all, kafka.Message{Topic: "llm.incidents", Partition: kafka.AnyPartition, Key: []byte(f.IncidentID), Value: value})
	}
	for _, l := range labels {
		value, err := json.AppendFeedback(nil, l)
		require.NoError(t, err)
		all = append(all, kafka.Message{Topic: "llm.feedback", Partition: kafka.AnyPartition, Key: []byte(l.IncidentID), Value: value})
	}
	require.NoError(t, h.producer.ProduceSync(t.Context(), all...))
	return h
}

// replica is a process of the role sample. It owns the first partition if it is told so.
func (h *refitHarness) replica(decode func(ctx context.Context, value []byte, f *schemas.Flag) error) *Refitter {
	log := slog.New(slog.DiscardHandler)
	registry := prometheus.NewRegistry()
	if decode == nil {
		decode = func(_ context.Context, value []byte, f *schemas.Flag) error { return json.DecodeFlag(value, f) }
	}
	versions := NewFollower(FollowerOptions{Kafka: h.kafka, Topic: testTopic, Registry: registry, Logger: log})
	return NewRefitter(RefitterOptions{
		Config: func() *config.Config { return h.config }, Versions: versions, Kafka: h.kafka, Producer: h.producer,
		Decode: decode, Registry: registry, Logger: log, Now: func() time.Time { return h.now },
	})
}

func (h *refitHarness) state() *State {
	h.Helper()
	s, err := ReadState(h.Context(), h.kafka, testTopic)
	require.NoError(h, err)
	return s
}

func outcomesOf(r *Refitter, o Outcome) float64 {
	return testutil.ToFloat64(r.outcomes.WithLabelValues(string(o)))
}

// learnable is traffic in which the embedded calibration flags many right answers, with people who agree with the judge.
func learnable(seed uint64) (*testTraffic, []*schemas.Feedback) {
	w := newTestTraffic(seed, 3000)
	w.sampled = .3
	for i := range w.answers {
		a := &w.answers[i]
		a.sampled = i%10 < 3
		a.scores = [2]float64{a.scores[0] * .3, a.scores[1] * .3}
		if a.wrong = i%8 == 0; a.wrong {
			a.scores = [2]float64{.9, .9}
		}
		if a.judged = a.wrong; i%8 == 4 {
			a.scores[0] = .52
		}
	}
	return w, w.agreed(400)
}

// TestRefit: every replica asks, one refits a window once; nobody else's version is overwritten, and going back is respected.
func TestRefit(t *testing.T) {
	w, labels := learnable(1)
	h := newRefitHarness(t, w, labels...)
	other, r := h.replica(nil), h.replica(nil)
	other.look(t.Context())
	require.Empty(t, h.state().Versions, "it does not own the partition")
	r.Assign([]int32{1})
	r.look(t.Context())
	require.Empty(t, h.state().Versions)
	r.Assign([]int32{0, 2})
	r.look(t.Context())
	s := h.state()
	require.Equal(t, Applied, s.Refit.Outcome, s.Refit.Words)
	require.InDelta(t, 1, outcomesOf(r, Applied), 0)
	v := s.Current()
	require.Equal(t, s.Refit.Version, v.ID)
	require.Empty(t, v.Parent)
	require.Equal(t, "Nothing, if you agree. To go back: confab tune --rollback", v.Words[len(v.Words)-1])
	require.Equal(t, testTime, s.Refit.Until)

	other.Assign([]int32{0})
	other.look(t.Context())
	r.look(t.Context())
	require.Equal(t, s, h.state(), "the window is done, whoever looks")
	require.InDelta(t, 1, outcomesOf(r, Applied)+outcomesOf(other, Applied), 0, "and counts once")

	require.NoError(t, Rollback(t.Context(), h.kafka, testTopic, h.now))
	require.Empty(t, h.state().InForce.Version)
	h.now = h.now.Add(week)
	r.look(t.Context())
	require.Equal(t, TooFew, h.state().Refit.Outcome, "no answers in that week")
	require.Nil(t, h.state().Current())
	h.now = testTime.Add(time.Hour)
	held, parent := h.state(), v.ID
	write(t, h.kafka, keyRefit, Refit{Until: testTime.Add(-week)})
	require.True(t, held.InForce.Held)
	r.look(t.Context())
	s = h.state()
	require.Equal(t, Proposed, s.Refit.Outcome)
	require.Equal(t, parent, s.Pending().ID, "the same rows give the same version")
	require.Contains(t, s.Refit.Words[len(s.Refit.Words)-1], "confab tune --accept "+parent)
}

func TestRefitOfFewAnswers(t *testing.T) {
	w, labels := learnable(2)
	w.answers = w.answers[:400]
	h := newRefitHarness(t, w, labels[:10]...)
	r := h.replica(nil)
	r.Assign([]int32{0})
	r.look(t.Context())
	s := h.state()
	require.Equal(t, TooFew, s.Refit.Outcome)
	require.Empty(t, s.Versions)
	require.Contains(t, s.Refit.Words[0], fmt.Sprint(minJudged, " are needed"))
}

// TestRebalanceDuringARefit: the process that loses the partition writes nothing, the next one refits.
func TestRebalanceDuringARefit(t *testing.T) {
	w, labels := learnable(3)
	h := newRefitHarness(t, w, labels...)
	var first *Refitter
	first = h.replica(func(_ context.Context, value []byte, f *schemas.Flag) error {
		first.Revoke([]int32{0, 1})
		return json.DecodeFlag(value, f)
	})
	first.Assign([]int32{0, 1})
	first.look(t.Context())
	require.Equal(t, new(State), h.state())
	require.Zero(t, outcomesOf(first, Failed), "it is no failure")
	second := h.replica(nil)
	second.Assign([]int32{0})
	second.look(t.Context())
	require.Equal(t, Applied, h.state().Refit.Outcome)
}

// TestChoiceDuringARefit: what a person chooses meanwhile holds.
func TestChoiceDuringARefit(t *testing.T) {
	w, labels := learnable(6)
	h := newRefitHarness(t, w, labels...)
	chosen := false
	r := h.replica(func(ctx context.Context, value []byte, f *schemas.Flag) error {
		if !chosen {
			chosen = true
			require.NoError(t, choose(ctx, h.kafka, testTopic, Choice{At: h.now, Held: true}))
		}
		return json.DecodeFlag(value, f)
	})
	r.Assign([]int32{0})
	r.look(t.Context())
	require.Equal(t, []any{"", true, Outcome("")}, []any{h.state().InForce.Version, h.state().InForce.Held, h.state().Refit.Outcome})
	h.now = h.now.Add(retryAfter)
	r.look(t.Context())
	require.Equal(t, Proposed, h.state().Refit.Outcome)
	require.True(t, h.state().InForce.Held)
}

// TestLostRecordOfARefit: a window moves thresholds by one step, also where the record that it is done was lost.
func TestLostRecordOfARefit(t *testing.T) {
	w, labels := learnable(7)
	h := newRefitHarness(t, w, labels...)
	r := h.replica(nil)
	r.Assign([]int32{0})
	r.look(t.Context())
	first := h.state()
	require.Equal(t, Applied, first.Refit.Outcome)
	write(t, h.kafka, keyRefit, Refit{Until: testTime.Add(-week)})
	r.look(t.Context())
	again := h.state()
	require.Equal(t, first.Versions, again.Versions)
	require.Equal(t, first.InForce, again.InForce)
	require.Equal(t, []any{Applied, testTime, first.Refit.Version}, []any{again.Refit.Outcome, again.Refit.Until, again.Refit.Version})
}

// TestWrongClock: records of a replica whose clock was years ahead end neither refits nor notices.
func TestWrongClock(t *testing.T) {
	w, labels := learnable(10)
	h := newRefitHarness(t, w, labels...)
	ahead := h.now.AddDate(9, 0, 0)
	write(t, h.kafka, keyRefit, Refit{Until: ahead, At: ahead, Outcome: TooFew})
	write(t, h.kafka, keyTold, ahead)
	r := h.replica(nil)
	r.Versions.Load(t.Context())
	r.Assign([]int32{0})
	r.look(t.Context())
	require.Equal(t, []any{Applied, testTime}, []any{h.state().Refit.Outcome, h.state().Refit.Until})
	out := &sink{}
	r.Versions.Load(t.Context())
	teller := &Teller{Versions: r.Versions, Notifier: out, Producer: h.producer, Logger: r.Logger, Now: r.Now}
	teller.Assign([]int32{0})
	teller.look(t.Context())
	require.Len(t, out.got, 1)
}

// TestTooLargeVersion: it is reported once in a window, not fitted again every ten minutes.
func TestTooLargeVersion(t *testing.T) {
	w, labels := learnable(8)
	h := newRefitHarness(t, w, labels...)
	cal, err := calibration.Default()
	require.NoError(t, err)
	f := cal.File()
	for i := range 1800 {
		f.Thresholds = append(f.Thresholds, calibration.Threshold{Detector: "facts", Tenant: fmt.Sprint(i, strings.Repeat("x", 400)), Threshold: .5, Armed: true})
	}
	h.config.CalibrationFile = filepath.Join(t.TempDir(), "calibration.yaml")
	require.NoError(t, calibration.Save(h.config.CalibrationFile, f))
	r := h.replica(nil)
	r.Assign([]int32{0})
	r.look(t.Context())
	s := h.state()
	require.Equal(t, Failed, s.Refit.Outcome, s.Refit.Words)
	require.Contains(t, s.Refit.Words[0], "the record is too large")
	require.Empty(t, s.Versions)
	require.InDelta(t, 1, outcomesOf(r, Failed), 0)
}

func TestRefitFails(t *testing.T) {
	w, labels := learnable(4)
	h := newRefitHarness(t, w, labels...)
	down := true
	r := h.replica(func(_ context.Context, value []byte, f *schemas.Flag) error {
		if down {
			return errors.New("the registry is down")
		}
		return json.DecodeFlag(value, f)
	})
	r.Assign([]int32{0})
	r.look(t.Context())
	r.look(t.Context())
	require.InDelta(t, 1, outcomesOf(r, Failed), 0, "not at once again")
	require.Equal(t, new(State), h.state())
	down = false
	h.now = h.now.Add(retryAfter)
	r.look(t.Context())
	require.Equal(t, Applied, h.state().Refit.Outcome)

	h.config.CalibrationFile = "missing.yaml"
	h.now = h.now.Add(week)
	r.look(t.Context())
	require.InDelta(t, 2, outcomesOf(r, Failed), 0)
}

// TestOldVersionsAreDeleted but those that a person may go back to.
func TestOldVersionsAreDeleted(t *testing.T) {
	w, labels := learnable(5)
	h := newRefitHarness(t, w, labels...)
	for i := range maxVersions + 3 {
		v := testVersion(fmt.Sprintf("v%02d", i), "base", "", testTime.Add(time.Duration(i-100)*week), .5)
		write(t, h.kafka, versionPrefix+v.ID, v)
	}
	write(t, h.kafka, keyInForce, Choice{Version: "v00"})
	r := h.replica(nil)
	r.Assign([]int32{0})
	r.look(t.Context())
	s := h.state()
	require.Len(t, s.Versions, maxVersions+1)
	require.Contains(t, s.Versions, "v00", "it was in force")
	require.NotContains(t, s.Versions, "v01")
}

// sink is a sink that fails at first.
type sink struct {
	fail error
	got  []schemas.Alert
}

func (s *sink) Notify(_ context.Context, a schemas.Alert) (schemas.Receipt, error) {
	if s.fail != nil {
		return schemas.Receipt{}, s.fail
	}
	s.got = append(s.got, a)
	return schemas.Receipt{}, nil
}

// TestTeller: on-call is told once of what a refit did, whoever owns the partition and however often it restarts.
func TestTeller(t *testing.T) {
	w := &testTraffic{}
	h := newRefitHarness(t, w)
	log := slog.New(slog.DiscardHandler)
	out := &sink{fail: &alerting.Error{Class: alerting.Retryable, Ambiguous: true}}
	start := func() *Teller {
		f := NewFollower(FollowerOptions{Kafka: h.kafka, Topic: testTopic, Registry: prometheus.NewRegistry(), Logger: log})
		f.Load(t.Context())
		return &Teller{Versions: f, Notifier: out, Producer: h.producer, Logger: log, Now: func() time.Time { return h.now }}
	}
	start().look(t.Context())
	write(t, h.kafka, keyRefit, Refit{At: h.now, Outcome: Kept, Words: []string{"nothing"}})
	silent := start()
	silent.Assign([]int32{0})
	out.fail = nil
	silent.look(t.Context())
	require.Empty(t, out.got, "nothing has changed")

	write(t, h.kafka, keyRefit, Refit{At: h.now, Outcome: Applied, Version: "v1", Words: []string{"threshold of facts: 0.55, was 0.60", "To go back: confab tune --rollback"}})
	teller := start()
	teller.look(t.Context())
	require.Empty(t, out.got, "another one owns the partition")
	teller.Assign([]int32{0})
	out.fail = &alerting.Error{Class: alerting.Retryable, Ambiguous: true}
	teller.look(t.Context())
	out.fail = nil
	teller.look(t.Context())
	require.Empty(t, out.got, "not at once again")
	h.now = h.now.Add(2 * time.Minute)
	teller.look(t.Context())
	teller.look(t.Context())
	restarted := start()
	restarted.Assign([]int32{0})
	restarted.look(t.Context())
	require.Len(t, out.got, 1)
	notice := out.got[0]
	require.Equal(t, schemas.AlertNotice, notice.Kind)
	require.Contains(t, notice.Notice[0], "calibration v1 is in force")
	require.Contains(t, strings.Join(notice.Notice, "\n"), "confab tune --rollback")
}
