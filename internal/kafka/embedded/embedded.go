// Package embedded runs a Kafka cluster inside the process, for the demo and for tests. It is not for production: nothing
// is replicated, and one goroutine answers all requests.
package embedded

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// errHung closes the connection of a request that Hang delayed.
var errHung = errors.New("the request hung")

// Options configure a cluster. The zero value is one broker without topics, in memory.
type Options struct {
	Brokers   int              // 1 when zero
	Topics    map[string]int32 // partitions by topic
	Retention time.Duration    // delete older records; 0 keeps them
	// Listen replaces the network, for tests in virtual time.
	Listen func(network, address string) (net.Listener, error)
	// Extra options of the fake cluster, for tests.
	Extra []kfake.Opt
}

// Cluster is a running cluster.
type Cluster struct {
	*kfake.Cluster // exposed for tests that inject faults
}

// Start runs a cluster on loopback ports until Close.
func Start(opts Options) (*Cluster, error) {
	ks := []kfake.Opt{
		kfake.NumBrokers(max(opts.Brokers, 1)),
		kfake.GroupMinSessionTimeout(100 * time.Millisecond),
	}
	for topic, n := range opts.Topics {
		ks = append(ks, kfake.SeedTopics(n, topic))
	}
	if opts.Retention > 0 {
		ms := strconv.FormatInt(opts.Retention.Milliseconds(), 10)
		ks = append(ks, kfake.BrokerConfigs(map[string]string{"log.retention.ms": ms}))
	}
	if opts.Listen != nil {
		ks = append(ks, kfake.ListenFn(opts.Listen))
	}
	c, err := kfake.NewCluster(append(ks, opts.Extra...)...)
	if err != nil {
		return nil, fmt.Errorf("start embedded cluster: %w", err)
	}
	return &Cluster{c}, nil
}

// Hang delays requests with that key, -1 for all, until release is called, for tests of clients. Call release before
// Close, which otherwise may wait forever. hits counts the requests.
func (c *Cluster) Hang(key int16) (hits *atomic.Int32, release func()) {
	var (
		mu       sync.Mutex
		released bool
		hung     sync.WaitGroup
	)
	end := make(chan struct{})
	hits = new(atomic.Int32)
	c.ControlKey(key, func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		mu.Lock()
		if released {
			mu.Unlock()
			return nil, nil, false
		}
		hung.Add(1)
		mu.Unlock()
		defer hung.Done()
		hits.Add(1)
		c.SleepControl(func() { <-end })
		return nil, errHung, true
	})
	return hits, func() {
		mu.Lock()
		released = true
		mu.Unlock()
		close(end)
		hung.Wait()
	}
}

// Seeds returns the addresses of the brokers.
func (c *Cluster) Seeds() []string { return c.ListenAddrs() }
