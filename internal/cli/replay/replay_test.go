package replay_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/cli/diff"
	"confab/internal/cli/replay"
	"confab/internal/cli/topicrange"
	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/worker/cluster"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/livetest"
	"confab/internal/worker/records"
	"confab/sampling"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// live is a cluster on which a worker has measured 40 answers, of which every fourth is not grounded, and a faulty record.
func live(t *testing.T, edit func(c *config.Config)) *livetest.Stage {
	t.Helper()
	s := livetest.New(t, func(c *config.Config) {
		c.Sampling.Rate, c.Sampling.Salt = 0.5, "salt"
		edit(c)
	})
	var values [2][]string
	for i := range 40 {
		text := livetest.Grounded
		if i%4 == 0 {
			text = livetest.Ungrounded
		}
		values[i/2%2] = append(values[i/2%2], fmt.Sprintf(text, fmt.Sprint("i-", i)))
	}
	values[1] = append(values[1], strings.Replace(values[0][0], `"interaction_id":"i-0",`, "", 1), "faulty") // its offset is its id
	for p, list := range values {
		s.Produce(t, int32(p), list...)
	}
	s.Run(t)
	return s
}

func options(t *testing.T, s *livetest.Stage, out io.Writer) *replay.Options {
	t.Helper()
	selection := topicrange.Selection{Topic: "llm.interactions"}
	ranges, err := selection.Resolve(t.Context(), s.Kafka, time.Now())
	require.NoError(t, err)
	o := &replay.Options{
		Kafka: s.Kafka, Ranges: ranges, All: s.Config.Emit == config.EmitAll, Out: out, Patience: 10 * time.Second, Now: time.Now,
		Publisher: records.Publisher{Topics: s.Config.Kafka.Topics},
	}
	o.Evaluator, err = evaluation.NewFast(s.Config, nil, nil)
	require.NoError(t, err)
	o.Sampler, err = sampling.New(s.Config.SamplingOptions())
	require.NoError(t, err)
	var id string
	require.NoError(t, cluster.WithAdmin(t.Context(), s.Kafka, func(ctx context.Context, a *kafka.Admin) (err error) {
		id, err = a.ClusterID(ctx)
		return err
	}))
	var done func()
	o.Decode, done, err = records.NewRecordDecoder(s.Config, id)
	require.NoError(t, err)
	t.Cleanup(done)
	return o
}

// replayed are the flags of a replay.
func replayed(t *testing.T, s *livetest.Stage, edit func(o *replay.Options)) string {
	t.Helper()
	var out bytes.Buffer
	o := options(t, s, &out)
	if edit != nil {
		edit(o)
	}
	r, err := replay.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, strings.Count(out.String(), "\n"), r.Flags)
	return out.String()
}

func written(t *testing.T, s *livetest.Stage) string {
	t.Helper()
	var out bytes.Buffer
	ranges := options(t, s, nil).Ranges
	n, err := replay.WriteLive(t.Context(), &out, &replay.LiveOptions{
		Kafka: s.Kafka, Topic: "llm.incidents", Ranges: ranges, Decode: records.NewFlagReader(nil), Patience: 10 * time.Second,
	})
	require.NoError(t, err)
	require.Equal(t, strings.Count(out.String(), "\n"), n)
	return out.String()
}

var detectedAt = regexp.MustCompile(`"detected_at":"[^"]*",`)

func linesOf(text string) []string {
	return strings.Split(strings.TrimSpace(detectedAt.ReplaceAllString(text, "")), "\n")
}

// With equal versions, calibration and settings, a replay gives the live flags, byte for byte except detected_at.
func TestReplayIsEqual(t *testing.T) {
	for emit, want := range map[string]int{config.EmitFlagged: 11, config.EmitAll: 41} {
		t.Run(emit, func(t *testing.T) {
			s := live(t, func(c *config.Config) { c.Emit = emit })
			before := len(s.Read(t, "llm.interactions.sampled"))
			first, second := replayed(t, s, nil), written(t, s)
			require.Len(t, linesOf(first), want)
			require.ElementsMatch(t, linesOf(second), linesOf(first))
			require.Contains(t, first, `"sampled":true`)
			require.Len(t, s.Read(t, "llm.incidents"), want, "nothing is published")
			require.Len(t, s.Read(t, "llm.interactions.sampled"), before, "no sample is copied")
			report, err := diff.Compare(t.Context(), diff.Source{Name: "live", Reader: strings.NewReader(second)},
				diff.Source{Name: "replay", Reader: strings.NewReader(first)}, 5, func(int) {})
			require.NoError(t, err)
			require.False(t, report.Holds("any"))
			require.Equal(t, want, report.Compared)
		})
	}
}

// Another calibration changes the replay, and the comparison says how.
func TestReplayWithAnotherCalibration(t *testing.T) {
	s := live(t, func(*config.Config) {})
	before := written(t, s)
	s.Config.CalibrationFile = livetest.Calibration(t, func(text string) string {
		return strings.Replace(text, "armed: true", "armed: false", 1) // of citation
	})
	report, err := diff.Compare(t.Context(), diff.Source{Name: "live", Reader: strings.NewReader(before)},
		diff.Source{Name: "replay", Reader: strings.NewReader(replayed(t, s, func(o *replay.Options) { o.All = true }))}, 5, func(int) {})
	require.NoError(t, err)
	require.True(t, report.Holds("outcome"))
}

// Only the range is read.
func TestReplayOfARange(t *testing.T) {
	s := live(t, func(*config.Config) {})
	var out bytes.Buffer
	o := options(t, s, &out)
	o.Ranges, o.All = []kafka.Range{{Topic: "llm.interactions", Partition: 0, First: 2, End: 7}}, true
	var progress int
	o.Progress = func(n int) { progress = n }
	r, err := replay.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, replay.Result{Records: 5, Flags: 5}, *r)
	require.Equal(t, 5, progress)
	require.Equal(t, 5, strings.Count(out.String(), "\n"))

	o.Ranges = []kafka.Range{{Topic: "llm.interactions", Partition: 1, First: 21, End: 22}}
	r, err = replay.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, replay.Result{Records: 1, Undecodable: 1}, *r)

	kafkatest.Write(t, s.Kafka, kafka.Message{Topic: "llm.interactions", Partition: 0, Key: []byte("k")})
	o.Ranges = []kafka.Range{{Topic: "llm.interactions", Partition: 0, First: 20, End: 21}}
	r, err = replay.Run(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, replay.Result{Records: 1}, *r, "a tombstone")
}
