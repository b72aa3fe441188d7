package dispatch

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

var errCrashed = errors.New("the process has crashed")

// flagEvent is a flag with the time at which it arrives.
type flagEvent struct {
	after     time.Duration
	partition int32
	flag      schemas.Flag
}

// crashEvents cover all transitions: one group in several partitions, deep passes, more new messages than tokens, a group
// past the repeat interval, and a resolved group that returns.
func crashEvents(start time.Time) []flagEvent {
	var out []flagEvent
	add := func(after time.Duration, p int32, n, id int) *schemas.Flag {
		f := similarFlag(n, id)
		f.DetectedAt = start.Add(after)
		out = append(out, flagEvent{after, p, f})
		return &out[len(out)-1].flag
	}
	add(0, 0, 1, 0)
	add(0, 1, 1, 1)
	add(time.Second, 2, 1, 2)
	add(2*time.Second, 0, 2, 0).Risk = new(0.95)
	add(3*time.Second, 0, 3, 0)
	add(3*time.Second, 1, 4, 0)
	add(4*time.Second, 2, 5, 0)
	add(4*time.Second, 0, 3, 1)
	add(5*time.Second, 1, 1, 1).Pass = schemas.PassDeep
	add(90*time.Second, 0, 1, 3)
	add(95*time.Second, 2, 6, 0)
	add(11*time.Minute, 1, 1, 4) // after the repeat interval
	add(12*time.Minute, 0, 3, 2)
	add(50*time.Minute, 0, 1, 5) // after the resolve timeout
	return out
}

// crashRun is what survives a crash.
type crashRun struct {
	logs      []*memoryLog
	sink      *memorySink
	notifier  alerting.Notifier
	start     time.Time
	dropAfter bool // the sink gets nothing after the last record
	events    func(start time.Time) []flagEvent
	policy    *alerting.Policy
}

// runUntilCrash runs a process until it crashes at the given record, or to its end if that is negative. It returns the number
// of records written.
func runUntilCrash(t *testing.T, c crashRun, crashAt int) int {
	logs, sink, start, deafAfter := c.logs, c.sink, c.start, c.dropAfter
	var records atomic.Int64
	var crashed atomic.Bool
	for _, l := range logs {
		l.Fail = func(entries []alerting.StateEntry) error {
			if crashed.Load() {
				return errCrashed
			}
			if left := max(crashAt-int(records.Load()), 0); crashAt >= 0 && len(entries) > left {
				crashed.Store(true)
				l.Fail = nil
				l.Mu.Unlock()
				_ = l.Put(t.Context(), entries[:left]...) // what was written of it
				l.Mu.Lock()
				l.Fail = func([]alerting.StateEntry) error { return errCrashed }
				return errCrashed
			}
			return nil
		}
		l.OnPut = func() {
			if n := records.Add(1); deafAfter && int(n) == crashAt {
				crashed.Store(true)
			}
		}
	}
	sink.Fail = func(string, *schemas.Alert) error {
		if crashed.Load() {
			return errSinkDown
		}
		return nil
	}
	d := newHarness(t, harnessOptions{partitions: len(logs), logs: logs, fakeSink: sink, notifier: c.notifier, groups: crashGroups(), policy: c.policy}).run()
	defer d.stop()
	for _, s := range c.events(start) {
		if gap := time.Until(start.Add(s.after)); gap > 0 {
			sleepVirtual(gap)
		}
		synctest.Wait()
		if crashed.Load() {
			break
		}
		f := s.flag
		_, err := d.Add(t.Context(), s.partition, &f)
		require.True(t, err == nil || crashed.Load(), "%v", err)
	}
	if !crashed.Load() {
		sleepVirtual(2 * time.Hour)
	}
	if !crashed.Load() {
		require.True(t, d.Idle())
		require.Zero(t, d.totals().pending)
		require.Zero(t, d.totals().groups, "everything is resolved")
	}
	return int(records.Load())
}

func crashGroups() GroupOptions {
	return GroupOptions{
		Interval: time.Minute, Repeat: 10 * time.Minute, Resolve: 30 * time.Minute, StaleAfter: 3 * time.Hour,
		NewMessages: BucketOptions{Burst: 2, Every: time.Hour},
	}
}

// TestCrashAfterEveryRecord: after a crash at any record, before or after the request to the sink, every incident is
// delivered, none twice without the mark, and the counts of the messages are exact.
func TestCrashAfterEveryRecord(t *testing.T) {
	incidents := map[string]bool{}
	for _, s := range crashEvents(time.Time{}) {
		incidents[s.flag.IncidentID] = true
	}
	total, marked := 0, 0
	for _, noHistory := range []bool{false, true} {
		for _, dropAfter := range []bool{false, true} {
			for crashAt := 0; crashAt == 0 || crashAt <= total; crashAt++ {
				t.Run(fmt.Sprintf("no history %v, drop after %v, record %d", noHistory, dropAfter, crashAt), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						sink := &memorySink{NoHistory: noHistory}
						c := crashRun{[]*memoryLog{newMemoryLog(), newMemoryLog(), newMemoryLog()}, sink, sink, time.Now(), dropAfter, crashEvents, nil}
						runUntilCrash(t, c, crashAt)
						total = max(total, runUntilCrash(t, c, -1))
						sent, unmarked := sink.Delivered()
						require.EqualValues(t, len(incidents), sent, "%+v", sortedCounts(sink.Alerts()))
						require.Zero(t, unmarked)
						twice := len(sink.Posts)
						ids := map[string]bool{}
						for _, p := range sink.Posts {
							ids[p.Alert.Message] = true
						}
						marked += twice - len(ids)
						if !noHistory {
							require.Len(t, ids, twice, "found again, not repeated")
						}
					})
				})
			}
		}
	}
	require.Greater(t, total, 25, "records")
	require.Positive(t, marked)
	t.Logf("%d records, each the last one in 4 ways; %d messages repeated, all marked", total, marked)
}

// TestCrashWithWebhook: with a sink that can neither edit nor find messages, every incident is delivered, and possible
// duplicates are marked.
func TestCrashWithWebhook(t *testing.T) {
	incidents := map[string]bool{}
	for _, s := range crashEvents(time.Time{}) {
		incidents[s.flag.IncidentID] = true
	}
	total, more := 0, 0
	for _, dropAfter := range []bool{false, true} {
		for crashAt := 0; crashAt == 0 || crashAt <= total; crashAt++ {
			t.Run(fmt.Sprintf("drop after %v, record %d", dropAfter, crashAt), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sink := &memorySink{NoHistory: true}
					c := crashRun{[]*memoryLog{newMemoryLog(), newMemoryLog(), newMemoryLog()}, sink, postOnlySink{memorySink: sink}, time.Now(), dropAfter, crashEvents, nil}
					runUntilCrash(t, c, crashAt)
					total = max(total, runUntilCrash(t, c, -1))
					sent, unmarked := sink.Delivered()
					var marked int64
					for _, a := range sink.Alerts() {
						if a.PossiblyDuplicated {
							marked += a.Count
						}
					}
					require.GreaterOrEqual(t, sent, int64(len(incidents)))
					require.LessOrEqual(t, sent-marked, int64(len(incidents)), "more than once without the mark")
					require.Zero(t, unmarked)
					more += int(sent) - len(incidents)
				})
			})
		}
	}
	require.Greater(t, total, 25, "records")
	t.Logf("%d records; %d incidents repeated in another message, all marked", total, more)
}
