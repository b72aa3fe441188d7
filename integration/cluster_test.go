//go:build integration

package integration_test

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

// TestBrokerFaults checks the test environment: what a broker acknowledged to a plain client survives a kill, a cut and a
// pause, and two unrelated readers read the same records.
func TestBrokerFaults(t *testing.T) {
	c := startCluster(t, integration.ClusterOptions{})
	faults := []struct {
		name      string
		broker    int
		harm, fix func(context.Context, int) error
	}{
		{"killed", 1, c.Kill, c.Start},
		{"cut off", 2, c.Disconnect, c.Reconnect},
		{"paused", 0, c.Pause, c.Unpause},
	}
	for i, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			topic := "faults-" + strconv.Itoa(i)
			createTopic(t, c, topic)
			observer := (f.broker + 1) % 3
			load := startLoad(t, c, topic)

			load.awaitAcks(t, 500)
			step := stopwatch(t)
			require.NoError(t, f.harm(t.Context(), f.broker))
			require.NoError(t, c.AwaitISR(t.Context(), observer, topic, 2))
			step("replica dropped")
			load.awaitAcks(t, 500)
			step("writes go on")
			require.NoError(t, f.fix(t.Context(), f.broker))
			require.NoError(t, c.AwaitISR(t.Context(), observer, topic, 3))
			step("replica back")
			load.awaitAcks(t, 500)
			acked := load.stop(t)
			step("load stopped")

			requireOnce(t, acked, c.ReadTopic, topic)
			step("read by franz-go")
			requireOnce(t, acked, c.KcatRead, topic)
			step("read by kcat")
		})
	}
}

func createTopic(t *testing.T, c *integration.Cluster, topic string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	require.NoError(t, err)
	defer cl.Close()
	resp, err := kadm.NewClient(cl).CreateTopics(t.Context(), 6, 3, nil, topic)
	require.NoError(t, err)
	require.NoError(t, resp.Error())
}

// requireOnce compares a reader's records with the acknowledged ones: none lost, none duplicated.
func requireOnce(t *testing.T, acked []string, read func(context.Context, string) ([]integration.Record, error), topic string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	records, err := read(ctx, topic)
	if !requireKcat(t, err) {
		return
	}
	seen := map[string]int{}
	for _, r := range records {
		seen[string(r.Value)]++
	}
	for _, value := range acked {
		require.Equal(t, 1, seen[value], "copies of record %s", value)
	}
	require.Len(t, records, len(acked), "every record was acknowledged in the end")
}

// load produces numbered records until it is stopped.
type load struct {
	cl   *kgo.Client
	quit chan struct{}
	done chan struct{}

	mu    sync.Mutex
	acked []string
	err   error
}

func startLoad(t *testing.T, c *integration.Cluster, topic string) *load {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.DefaultProduceTopic(topic), kgo.ProducerLinger(5*time.Millisecond))
	require.NoError(t, err)
	l := &load{cl: cl, quit: make(chan struct{}), done: make(chan struct{})}
	t.Cleanup(cl.Close)
	go l.run()
	return l
}

func (l *load) run() {
	defer close(l.done)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-l.quit:
			return
		case <-tick.C:
		}
		value := strconv.Itoa(n)
		l.cl.Produce(context.Background(), kgo.KeyStringRecord(value, value), func(_ *kgo.Record, err error) {
			l.mu.Lock()
			defer l.mu.Unlock()
			if err != nil {
				l.err = err
				return
			}
			l.acked = append(l.acked, value)
		})
	}
}

// awaitAcks returns after that many further records were acknowledged.
func (l *load) awaitAcks(t *testing.T, more int) {
	t.Helper()
	count := func() int { l.mu.Lock(); defer l.mu.Unlock(); return len(l.acked) }
	want := count() + more
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, integration.Await(ctx, strconv.Itoa(want)+" records are acknowledged",
		func(context.Context) (bool, error) { return count() >= want, nil }))
}

func (l *load) stop(t *testing.T) []string {
	t.Helper()
	close(l.quit)
	<-l.done
	require.NoError(t, l.cl.Flush(t.Context()))
	require.NoError(t, l.err)
	return l.acked
}
