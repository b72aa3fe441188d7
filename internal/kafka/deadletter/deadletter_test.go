package deadletter

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/golden"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
)

// goldenMessage is the form in which testdata keeps a message.
type goldenMessage struct {
	Topic   string
	Key     string
	Value   string
	Headers [][2]string
}

func TestLetterGoldens(t *testing.T) {
	many := make([]kafka.Header, 100)
	for i := range many {
		many[i] = kafka.Header{Key: fmt.Sprintf("h%02d", i), Value: []byte("v")}
	}
	letter := Letter{
		Topic: "llm.interactions", Partition: 3, Offset: 1234567890123, Key: []byte("conversation-1"), Value: []byte(`{"broken`),
		Timestamp: time.UnixMilli(1_700_000_000_123), Stage: "decode", Reason: "syntax",
		Err: fmt.Errorf("decode: %w", io.ErrUnexpectedEOF),
	}
	with := func(change func(*Letter)) Letter {
		l := letter
		change(&l)
		return l
	}
	tests := map[string]Letter{
		"plain": letter,
		"no_error": with(func(l *Letter) {
			l.Err, l.Key = nil, nil
		}),
		"redriven": with(func(l *Letter) {
			l.Headers = []kafka.Header{
				{Key: "traceparent", Value: []byte("00-aa")},
				{Key: HeaderOrigin, Value: []byte("llm.interactions/3/7/0")},
				{Key: HeaderErrorTopic, Value: []byte("older")},
				{Key: "__connect.errors.task.id", Value: []byte("0")},
				{Key: HeaderStage, Value: []byte("publish")},
				{Key: HeaderReason, Value: []byte("older")},
				{Key: HeaderAttempt, Value: []byte("4")},
				{Key: HeaderDropped, Value: []byte("1")},
				{Key: HeaderValue, Value: []byte(ValueDigest)},
			}
		}),
		"too_many_headers": with(func(l *Letter) {
			l.Headers = append(many, kafka.Header{Key: HeaderOrigin, Value: []byte("kept")})
		}),
		"unreadable": with(func(l *Letter) { l.NoValue, l.Value = true, nil }),
	}
	d := NewWriter(Options{Topic: "llm.interactions.dlq", Name: "confab-detect"})
	for name, l := range tests {
		t.Run(name, func(t *testing.T) {
			m := d.Message(&l)
			require.Equal(t, kafka.AnyPartition, m.Partition)
			requireGoldenMessage(t, name, m)
		})
	}
	t.Run("digest", func(t *testing.T) {
		l := with(func(l *Letter) { l.Key = bytes.Repeat([]byte("k"), 2000) })
		requireGoldenMessage(t, "digest", d.Digest(&l))
	})
}

func requireGoldenMessage(t *testing.T, name string, m kafka.Message) {
	t.Helper()
	g := goldenMessage{Topic: m.Topic, Key: string(m.Key), Value: string(m.Value)}
	for _, h := range m.Headers {
		g.Headers = append(g.Headers, [2]string{h.Key, string(h.Value)})
	}
	got, err := json.MarshalIndent(g, "", "  ")
	require.NoError(t, err)
	golden.Equal(t, "testdata/letter_"+name+".json", append(got, '\n'))
}

// newLetters writes to the topic dlq of a cluster of its own.
func newLetters(t testing.TB) (*embedded.Cluster, *Writer) {
	t.Helper()
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{"dlq": 1}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	p, err := kafka.NewProducer(kafka.Config{SeedBrokers: c.Seeds()})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return c, NewWriter(Options{Producer: p, Topic: "dlq", Name: "g"})
}

func readLetters(t testing.TB, c *embedded.Cluster) (all []kafka.FetchedRecord) {
	t.Helper()
	require.NoError(t, kafka.Read(t.Context(), kafka.ReaderOptions{Config: kafka.Config{SeedBrokers: c.Seeds()}, Topics: []string{"dlq"}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		all = append(all, *r)
		return nil
	}))
	return all
}

