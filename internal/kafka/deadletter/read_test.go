package deadletter

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
)

func TestLetterMessage(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{nil, "syntax"},
		{errors.New("at byte 3"), "syntax: at byte 3"},
		{errors.New("syntax at byte 3"), "syntax at byte 3"},
		{errors.New("a\nb\x1b[31m"), "syntax: a b"},
	} {
		require.Equal(t, tt.want, (&Letter{Reason: "syntax", Err: tt.err}).Message())
	}
}

// What a Writer writes is read back.
func TestDescribe(t *testing.T) {
	l := Letter{Topic: "in", Partition: 7, Offset: 1 << 40, Stage: "decode", Reason: "too_large", Err: errors.New("long"), NoValue: true}
	m := NewWriter(Options{Topic: "dlq", Name: "confab-detect"}).Message(&l)
	require.Equal(t, Description{
		Index: -1, Topic: "in", Partition: 7, Offset: 1 << 40, Stage: "decode", Reason: "too_large", Message: "too_large: long",
		Group: "confab-detect", Attempt: 1, Digest: true,
	}, Describe(m.Headers))
	require.Equal(t, Description{Index: -1, Partition: -1, Offset: -1}, Describe(nil))
	l.Part, l.Index = true, 3
	part := NewWriter(Options{Topic: "dlq", Name: "g"}).Message(&l)
	require.Equal(t, 3, Describe(part.Headers).Index)
	require.Equal(t, []string{HeaderErrorOffset, HeaderErrorPartition, HeaderAttempt}, Describe([]kafka.Header{
		{Key: HeaderErrorPartition, Value: []byte("2147483648")}, {Key: HeaderErrorOffset, Value: []byte("-1")}, {Key: HeaderAttempt},
	}).Malformed)
}

func FuzzDescribe(f *testing.F) {
	f.Add("confab-attempt", []byte("1"))
	f.Add("__connect.errors.partition", []byte("\xff"))
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		d := Describe([]kafka.Header{{Key: key, Value: value}})
		require.GreaterOrEqual(t, d.Partition, int32(-1))
		require.GreaterOrEqual(t, d.Offset, int64(-1))
		require.GreaterOrEqual(t, d.Attempt, 0)
	})
}
