package consumer

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"pgregory.net/rapid"

	"confab/consumer/hold"
)

const parkingWait = 10 * time.Second

// parkingModel is an assignment with the state of every record.
type parkingModel struct {
	part    *assignment
	parking *parkingLot
	gauge   int
	came    map[int64]time.Time // records that wait, and since when
	done    []bool              // by offset
	ending  bool                // nothing is asked for any longer
}

func newParkingModel(limits hold.Limits) *parkingModel {
	m := &parkingModel{came: map[int64]time.Time{}}
	m.part = newAssignment(assignmentOptions{
		MaxBatch: 5, MaxBatchBytes: 1 << 20, InFlightRecords: 1 << 20, ByteCap: func() int { return 1 << 30 },
		OnWatermark: func() {}, OnCapacity: func() {},
	}, nil, partitionID{Topic: "t"})
	m.parking = newParkingLot(m.part, limits, func(change int, _ hold.Reason) { m.gauge += change })
	return m
}

func (m *parkingModel) enqueue(n int) {
	for range n {
		offset := int64(len(m.done))
		m.done = append(m.done, false)
		m.part.Enqueue([]*kgo.Record{{Offset: offset, Value: []byte("value"), Timestamp: time.Now()}})
	}
}

// finish marks a record as done: exactly once, and in time.
func (m *parkingModel) finish(t *rapid.T, offset int64) {
	require.False(t, m.done[offset], "offset %d is done twice", offset)
	m.done[offset] = true
	if since, waited := m.came[offset]; waited {
		require.LessOrEqual(t, time.Since(since), parkingWait, "offset %d", offset)
		delete(m.came, offset)
	}
}

// checkWatermark: it stands at the first record that is not done.
func (m *parkingModel) checkWatermark(t *rapid.T) {
	want := int64(0)
	for want < int64(len(m.done)) && m.done[want] {
		want++
	}
	if mark, ok := m.part.tracker.watermark(); ok {
		require.Equal(t, want, mark.Offset)
	} else {
		require.Zero(t, want)
	}
}

// Every record is processed exactly once, or asked to wait again; none waits longer than the limit, also when no record
// comes; and the watermark never passes one that waits.
func TestParkingAgreesWithModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) { // without the deadline, which has no virtual time
			m := newParkingModel(hold.Limits{Wait: parkingWait, Items: rapid.IntRange(1, 20).Draw(t, "items"), Bytes: 1 << 20})
			for range rapid.IntRange(1, 30).Draw(t, "steps") {
				m.enqueue(rapid.IntRange(0, 6).Draw(t, "records"))
				m.sleep(t, time.Duration(rapid.IntRange(0, 4).Draw(t, "seconds"))*time.Second)
				if len(m.part.queue) == 0 && len(m.came) == 0 {
					continue // it would wait for ever
				}
				m.batch(t)
				m.checkWatermark(t)
			}
			m.ending = true
			for len(m.part.queue) > 0 || len(m.came) > 0 {
				m.batch(t)
			}
			for m.parking.buffer.Len() > 0 { // records whose offsets only wait: they need no batch
				<-time.After(parkingWait)
				m.enqueue(1)
				m.batch(t)
			}
			m.checkWatermark(t)
			require.Zero(t, m.gauge)
			require.Zero(t, m.part.held)
			require.Zero(t, m.part.heldBytes)
		})
	})
}

// sleep passes time, in which the goroutine of the assignment is not busy.
func (m *parkingModel) sleep(t *rapid.T, d time.Duration) {
	for end := time.Now().Add(d); ; {
		for m.isDue() {
			m.batch(t)
		}
		next := end
		if at, ok := m.parking.buffer.Deadline(); ok && at.Before(end) {
			next = at
		}
		if !next.Before(end) {
			<-time.After(time.Until(end))
			return
		}
		<-time.After(time.Until(next))
	}
}

// isDue reports whether a record waits no longer.
func (m *parkingModel) isDue() bool {
	m.parking.buffer.Advance(time.Now(), time.Time{})
	next := m.parking.buffer.Next()
	return next != nil && (!next.Done || len(m.part.queue) > 0 || len(m.came) > 0)
}