func TestSendReplacesWhatIsTooLarge(t *testing.T) {
	c, d := newLetters(t)
	letters := []Letter{
		{Topic: "t", Offset: 1, Key: []byte("a"), Value: []byte("small"), Stage: "decode", Reason: "syntax"},
		{Topic: "t", Offset: 2, Key: []byte("b"), Value: make([]byte, 2<<20), Stage: "decode", Reason: "too_large"},
		{Topic: "t", Offset: 3, Key: make([]byte, 2<<20), Stage: "decode", Reason: "syntax"},
	}
	require.NoError(t, d.Send(t.Context(), letters))
	got := readLetters(t, c)
	require.Len(t, got, 3)
	byOffset := make(map[string]kafka.FetchedRecord)
	for _, r := range got {
		for _, h := range r.Headers {
			if h.Key == HeaderErrorOffset {
				byOffset[string(h.Value)] = r
			}
		}
	}
	require.Equal(t, "small", string(byOffset["1"].Value))
	require.JSONEq(t, `{"topic":"t","partition":0,"offset":2,"value_bytes":2097152,
		"value_sha256":"5647f05ec18958947d32874eeb788fa396a05d0bab7c1b71f112ceb7e9b31eee"}`, string(byOffset["2"].Value))
	require.Equal(t, "b", string(byOffset["2"].Key))
	require.Nil(t, byOffset["3"].Key)
	require.Contains(t, string(byOffset["3"].Value), `"key_bytes":2097152`)
}

// TestSendAgainWritesOnlyTheRest: after an error, what is durable is not written twice.
func TestSendAgainWritesOnlyTheRest(t *testing.T) {
	c, d := newLetters(t)
	letters := []Letter{{Topic: "t", Offset: 1, Value: []byte("1")}}
	require.NoError(t, d.Send(t.Context(), letters))
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "dlq", Err: kerr.TopicAuthorizationFailed})
	letters = append(letters, Letter{Topic: "t", Offset: 2, Value: []byte("2")})
	require.ErrorIs(t, d.Send(t.Context(), letters), kerr.TopicAuthorizationFailed)
	require.NoError(t, d.Send(t.Context(), letters))
	require.Len(t, readLetters(t, c), 2)
	require.NoError(t, d.Send(t.Context(), nil))
}

// FuzzLetterHeaders: whatever headers a record has, its letter stays within its caps, holds each of our headers once
// and in valid UTF-8, and a second letter replaces the first one's.
func FuzzLetterHeaders(f *testing.F) {
	f.Add("traceparent", []byte("00-1"), uint8(3), "at byte 7")
	f.Add(HeaderAttempt, []byte("7"), uint8(1), "\xff\xfe")
	f.Add(HeaderOrigin, bytes.Repeat([]byte("o"), 9000), uint8(200), strings.Repeat("long ", 1000))
	f.Add("__connect.errors.topic", []byte(nil), uint8(255), "")
	f.Add("traceparent", []byte("00-1"), uint8(1), "a\x1b[31m line\r\nbreak\u202e\u200b")
	f.Fuzz(func(t *testing.T, key string, value []byte, n uint8, message string) {
		l := Letter{Topic: "t", Stage: "decode", Reason: "syntax", Err: errors.New(message)}
		for range n {
			l.Headers = append(l.Headers, kafka.Header{Key: key, Value: value})
		}
		d := NewWriter(Options{Topic: "dlq", Name: "g"})
		first := d.Message(&l).Headers
		l.Headers = first
		second := d.Message(&l).Headers
		for i, hs := range [][]kafka.Header{first, second} {
			ours, size := make(map[string]string), 0
			for _, h := range hs {
				if isLetterHeader(h.Key) {
					require.NotContains(t, ours, h.Key)
					require.True(t, utf8.Valid(h.Value))
					require.False(t, bytes.ContainsFunc(h.Value, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }), "%s", h.Key)
					ours[h.Key] = string(h.Value)
				}
				size += len(h.Key) + len(h.Value)
			}
			attempt, err := strconv.Atoi(ours[HeaderAttempt])
			require.NoError(t, err)
			require.Greater(t, attempt, i)
			require.LessOrEqual(t, size, maxHeaderBytes+maxHeaderValue+4096)
			require.LessOrEqual(t, len(hs)-len(ours), maxHeaders+1)
		}
		// What survived the caps once survives them again; only the count of dropped headers may go.
		once, _ := originalHeaders(first)
		twice, dropped := originalHeaders(second)
		require.Equal(t, once, twice)
		require.Zero(t, dropped)
	})
}
