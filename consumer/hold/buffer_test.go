package hold

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// epoch is the start of the tests' time.
var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(ms int) time.Time { return epoch.Add(time.Duration(ms) * time.Millisecond) }

func newItem(id int, key byte, ms int) Item[int] {
	return Item[int]{ID: uint64(id), Key: Key{key}, Value: id, Bytes: 10, At: at(ms), Stamp: at(ms)}
}

// takeAll takes and removes all items that wait no longer.
func takeAll(b *Buffer[int]) (ids []int, why []Reason) {
	for it := b.Take(); it != nil; it = b.Take() {
		ids, why = append(ids, it.Value), append(why, it.Ended)
		b.Remove(it)
	}
	return ids, why
}

func TestBuffer(t *testing.T) {
	limits := Limits{Wait: time.Second, Items: 3, Bytes: 100}
	t.Run("key", func(t *testing.T) {
		b := NewBuffer[int](limits)
		b.Add(newItem(1, 1, 0))
		b.Add(newItem(2, 2, 0))
		b.Arrive(Key{3})
		require.Nil(t, b.Next())
		b.Arrive(Key{2})
		ids, why := takeAll(b)
		require.Equal(t, []int{2}, ids)
		require.Equal(t, []Reason{KeyArrived}, why)
		require.Equal(t, 1, b.Len())
	})
	t.Run("time", func(t *testing.T) {
		b := NewBuffer[int](limits)
		b.Add(newItem(1, 1, 0))
		b.Add(newItem(2, 1, 1))
		end, ok := b.Deadline()
		require.True(t, ok)
		require.Equal(t, at(1000), end)
		b.Advance(at(999), time.Time{})
		require.Nil(t, b.Next())
		b.Advance(at(1000), time.Time{})
		ids, why := takeAll(b)
		require.Equal(t, []int{1}, ids)
		require.Equal(t, []Reason{TimeLimit}, why)
	})
	t.Run("time of records", func(t *testing.T) {
		b := NewBuffer[int](limits)
		b.Add(newItem(1, 1, 500)) // the clock of its producer is ahead
		b.Add(newItem(2, 1, 0))
		b.Advance(at(0), at(1000))
		ids, _ := takeAll(b)
		require.Equal(t, []int{2}, ids)
		b.Add(newItem(3, 1, 0))
		b.Advance(at(0), at(10)) // a later record of the past: one wrong clock does not last
		ids, _ = takeAll(b)
		require.Empty(t, ids)
	})
	t.Run("number", func(t *testing.T) {
		b := NewBuffer[int](limits)
		for i := range 5 {
			b.Add(newItem(i+1, 1, 0))
		}
		ids, why := takeAll(b)
		require.Equal(t, []int{1, 2}, ids)
		require.Equal(t, []Reason{BufferFull, BufferFull}, why)
	})
	t.Run("bytes", func(t *testing.T) {
		b := NewBuffer[int](limits)
		large := newItem(1, 1, 0)
		large.Bytes = 101
		b.Add(large)
		ids, _ := takeAll(b)
		require.Equal(t, []int{1}, ids, "larger than the buffer")
	})
	t.Run("offsets", func(t *testing.T) {
		b := NewBuffer[int](limits)
		done := newItem(1, 1, 0)
		done.Done = true
		b.Add(done)
		b.Add(newItem(2, 1, 0))
		b.Settle(Key{1})
		ids, _ := takeAll(b)
		require.Equal(t, []int{1}, ids)
		b.EndBefore(3)
		ids, why := takeAll(b)
		require.Equal(t, []int{2}, ids)
		require.Equal(t, []Reason{BufferFull}, why)
	})
}

// An item that waits again keeps its limit, and does not go on for its key without end.
func TestReturnedItems(t *testing.T) {
	b := NewBuffer[int](Limits{Wait: time.Second, Items: 3, Bytes: 100})
	b.Add(newItem(1, 1, 0))
	for range maxTurns {
		b.Arrive(Key{1})
		it := b.Take()
		require.NotNil(t, it)
		require.True(t, b.Return(it))
	}
	b.Arrive(Key{1})
	require.Nil(t, b.Next(), "it went on often enough")
	b.Advance(at(1000), time.Time{})
	it := b.Take()
	require.Equal(t, TimeLimit, it.Ended)
	require.False(t, b.Return(it), "its limit has ended")
}

