package consumer

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	beganAt      = time.UnixMilli(1_000_000)
	afterSession = beganAt.Add(time.Minute) // longer than a session
)

func testGuard(owner string, deaths int) crashGuard {
	return newCrashGuard(guardOptions{Owner: owner, Deaths: deaths, Expiry: 40 * time.Second})
}

func TestCrashGuard(t *testing.T) {
	t.Run("the next owner", func(t *testing.T) {
		g := testGuard("one", 2)
		g.open = true
		require.True(t, g.begin(7, beganAt))
		require.False(t, g.begin(7, beganAt), "once an owner")
		require.Zero(t, g.crashes(7), "its own attempt is no death")
		next := testGuard("two", 2)
		require.True(t, next.load(g.metadata(5), 0, afterSession))
		require.True(t, next.alone(7))
		require.True(t, next.alone(7))
		require.False(t, next.exceedsLimit(7))
		next.open = true
		next.begin(7, beganAt)
		last := testGuard("three", 2)
		last.load(next.metadata(5), 0, afterSession)
		require.True(t, last.exceedsLimit(7))
		require.Equal(t, 2, last.crashes(7))
	})
	t.Run("small batches", func(t *testing.T) {
		g := testGuard("one", 2)
		g.open, g.at, g.until, g.size, g.batchEnd = true, beganAt, 100, smallBatch, 64
		require.True(t, g.joins(0, 63, 63))
		require.False(t, g.joins(0, 64, smallBatch))
		require.True(t, g.joins(100, 1000, 900), "none after the careful records")
		lives := testGuard("two", 2)
		require.False(t, lives.load(g.metadata(0), 0, beganAt.Add(time.Second)))
		require.False(t, lives.alone(0), "the batch ended no owner")
		require.True(t, lives.careful(99), "one may have ended behind it")
		next := testGuard("two", 2)
		require.True(t, next.load(g.metadata(0), 0, afterSession))
		require.True(t, next.alone(63))
		require.False(t, next.alone(64))
		require.False(t, next.joins(0, 1, 1))
		last := testGuard("three", 2)
		require.False(t, last.load(next.metadata(10), 0, afterSession), "it was given back")
		require.True(t, last.alone(63), "some of the batch is left")
		require.NotContains(t, g.metadata(100), "until", "the records are done")
	})
	t.Run("the same owner again", func(t *testing.T) {
		g := testGuard("one", 2)
		g.open = true
		g.begin(7, beganAt)
		again := testGuard("one", 2)
		require.False(t, again.load(g.metadata(5), 0, afterSession), "it lost the partition and did not end")
		require.False(t, again.alone(7))
	})
	t.Run("an owner that lives on", func(t *testing.T) {
		g := testGuard("one", 2)
		g.open = true
		g.begin(7, beganAt)
		next := testGuard("two", 2)
		require.False(t, next.load(g.metadata(5), 0, beganAt.Add(39*time.Second)), "a dead member keeps its partitions longer")
		require.False(t, next.alone(7))
		g.stuck = true
		require.True(t, next.load(g.metadata(5), 0, beganAt.Add(time.Second)), "it said that it hangs")
		require.True(t, next.alone(7))
		g.stuck, g.Instance, next.Instance = false, "pod-0", "pod-0"
		require.True(t, next.load(g.metadata(5), 0, beganAt.Add(time.Second)), "its instance has come back")
		next.Instance = "pod-1"
		require.False(t, next.load(g.metadata(5), 0, beganAt.Add(time.Second)))
	})
	t.Run("given back", func(t *testing.T) {
		g := testGuard("one", 2)
		g.open = true
		g.begin(7, beganAt)
		g.begin(8, beganAt)
		require.Equal(t, map[int64]int{8: 1}, g.attempts, "the record before it is done")
		g.uncount()
		g.open = false
		require.Empty(t, g.metadata(5))
	})
	t.Run("suspects ahead are handed on", func(t *testing.T) {
		g := testGuard("two", 2)
		g.load(`{"confab":1,"owner":"one","attempts":{"9":1}}`, 0, afterSession)
		next := testGuard("three", 2)
		require.False(t, next.load(g.metadata(5), 0, afterSession), "it was given back")
		require.True(t, next.alone(9))
		next.forget(10)
		require.Contains(t, next.metadata(10), `{"confab":1,"until":2000,"size":64}`, "the window of owner one")
	})
	t.Run("what others wrote", func(t *testing.T) {
		for _, metadata := range []string{"", "kgo-3f2a", "{", `{"confab":2,"owner":"x"}`, `[]`, `{"confab":1,"attempts":{"x":1}}`, "null"} {
			g := testGuard("one", 2)
			require.False(t, g.load(metadata, 0, afterSession), metadata)
			require.False(t, g.alone(0), metadata)
			require.False(t, g.exceedsLimit(0), metadata)
		}
	})
	t.Run("bounded", func(t *testing.T) {
		g := testGuard("one", 2)
		g.attempts = make(map[int64]int)
		for i := range int64(1000) {
			g.attempts[1<<60+i] = 1
		}
		g.open = true
		g.begin(1<<60, beganAt)
		require.Less(t, len(g.metadata(0)), 4096)
		note, ok := readOwnerNote(g.metadata(0))
		require.True(t, ok)
		require.Equal(t, map[int64]int{1 << 60: 2}, note.Attempts)
	})
	t.Run("off", func(t *testing.T) {
		g := testGuard("one", 0)
		require.False(t, g.load(`{"confab":1,"owner":"x","attempts":{"7":5},"until":9,"size":64}`, 0, afterSession))
		require.False(t, g.begin(7, beganAt))
		require.False(t, g.exceedsLimit(7))
		require.Empty(t, g.metadata(0))
	})
}

// FuzzCrashNote: metadata that anybody may have written never makes a guard fail or grow.
func FuzzCrashNote(f *testing.F) {
	f.Add(`{"confab":1,"owner":"x","record":8,"attempts":{"7":5,"-1":-3},"until":-9,"size":-1}`, int64(7))
	f.Fuzz(func(t *testing.T, metadata string, offset int64) {
		g := testGuard("one", 2)
		g.load(metadata, 0, afterSession)
		g.open = true
		g.begin(offset, beganAt)
		require.LessOrEqual(t, len(g.metadata(0)), 4096)
		g.uncount()
		g.forget(1 << 62)
		require.True(t, json.Valid([]byte(g.metadata(0))))
	})
}
