package redrive

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/kafka/embedded"
	"confab/internal/kafka/kafkatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is a cluster with a topic of interactions, one of dead letters and others.
type stage struct {
	*embedded.Cluster

	kafka  kafka.Config
	writer *deadletter.Writer
}

func newStage(t *testing.T) *stage {
	t.Helper()
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{"in": 3, "dlq": 2, "foreign": 1, "other": 1}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return &stage{Cluster: c, kafka: kafka.Config{SeedBrokers: c.Seeds()}, writer: deadletter.NewWriter(deadletter.Options{Topic: "dlq", Name: "confab-detect"})}
}

func (s *stage) write(t *testing.T, letters ...deadletter.Letter) {
	t.Helper()
	for i := range letters {
		kafkatest.Write(t, s.kafka, s.writer.Message(&letters[i]))
	}
}

func (s *stage) options(write bool) *Options {
	return &Options{
		Kafka: s.kafka, DeadLetters: "dlq", Topics: []string{"in"}, MaxAttempts: 3, Write: write, Burst: 500, Timeout: 10 * time.Second,
		Permit: func(context.Context, int) error { return nil },
	}
}

func (s *stage) run(t *testing.T, o *Options) *Result {
	t.Helper()
	r, err := Run(t.Context(), o)
	require.NoError(t, err)
	return r
}

// letterAt is a dead letter of an unknown schema, which may be known by now.
func letterAt(partition int32, offset int64, text string, headers ...kafka.Header) deadletter.Letter {
	return deadletter.Letter{
		Topic: "in", Partition: partition, Offset: offset, Key: []byte("key"), Value: []byte(text), Headers: headers,
		Stage: "decode", Reason: "unknown_schema",
	}
}

func header(key, value string) kafka.Header { return kafka.Header{Key: key, Value: []byte(value)} }

// A record goes back to its partition with its key, value and headers: those of the dead letter are gone, the origin stays, and
// the attempt lets the next dead letter count on. Without --yes nothing is sent.
func TestRecordsGoBack(t *testing.T) {
	s := newStage(t)
	s.write(t, letterAt(2, 7, "first", header("traceparent", "00-1"), header(deadletter.HeaderOrigin, "x/0/1/0")), letterAt(2, 8, "second"),
		letterAt(9, 1, "of a partition that is gone"))
	plan := s.run(t, s.options(false))
	require.Equal(t, 3, plan.Planned)
	require.Empty(t, kafkatest.ReadAll(t, s.kafka, "in"))

	require.Equal(t, 3, s.run(t, s.options(true)).Sent)
	got := kafkatest.ReadAll(t, s.kafka, "in")
	require.Len(t, got, 3)
	var back []kafka.FetchedRecord
	for _, r := range got {
		require.Equal(t, "key", string(r.Key))
		if r.Partition == 2 {
			back = append(back, r)
		}
	}
	require.GreaterOrEqual(t, len(back), 2)
	require.Equal(t, "first", string(back[0].Value))
	require.Equal(t, "second", string(back[1].Value), "in their order")
	require.Equal(t, []kafka.Header{header("traceparent", "00-1"), header(deadletter.HeaderOrigin, "x/0/1/0"), header(deadletter.HeaderAttempt, "1")}, back[0].Headers)
}

// A record that fails again and again is sent MaxAttempts - 1 times at most.
func TestLoopGuard(t *testing.T) {
	s := newStage(t)
	s.write(t, letterAt(0, 1, "again"))
	sent := 0
	for range 5 {
		sent += s.run(t, s.options(true)).Sent
		back := kafkatest.ReadAll(t, s.kafka, "in")
		last := back[len(back)-1]
		require.NoError(t, s.DeleteTopic("dlq"))
		require.NoError(t, s.CreateTopic("dlq", 2, nil))
		s.write(t, letterAt(last.Partition, last.Offset+100, "again", last.Headers...)) // as the worker does
	}
	require.Equal(t, 2, sent)
	r := s.run(t, s.options(false))
	require.Equal(t, map[fate]int{fateAttempts: 1}, r.Rows[0].Stay)
	more := s.options(false)
	more.MaxAttempts = 9
	require.Equal(t, 1, s.run(t, more).Planned)
}