// batch processes the next batch with arbitrary requests of the codec.
func (m *parkingModel) batch(t *rapid.T) {
	items := m.parking.Next(nil)
	require.NotEmpty(t, items)
	m.parking.Begin()
	for _, it := range items {
		turn := m.parking.Turn(it)
		require.NotEqual(t, turn.Ended == hold.TimeLimit || turn.Ended == hold.BufferFull, turn.Open)
		turn.Key = hold.Key{byte(rapid.IntRange(1, 4).Draw(t, "key"))}
		if parked := m.parking.buffer.Find(it.Seq); parked != nil {
			turn.Key = parked.Key
		}
		turn.Arrives, turn.Settles = rapid.Bool().Draw(t, "arrives"), rapid.Bool().Draw(t, "settles")
		if turn.Open && !m.ending {
			turn.Ask = hold.Request(rapid.IntRange(0, 2).Draw(t, "ask"))
		}
		m.parking.Note(it, turn)
		switch _, waited := m.came[it.Offset()]; {
		case turn.Ask == hold.WaitForKey && !waited:
			m.came[it.Offset()] = time.Now()
		case turn.Ask == hold.WaitForKey:
		default:
			m.finish(t, it.Offset())
			if turn.Ask == hold.KeepUnmarked && turn.Ended == "" {
				m.done[it.Offset()] = false // processed, but its offset waits
			}
		}
	}
	require.True(t, m.parking.Complete(items))
	for i := range m.done { // those whose offsets do not wait any longer
		if _, waits := m.came[int64(i)]; !waits && !m.done[i] && !m.isQueued(int64(i)) && !m.isKept(int64(i)) {
			m.done[i] = true
		}
	}
}

func (m *parkingModel) isQueued(offset int64) bool {
	for _, it := range m.part.queue {
		if it.Offset() == offset {
			return true
		}
	}
	return false
}

func (m *parkingModel) isKept(offset int64) bool { return m.parking.buffer.Find(uint64(offset)) != nil }

// A sealed assignment counts nothing, and what waited is forgotten: the next owner reads it again.
func TestParkingOfAnEndedAssignment(t *testing.T) {
	m := newParkingModel(hold.Limits{Wait: parkingWait, Items: 10, Bytes: 1 << 20})
	m.enqueue(2)
	items := m.parking.Next(nil)
	m.parking.Begin()
	m.parking.Note(items[0], hold.Turn{Ask: hold.WaitForKey, Key: hold.Key{1}})
	require.True(t, m.parking.Complete(items))
	require.Equal(t, 1, m.gauge)
	mark, ok := m.part.tracker.watermark()
	require.False(t, ok && mark.Offset > 0, "the first record waits")
	m.enqueue(1)
	items = m.parking.Next(nil)
	m.part.Seal()
	require.False(t, m.parking.Complete(items))
	m.part.Halt()
	require.Empty(t, m.parking.Next(nil))
	m.parking.Close()
	require.Zero(t, m.gauge)
}

// Parked records are no load: others are still fetched.
func TestParkedRecordsAreNoLoad(t *testing.T) {
	m := newParkingModel(hold.Limits{Wait: parkingWait, Items: 10, Bytes: 1 << 20})
	m.enqueue(3)
	items := m.parking.Next(nil)
	m.parking.Begin()
	for _, it := range items {
		m.parking.Note(it, hold.Turn{Ask: hold.WaitForKey, Key: hold.Key{1}})
	}
	require.True(t, m.parking.Complete(items))
	load, _ := m.part.Load()
	require.Zero(t, load)
	items[0].Rec.Value[0] = 'x' // the fetched batch is used for something else
	m.parking.buffer.Arrive(hold.Key{1})
	items = m.parking.Next(nil)
	require.Len(t, items, 3)
	require.Equal(t, "value", string(items[0].Rec.Value))
}

// An offset is not held while any number of records follow it.
func TestParkingFarBehind(t *testing.T) {
	m := newParkingModel(hold.Limits{Wait: time.Hour, Items: 10, Bytes: 1 << 20})
	m.part.opts.MaxBatch = 1 << 20
	m.enqueue(1)
	items := m.parking.Next(nil)
	m.parking.Begin()
	m.parking.Note(items[0], hold.Turn{Ask: hold.WaitForKey, Key: hold.Key{1}})
	require.True(t, m.parking.Complete(items))
	m.enqueue(maxBehind)
	items = m.parking.Next(nil)
	m.parking.Begin()
	require.True(t, m.parking.Complete(items))
	items = m.parking.Next(nil)
	require.Len(t, items, 1)
	require.Equal(t, hold.BufferFull, m.parking.Turn(items[0]).Ended)
}

// Records of a producer whose clock is wrong neither end the wait of others nor lose their own.
func TestParkingAndWrongClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newParkingModel(hold.Limits{Wait: parkingWait, Items: 10, Bytes: 1 << 20})
		read := func(stamp time.Time) {
			offset := int64(len(m.done))
			m.done = append(m.done, false)
			m.part.Enqueue([]*kgo.Record{{Offset: offset, Value: []byte("value"), Timestamp: stamp}})
			items := m.parking.Next(nil)
			require.Len(t, items, 1)
			require.Equal(t, offset, items[0].Offset(), "no other record has ended")
			m.parking.Begin()
			m.parking.Note(items[0], hold.Turn{Ask: hold.WaitForKey, Key: hold.Key{1}})
			require.True(t, m.parking.Complete(items))
		}
		now := time.Now()
		for _, skew := range []time.Duration{0, time.Hour, -time.Hour, 0, 365 * 24 * time.Hour, -time.Hour} {
			read(now.Add(skew))
		}
		<-time.After(parkingWait)
		require.Len(t, m.parking.Next(nil), 5, "a batch of all, when their time is over")
	})
}
