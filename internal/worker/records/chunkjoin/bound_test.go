package chunkjoin

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/consumer/hold"
)

// Many large open answers: each is released whole with what has come, oldest first, and what is in memory stays below the limit.
func TestManyLargeOpenStreams(t *testing.T) {
	const streams, parts, limit = 40, 8, 64 << 10
	limits := hold.Limits{Wait: time.Minute, Items: 1000, Bytes: limit}
	c, buffer := New(valueCodec{}, limits, noTenant), hold.NewBuffer[chunkRecord](limits)
	text := strings.Repeat("word ", 200)
	offset, answers := int64(0), map[string]string{}
	release := func() {
		for it := buffer.Take(); it != nil; it = buffer.Take() {
			require.Equal(t, hold.BufferFull, it.Ended)
			got, _ := decode(t, c, it.Value, hold.Turn{Ended: it.Ended})
			require.Len(t, got, 1)
			require.NotContains(t, answers, it.Value.id, "twice")
			answers[it.Value.id] = got[0].Answer
			buffer.Remove(it)
		}
	}
	for part := range parts {
		for n := range streams {
			rec := chunkRecord{offset, fmt.Sprint("s", n), fmt.Sprintf("<%d>%s", part, text), "null"}
			got, turn := decode(t, c, rec, hold.Turn{Open: true})
			require.Empty(t, got)
			if turn.Ask == hold.WaitForKey {
				buffer.Add(hold.Item[chunkRecord]{ID: uint64(offset), Key: turn.Key, Value: rec, Bytes: 100, At: time.Now()})
			}
			if turn.Bytes > 0 {
				buffer.Resize(turn.Key, turn.Bytes)
			}
			offset++
			release()
			require.LessOrEqual(t, c.streams.Len()*len(text), limit)
		}
	}
	require.Greater(t, len(answers), streams/4, "released by the limit")
	buffer.EndBefore(uint64(offset))
	release()
	require.Len(t, answers, streams, "none is forgotten")
	require.Zero(t, c.streams.Len())
	for id, answer := range answers {
		require.Contains(t, answer, `0\u003eword`, "the begin of %s", id)
		require.Contains(t, answer, `"unfinished"`)
	}
}
