package kafka

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fits says before what a broker says afterwards, to the byte: of what compression shrinks and of what it does not.
func TestFitsIsWhatTheBrokerSays(t *testing.T) {
	c := startCluster(t, nil)
	admin := newAdmin(t, c)
	random := make([]byte, 8<<10)
	for i := range random {
		random[i] = byte(rand.Uint32())
	}
	headers := []Header{{Key: "ce_id", Value: []byte("1")}, {Key: "empty"}, {Key: "long", Value: []byte(strings.Repeat("h", 200))}}
	const limit = 1 << 12
	specs := []TopicSpec{{Name: "small", Partitions: 1, ReplicationFactor: 1, Configs: map[string]string{"max.message.bytes": "4096"}}}
	_, _, err := admin.ApplyTopics(t.Context(), specs)
	require.NoError(t, err)
	known, err := admin.MaxMessageBytes(t.Context(), "small")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"small": limit}, known)

	cfg := Config{SeedBrokers: c.Seeds()}
	limits := NewSizeLimits(cfg, known)
	p := newProducer(t, c)
	for name, value := range map[string]func(n int) []byte{
		"random": func(n int) []byte { return random[:n] },
		"text":   func(n int) []byte { return []byte(strings.Repeat("a plain sentence; ", 8<<10))[:n] },
	} {
		t.Run(name, func(t *testing.T) {
			fit, not := 0, 0
			step, most := 1, limit
			if name == "text" {
				step, most = 331, 100_000
			}
			for n := limit - 420; n < most; n += step {
				m := Message{Topic: "small", Partition: AnyPartition, Key: []byte("key"), Value: value(n), Headers: headers}
				err := p.ProduceSync(t.Context(), m)
				if limits.Fits(&m) {
					fit++
					require.NoError(t, err, "%d bytes", n)
				} else {
					not++
					require.ErrorIs(t, err, ErrTooLarge, "%d bytes", n)
				}
			}
			require.Positive(t, fit)
			require.Positive(t, not)
		})
	}
}

func TestMaxRecordSize(t *testing.T) {
	for _, n := range []int{0, 1, 63, 64, 100, 8191, 8192, 1 << 20} {
		m := Message{Key: make([]byte, n/2), Value: make([]byte, n), Headers: make([]Header, n%70)}
		for i := range m.Headers {
			m.Headers[i] = Header{Key: strings.Repeat("h", i), Value: make([]byte, 2*i)}
		}
		encoded := len(encodeRecord(&m))
		require.GreaterOrEqual(t, maxRecordSize(&m), encoded, n)
		require.Less(t, maxRecordSize(&m), encoded+10*(3+2*len(m.Headers)), n)
	}
}

func TestSizeLimits(t *testing.T) {
	var none *SizeLimits
	big := Message{Topic: "flags", Value: make([]byte, 3000)}
	_, err := rand.NewChaCha8([32]byte{}).Read(big.Value)
	require.NoError(t, err)
	require.True(t, none.Fits(&big), "nothing is known")
	cfg := Config{MaxMessageBytes: 5000}
	require.True(t, NewSizeLimits(cfg, nil, "flags").Fits(&big), "the topic's limit is unknown")
	require.False(t, NewSizeLimits(Config{MaxMessageBytes: 2000}, nil).Fits(&big), "the producer's limit")

	limits := NewSizeLimits(cfg, map[string]int{"flags": 4000, "other": 4000}, "flags")
	require.True(t, limits.Fits(&big))
	require.False(t, NewSizeLimits(cfg, map[string]int{"flags": 2500}, "flags").Fits(&big))
	limits = NewSizeLimits(cfg, map[string]int{"flags": 4000, "other": 1 << 20}, "flags")
	big.Value = append(big.Value, make([]byte, 1500)...)
	require.False(t, limits.Fits(&big))
	big.Topic = "other"
	require.True(t, limits.Fits(&big))
	require.Equal(t, 2048, NewSizeLimits(cfg, map[string]int{"flags": 100}, "flags").batchBytes("flags"), "one slim flag before compression")
}
