package topicrange

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParse(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]kafka.Position{
		"0":                    {Kind: kafka.PositionOffset},
		"1200":                 {Kind: kafka.PositionOffset, Offset: 1200},
		"2026-11-20T10:00:00Z": {Kind: kafka.PositionTime, Time: time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)},
		"2026-11-20":           {Kind: kafka.PositionTime, Time: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)},
		"90m":                  {Kind: kafka.PositionTime, Time: now.Add(-90 * time.Minute)},
		"7d":                   {Kind: kafka.PositionTime, Time: now.Add(-7 * 24 * time.Hour)},
	} {
		got, err := Parse(text, now)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "-1", "-1d", "yesterday", "2026-11-31", "99999d", "1.5d"} {
		_, err := Parse(text, now)
		require.ErrorContains(t, err, "write an offset, a time such as", text)
	}
}

func TestResolve(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 3})
	for range 4 {
		for p := range int32(3) {
			kafkatest.Write(t, cfg, kafka.Message{Topic: "in", Partition: p, Value: []byte("v")})
		}
	}
	resolve := func(s Selection) ([]kafka.Range, error) {
		s.Topic = "in"
		return s.Resolve(t.Context(), cfg, time.Now())
	}
	all, err := resolve(Selection{})
	require.NoError(t, err)
	require.Equal(t, []kafka.Range{{Topic: "in", Partition: 0, End: 4}, {Topic: "in", Partition: 1, End: 4}, {Topic: "in", Partition: 2, End: 4}}, all)
	some, err := resolve(Selection{Partitions: []int32{2}, From: "1", Until: "3"})
	require.NoError(t, err)
	require.Equal(t, []kafka.Range{{Topic: "in", Partition: 2, First: 1, End: 3}}, some)
	recent, err := resolve(Selection{From: "1h"})
	require.NoError(t, err)
	require.Equal(t, all, recent)

	var input *console.InputError
	_, err = resolve(Selection{Until: "soon"})
	require.ErrorAs(t, err, &input)
	require.ErrorContains(t, err, `--until "soon": write an offset`)
	_, err = resolve(Selection{Partitions: []int32{3}})
	require.ErrorAs(t, err, &input)
	require.ErrorContains(t, err, "topic in has the partitions 0 to 2")
	_, err = (&Selection{Topic: "absent"}).Resolve(t.Context(), cfg, time.Now())
	require.ErrorContains(t, err, "confab topics apply")
}