// The plan sorts the reasons into classes, and only what can help is sent, unless a reason is named.
func TestClasses(t *testing.T) {
	s := newStage(t)
	of := func(stage, reason string, at int64) deadletter.Letter {
		l := letterAt(0, at, reason)
		l.Stage, l.Reason = stage, reason
		return l
	}
	foreign := of("decode", "unknown_schema", 6)
	foreign.Topic = "foreign"
	s.write(t, letterAt(0, 1, "schema"), of("decode", "syntax", 2), of("decode", "syntax", 3), of("decode", "unmapped", 4), of("publish", "too_large", 5), foreign)
	kafkatest.Write(t, s.kafka, kafka.Message{Topic: "dlq", Partition: 0, Value: []byte("of another program")})

	o := s.options(false)
	r := s.run(t, o)
	var out bytes.Buffer
	require.NoError(t, PrintTable(&out, r, false, 100))
	require.Equal(t, []string{
		"STAGE REASON CLASS LETTERS REDRIVE STAY",
		"decode unknown_schema transient 2 1 1 of another topic",
		"decode unmapped fix, then redrive 1 1",
		"publish too_large fix, then redrive 1 1",
		"decode syntax never 2 0 2 of class never",
		"never 1 0 1 of class never",
	}, tableRows(out.String()))
	require.Contains(t, out.String(), "unmapped: correct kafka.inputs[].map")
	require.Contains(t, out.String(), "no reason: another program wrote it")
	require.NotContains(t, out.String(), "unknown_schema: ")
	require.Contains(t, out.String(), "nothing was sent: --yes sends 3 records, at most 100 a second\n")

	o.Reasons = []string{"syntax"}
	require.Equal(t, 2, s.run(t, o).Planned, "a faulty record that someone asks for")
	o.Reasons, o.Stages = nil, []string{"publish"}
	require.Equal(t, 1, s.run(t, o).Planned)
	o.Stages, o.To, o.Write = nil, "other", true
	require.Equal(t, 4, s.run(t, o).Sent, "also what came from a topic that Confab does not read")
	require.Len(t, kafkatest.ReadAll(t, s.kafka, "other"), 4)

	out.Reset()
	require.NoError(t, console.PrintJSON(&out, r))
	var parsed struct {
		Reasons []struct {
			Reason, Class    string
			Letters, Redrive int
			Stay             map[string]int
		}
		Planned, Sent int
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &parsed))
	require.Equal(t, 3, parsed.Planned)
	require.Equal(t, map[string]int{"of another topic": 1}, parsed.Reasons[0].Stay)
}

// tableRows are the rows of a table with single spaces and without its lines.
func tableRows(text string) (rows []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "│") {
			rows = append(rows, strings.Join(strings.Fields(strings.ReplaceAll(line, "│", " ")), " "))
		}
	}
	return rows
}

// A dead letter with a digest is read where its record was. If another record is there now, or none, it stays.
func TestPointersAreFollowed(t *testing.T) {
	s := newStage(t)
	for i := range 4 {
		kafkatest.Write(t, s.kafka, kafka.Message{Topic: "in", Partition: 1, Key: []byte("own key"), Value: fmt.Append(nil, "value ", i), Headers: []kafka.Header{header("h", "v")}})
	}
	other := letterAt(1, 2, "what another topic of this name had here")
	missing := letterAt(1, 3, "")
	missing.NoValue = true // its batch was damaged: there is no digest
	for _, l := range []deadletter.Letter{letterAt(1, 0, "value 0"), letterAt(1, 1, "value 1"), letterAt(1, 1, "value 1"), other, missing, letterAt(1, 99, "expired")} {
		kafkatest.Write(t, s.kafka, s.writer.Digest(&l))
	}
	require.NoError(t, s.DeleteRecords("in", 1, 1))
	r := s.run(t, s.options(true))
	require.Equal(t, 1, r.Sent)
	require.Equal(t, map[fate]int{fateGone: 4, fateRepeated: 1}, r.Rows[0].Stay)
	back := kafkatest.ReadAll(t, s.kafka, "in")
	last := back[len(back)-1]
	require.Equal(t, "value 1", string(last.Value))
	require.Equal(t, "own key", string(last.Key))
	require.Equal(t, []kafka.Header{header("h", "v"), header(deadletter.HeaderAttempt, "1")}, last.Headers)
}

// A record behind an open transaction cannot be read yet: its letter stays, and the others are sent.
func TestOpenTransaction(t *testing.T) {
	s := newStage(t)
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.Seeds()...), kgo.TransactionalID("t"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	kafkatest.Write(t, s.kafka, kafka.Message{Topic: "in", Partition: 1, Value: []byte("before")})
	require.NoError(t, cl.BeginTransaction())
	require.NoError(t, cl.ProduceSync(t.Context(), &kgo.Record{Topic: "in", Partition: 1, Value: []byte("open")}).FirstErr())
	kafkatest.Write(t, s.kafka, kafka.Message{Topic: "in", Partition: 1, Value: []byte("behind")})
	for offset, text := range map[int64]string{0: "before", 2: "behind", 3: "further"} {
		l := letterAt(1, offset, text)
		kafkatest.Write(t, s.kafka, s.writer.Digest(&l))
	}
	s.write(t, letterAt(2, 7, "a copy"))
	o := s.options(true)
	o.Timeout = 500 * time.Millisecond
	r := s.run(t, o)
	require.Equal(t, 2, r.Sent)
	require.Contains(t, r.Rows[0].stays(), "behind an open transaction")
	require.NoError(t, cl.EndTransaction(t.Context(), kgo.TryAbort))
	require.Equal(t, 3, s.run(t, s.options(true)).Sent)
}

