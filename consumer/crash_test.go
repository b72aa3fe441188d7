package consumer

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// killableProcess is a loop whose process can crash: its connections break and no new one is made.
type killableProcess struct {
	dial func(ctx context.Context, kind, addr string) (net.Conn, error)

	mu    sync.Mutex
	dead  bool
	conns []net.Conn
}

func (m *killableProcess) dialContext(ctx context.Context, kind, addr string) (net.Conn, error) {
	conn, err := m.dial(ctx, kind, addr)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead && err == nil {
		conn.Close()
		err = errors.New("the process is dead")
	}
	m.conns = append(m.conns, conn)
	return conn, err
}

func (m *killableProcess) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dead = true
	for _, c := range m.conns {
		if c != nil {
			c.Close()
		}
	}
}

// startKillable starts a loop in a process that can crash.
func (r *loopHarness) startKillable(t *testing.T, opts Options[string]) (*killableProcess, *runningLoop) {
	m := &killableProcess{dial: r.cfg.Dial}
	opts.Kafka.Dial = m.dialContext
	opts.Grace = 100 * time.Millisecond
	return m, r.start(t, opts)
}

// metadata returns the metadata committed with the offset of partition 0.
func (r *loopHarness) metadata(t *testing.T) string {
	t.Helper()
	cl, err := r.cfg.NewClient()
	require.NoError(t, err)
	defer cl.Close()
	offsets, err := kadm.NewClient(cl).FetchOffsets(context.Background(), testGroup)
	if errors.Is(err, kerr.GroupIDNotFound) {
		return ""
	}
	require.NoError(t, err)
	o, _ := offsets.Lookup(inTopic, 0)
	return o.Metadata
}

func (r *loopHarness) letterReasons(t *testing.T) (values, reasons []string) {
	t.Helper()
	for _, l := range r.read(t, dlqTopic) {
		values = append(values, string(l.Value))
		for _, h := range l.Headers {
			if h.Key == "confab-reason" {
				reasons = append(reasons, string(h.Value))
			}
		}
	}
	return values, reasons
}

// TestRecordThatEndsItsProcess: the record crashes each process at once. The first crash shows that some record does it, the
// second in which small batch it is, the next two which one.
func TestRecordThatEndsItsProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, append(append(numberedValues(0, 5), "killer"), numberedValues(5, 5)...)...)
		var s handledValues
		deaths := 0
		for done := false; !done; {
			died := make(chan struct{})
			var m *killableProcess
			born := make(chan struct{})
			opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
				<-born
				for i := range batch {
					if batch[i].Begin(); batch[i].Value == "killer" {
						m.kill()
						close(died)
						<-ctx.Done()
						return ctx.Err()
					}
				}
				return s.handle(ctx, batch, out)
			})
			var run *runningLoop
			m, run = r.startKillable(t, opts)
			close(born)
			select {
			case <-died:
				deaths++
			case <-time.After(time.Minute):
				done = true
			}
			_ = run.stop()
			require.LessOrEqual(t, deaths, 6)
		}
		require.Equal(t, 4, deaths)
		require.Equal(t, numberedValues(0, 10), s.of(0), "the others are handled, in order, once")
		require.Equal(t, int64(11), r.committed(t)[0])
		values, reasons := r.letterReasons(t)
		require.Equal(t, []string{"killer"}, values)
		require.Equal(t, []string{ReasonCrashSuspect}, reasons)
		require.InDelta(t, 1, counterValue(r.metrics.Letters, StageHandle, ReasonCrashSuspect), 0)
		require.InDelta(t, 4, counterValue(r.metrics.Unclean, "test"), 0)
		require.Empty(t, r.metadata(t), "the partition was given back, and nothing is left to be known")
	})
}

// TestRecordThatNeverEnds: the watchdog ends each process, which has committed before which record is slow.
func TestRecordThatNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, append(append(numberedValues(0, 5), "endless"), numberedValues(5, 5)...)...)
		var s handledValues
		release := make(chan struct{})
		opts := r.options(func(ctx context.Context, batch []Record[string], out Producer) error {
			for i := range batch {
				if batch[i].Begin(); batch[i].Value == "endless" {
					<-release // whatever its context says
					return errors.New("too late")
				}
			}
			return s.handle(ctx, batch, out)
		})
		opts.Grace = 10 * time.Second
		var loops []*Loop[string]
		for range 2 {
			run := r.start(t, opts)
			loops = append(loops, run.loop)
			eventually(t, func() bool { pr := run.loop.Progress(); return pr.Busy && time.Since(pr.Since) > 5*time.Second })
			require.Equal(t, int64(5), run.loop.Progress().Offset)
			require.ErrorContains(t, run.stop(), "1 handlers did not return")
		}
		run := r.start(t, opts)
		r.awaitCommitted(t, map[int32]int64{0: 11})
		require.NoError(t, run.stop())
		values, _ := r.letterReasons(t)
		require.Equal(t, []string{"endless"}, values)
		require.Equal(t, numberedValues(0, 10), s.of(0))
		close(release)
		for _, l := range loops {
			l.workers.Wait()
		}
	})
}