// One key cannot make each arrival look at any number of items.
func TestItemsOfOneKey(t *testing.T) {
	b := NewBuffer[int](Limits{Wait: time.Second, Items: 1 << 20, Bytes: 1 << 30})
	for i := range maxPerKey + 5 {
		b.Add(newItem(i, 1, 0))
	}
	ids, why := takeAll(b)
	require.Len(t, ids, 5)
	require.Equal(t, maxPerKey, ids[0], "the new ones: the others have waited for longer")
	require.Equal(t, BufferFull, why[0])
}

// modelItem is an item of the model: what waits, and since when.
type modelItem struct {
	id, key, at, stamp int
	done               bool
}

// The buffer holds what a list would: every item is released exactly once, by id, never after its limit, and no more than the
// limits wait.
func TestBufferAgreesWithModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := Limits{Wait: 50 * time.Millisecond, Items: rapid.IntRange(1, 8).Draw(t, "items"), Bytes: rapid.IntRange(10, 100).Draw(t, "bytes")}
		b := NewBuffer[int](limits)
		waiting, released := map[int]modelItem{}, map[int]bool{}
		now, next := 0, 0
		drain := func() {
			last := -1
			for it := b.Take(); it != nil; it = b.Take() {
				m, ok := waiting[it.Value]
				require.True(t, ok, "%d is released although it does not wait", it.Value)
				require.Greater(t, it.Value, last, "not in order")
				last = it.Value
				if it.Ended == KeyArrived && !m.done && rapid.Bool().Draw(t, "again") && b.Return(it) {
					last = -1
					continue
				}
				delete(waiting, it.Value)
				released[it.Value] = true
				b.Remove(it)
			}
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			switch rapid.IntRange(0, 4).Draw(t, "step") {
			case 0, 1:
				m := modelItem{next, rapid.IntRange(0, 3).Draw(t, "key"), now, now + rapid.IntRange(-20, 20).Draw(t, "skew"), rapid.Bool().Draw(t, "done")}
				it := newItem(m.id, byte(m.key), m.at)
				it.Stamp, it.Done = at(m.stamp), m.done
				waiting[next] = m
				b.Add(it)
				next++
			case 2:
				b.Arrive(Key{byte(rapid.IntRange(0, 3).Draw(t, "arrives"))})
			case 3:
				b.Settle(Key{byte(rapid.IntRange(0, 3).Draw(t, "settles"))})
			case 4:
				now += rapid.IntRange(0, 40).Draw(t, "time")
				stamp := now + rapid.IntRange(-20, 20).Draw(t, "stamp")
				b.Advance(at(now), at(stamp))
				drain()
				for _, m := range waiting {
					require.Less(t, now-m.at, 50, "%d waits for too long", m.id)
					require.Less(t, stamp-m.stamp, 50, "%d waits for too long by the times of records", m.id)
				}
			}
			drain()
			require.LessOrEqual(t, len(waiting), limits.Items)
			require.LessOrEqual(t, len(waiting)*10, limits.Bytes)
			require.Equal(t, len(waiting), b.Len())
		}
		b.Advance(at(now+50), time.Time{})
		drain()
		require.Empty(t, waiting)
		require.Len(t, released, next)
	})
}

func TestMemory(t *testing.T) {
	m := NewMemory[string](Limits{Wait: time.Second, Items: 3, Bytes: 10})
	get := func(key byte, ms int) string {
		v, _ := m.Get(Key{key}, at(ms))
		return v
	}
	m.Put(Key{1}, "a", 4, at(0))
	m.Put(Key{2}, "b", 4, at(500))
	require.Equal(t, "a", get(1, 999))
	require.Empty(t, get(1, 1000), "its time is over")
	m.Put(Key{2}, "c", 5, at(1400))
	require.Equal(t, "c", get(2, 2399), "the last put counts")
	m.Put(Key{3}, "d", 6, at(1500))
	require.Empty(t, get(2, 1500), "too many bytes")
	m.Put(Key{4}, "e", 11, at(1500))
	require.Empty(t, get(4, 1500), "larger than the memory")
	for key := range byte(5) {
		m.Put(Key{10 + key}, "x", 1, at(1600))
	}
	require.Equal(t, 3, m.Len())
}
