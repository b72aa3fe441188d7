package chunkjoin

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/consumer"
	"confab/consumer/hold"
	"confab/schemas"
)

// valueCodec decodes a value into an interaction whose answer is the value.
type valueCodec struct{}

func (valueCodec) Decode(_ context.Context, r *consumer.Raw, dst []*schemas.Interaction) ([]*schemas.Interaction, error) {
	return append(dst, &schemas.Interaction{Answer: string(r.Value)}), nil
}

func (valueCodec) Release(*schemas.Interaction) {}

func noTenant(*consumer.Raw) string { return "" }

// chunkRecord is a record with a chunk.
type chunkRecord struct {
	offset           int64
	id, text, finish string
}

// decode decodes a chunk of a stream and returns the answers and what is asked for the record.
func decode(t *testing.T, c *Codec, part chunkRecord, turn hold.Turn) ([]*schemas.Interaction, hold.Turn) {
	t.Helper()
	value := fmt.Sprintf(`{"id":%q,"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]}`, part.id, part.text, part.finish)
	r := consumer.Raw{Offset: part.offset, Value: []byte(value), Turn: turn}
	got, err := c.Decode(t.Context(), &r, nil)
	require.NoError(t, err)
	return got, r.Turn
}

// The first chunk of a decoded answer gives it again: its batch may be processed again. Later chunks give nothing.
func TestDecodedAgain(t *testing.T) {
	c := New(valueCodec{}, hold.Limits{Wait: time.Minute, Items: 10, Bytes: 1 << 20}, noTenant)
	open, arrived := hold.Turn{Open: true}, hold.Turn{Open: true, Ended: hold.KeyArrived}
	got, turn := decode(t, c, chunkRecord{1, "a", "Par", "null"}, open)
	require.Empty(t, got)
	require.Equal(t, hold.WaitForKey, turn.Ask)
	got, turn = decode(t, c, chunkRecord{2, "a", "is", `"stop"`}, open)
	require.Empty(t, got)
	require.True(t, turn.Arrives)
	for range 2 {
		got, _ = decode(t, c, chunkRecord{1, "a", "Par", "null"}, arrived)
		require.Len(t, got, 1)
		require.Contains(t, got[0].Answer, "Paris")
		require.True(t, got[0].Streamed)
	}
	got, turn = decode(t, c, chunkRecord{2, "a", "is", `"stop"`}, open)
	require.Empty(t, got)
	require.Equal(t, hold.ProcessNow, turn.Ask)
}

// Decoded answers do not push out open ones, however many there are.
func TestDecodedAreApart(t *testing.T) {
	c := New(valueCodec{}, hold.Limits{Wait: time.Minute, Items: 10, Bytes: 1 << 20}, noTenant)
	decode(t, c, chunkRecord{1, "open", "one ", "null"}, hold.Turn{Open: true})
	for i := range int64(100) {
		got, _ := decode(t, c, chunkRecord{10 + i, fmt.Sprint(i), "short", `"stop"`}, hold.Turn{Open: true})
		require.Len(t, got, 1)
	}
	decode(t, c, chunkRecord{200, "open", "two", `"stop"`}, hold.Turn{Open: true})
	got, _ := decode(t, c, chunkRecord{1, "open", "one ", "null"}, hold.Turn{Open: true, Ended: hold.KeyArrived})
	require.Len(t, got, 1)
	require.Contains(t, got[0].Answer, "one two")
}

// A chunk of another tenant's record is not added to an answer, though it has its id.
func TestTenantsAreApart(t *testing.T) {
	c := New(valueCodec{}, hold.Limits{Wait: time.Minute, Items: 10, Bytes: 1 << 20}, func(r *consumer.Raw) string { return string(r.Key) })
	send := func(tenant string, part chunkRecord, turn hold.Turn) []*schemas.Interaction {
		r := consumer.Raw{Offset: part.offset, Key: []byte(tenant), Turn: turn, Value: fmt.Appendf(nil,
			`{"id":%q,"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%q},"finish_reason":%s}]}`, part.id, part.text, part.finish)}
		got, err := c.Decode(t.Context(), &r, nil)
		require.NoError(t, err)
		return got
	}
	open := hold.Turn{Open: true}
	send("a", chunkRecord{1, "x", "Par", "null"}, open)
	send("b", chunkRecord{2, "x", "rot", "null"}, open)
	send("a", chunkRecord{3, "x", "is", `"stop"`}, open)
	got := send("a", chunkRecord{1, "x", "Par", "null"}, hold.Turn{Open: true, Ended: hold.KeyArrived})
	require.Len(t, got, 1)
	require.Contains(t, got[0].Answer, "Paris")
}