// TestDeathsBetweenRecords: crashes while a record waits for its next attempt do not count against it.
func TestDeathsBetweenRecords(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, numberedValues(0, 3)...)
		for range 5 {
			tried := make(chan struct{})
			var once sync.Once
			opts := r.options(func(context.Context, []Record[string], Producer) error {
				once.Do(func() { close(tried) })
				return errors.New("down")
			})
			opts.RetryInitial, opts.RetryMax = time.Hour, time.Hour
			m, run := r.startKillable(t, opts)
			<-tried
			eventually(t, func() bool {
				note, _ := readOwnerNote(r.metadata(t))
				return note.Owner != "" && len(note.Attempts) == 0
			})
			m.kill()
			_ = run.stop()
		}
		var s handledValues
		run := r.start(t, r.options(s.handle))
		r.awaitCommitted(t, map[int32]int64{0: 3})
		require.NoError(t, run.stop())
		require.Equal(t, numberedValues(0, 3), s.of(0))
		require.Empty(t, r.read(t, dlqTopic))
	})
}

// TestRevokedWhileInWork: a handler that obeys its context gives the partition back, one that does not leaves a note
// about its record.
func TestRevokedWhileInWork(t *testing.T) {
	for name, heeds := range map[string]bool{"heeds its context": true, "does not": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newVirtualHarness(t, 1)
				r.produce(t, 0, "slow")
				release := make(chan struct{})
				opts := r.options(func(ctx context.Context, _ []Record[string], _ Producer) error {
					if heeds {
						<-ctx.Done()
					} else {
						<-release
					}
					return ctx.Err()
				})
				run := r.start(t, opts)
				eventually(t, func() bool { note, _ := readOwnerNote(r.metadata(t)); return note.Attempts[0] == 1 })
				p := run.loop.owned.All()[0]
				run.loop.onRevoked(t.Context(), p.Client, map[string][]int32{inTopic: {0}})
				note, _ := readOwnerNote(r.metadata(t))
				if heeds {
					require.Empty(t, r.metadata(t))
				} else {
					require.Equal(t, map[int64]int{0: 1}, note.Attempts)
					require.Equal(t, run.loop.id, note.Owner)
				}
				close(release)
				<-p.Idle
				require.NoError(t, run.stop())
			})
		})
	}
}

// TestDeathsOfHandlersThatWait: a handler that waits for other services may see several crashes within one record by
// chance.
func TestDeathsOfHandlersThatWait(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	synctest.Test(t, func(t *testing.T) {
		r := newVirtualHarness(t, 1)
		r.produce(t, 0, "slow reply")
		for range 5 {
			asked := make(chan struct{})
			opts := r.options(func(ctx context.Context, _ []Record[string], _ Producer) error {
				close(asked)
				<-ctx.Done()
				return ctx.Err()
			})
			opts.HandlerWaits, opts.SlowRecord = true, time.Hour
			m, run := r.startKillable(t, opts)
			<-asked
			<-time.After(time.Minute)
			m.kill()
			_ = run.stop()
		}
		var s handledValues
		run := r.start(t, r.options(s.handle))
		r.awaitCommitted(t, map[int32]int64{0: 1})
		require.NoError(t, run.stop())
		require.Equal(t, 1, s.len())
		require.Empty(t, r.read(t, dlqTopic))
	})
}

// TestGuardOff commits no note.
func TestGuardOff(t *testing.T) {
	r := newHarness(t, 1)
	r.produce(t, 0, "a")
	opts := r.options(func(context.Context, []Record[string], Producer) error { return nil })
	opts.CrashDeaths = 0
	run := r.start(t, opts)
	r.awaitCommitted(t, map[int32]int64{0: 1})
	_, ok := readOwnerNote(r.metadata(t))
	require.False(t, ok)
	require.NoError(t, run.stop())
}