// Letters of the parts of one record are sent each, letters of what could not be written once: they hold the whole record.
func TestParts(t *testing.T) {
	s := newStage(t)
	var all []deadletter.Letter
	for _, stage := range []string{"decode", "publish"} {
		for i := range 2 {
			l := letterAt(0, 5, fmt.Sprint(stage, i))
			l.Stage, l.Part, l.Index = stage, true, i
			l.Reason = map[string]string{"decode": "unmapped", "publish": "too_large"}[stage]
			all = append(all, l)
		}
	}
	s.write(t, all...)
	require.Equal(t, 3, s.run(t, s.options(true)).Sent)
}

// Only letters of the time are sent, and never those that are written while the command runs.
func TestTimes(t *testing.T) {
	s := newStage(t)
	s.write(t, letterAt(0, 1, "old"))
	written := kafkatest.ReadAll(t, s.kafka, "dlq")[0].Timestamp
	for name, c := range map[string]struct {
		since, until time.Time
		want         int
	}{
		"open":   {want: 1},
		"since":  {since: written, want: 1},
		"later":  {since: written.Add(time.Millisecond)},
		"until":  {until: written},
		"before": {until: written.Add(time.Millisecond), want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			o := s.options(false)
			o.Since, o.Until = c.since, c.until
			require.Equal(t, c.want, s.run(t, o).Planned)
		})
	}
	o := s.options(true)
	o.Permit = func(context.Context, int) error {
		s.write(t, letterAt(0, 2, "fails meanwhile"))
		return nil
	}
	require.Equal(t, 1, s.run(t, o).Sent)
	require.Len(t, kafkatest.ReadAll(t, s.kafka, "in"), 1)
}

// Nothing is sent before it is permitted.
func TestRate(t *testing.T) {
	s := newStage(t)
	for i := range 25 {
		s.write(t, letterAt(0, int64(i), "v"))
	}
	o := s.options(true)
	permitted := 0
	o.Burst, o.Permit = 10, func(_ context.Context, n int) error {
		require.LessOrEqual(t, n, o.Burst)
		require.Len(t, kafkatest.ReadAll(t, s.kafka, "in"), permitted)
		permitted += n
		return nil
	}
	require.Equal(t, 25, s.run(t, o).Sent)
	require.Equal(t, 25, permitted)

	stop := errors.New("interrupted")
	o.Permit = func(context.Context, int) error { return stop }
	r, err := Run(t.Context(), o)
	require.ErrorIs(t, err, stop)
	require.ErrorContains(t, err, "0 of 25 records were sent")
	require.Zero(t, r.Sent)
}

func TestErrors(t *testing.T) {
	s := newStage(t)
	s.write(t, letterAt(0, 1, "v"))
	for text, edit := range map[string]func(o *Options){
		"--max-attempts 0: expected 1 or more": func(o *Options) { o.MaxAttempts = 0 },
		"--stage nosuch: no dead letter of Confab has it; expected some of decode, validate, handle, publish": func(o *Options) { o.Stages = []string{"nosuch"} },
		"--reason nosuch: no dead letter of Confab has it; expected some of bad_answer, ":                     func(o *Options) { o.Reasons = []string{"syntax", "nosuch"} },
		"is not before --until":                  func(o *Options) { o.Since, o.Until = time.Unix(2, 0), time.Unix(1, 0) },
		"--to dlq is the topic of the dead":      func(o *Options) { o.To = "dlq" },
		"--to absent: the topic does not exist":  func(o *Options) { o.To = "absent" },
		"topic nowhere does not exist, or may n": func(o *Options) { o.DeadLetters = "nowhere" },
	} {
		o := s.options(false)
		edit(o)
		_, err := Run(t.Context(), o)
		require.ErrorContains(t, err, text)
		_, input := errors.AsType[*console.InputError](err)
		require.Equal(t, o.DeadLetters == "dlq", input, text)
	}
	s.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "in", Err: kerr.TopicAuthorizationFailed})
	r, err := Run(t.Context(), s.options(true))
	require.ErrorContains(t, err, "0 of 1 records were sent, further ones may be")
	require.Zero(t, r.Sent)

	var out bytes.Buffer
	o := s.options(false)
	o.Reasons = []string{"panic"}
	require.NoError(t, PrintTable(&out, s.run(t, o), false, 1))
	require.Equal(t, "none of the dead letters is selected: 1 have other stages, reasons or times\n", out.String())
}
