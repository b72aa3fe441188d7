package worker

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/worker/config"
)

// TestStartSurvivesClosedConnections: brokers and proxies that restart close new connections. Once a broker has answered, that
// is no reason to end.
func TestStartSurvivesClosedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := new(kfake.VirtualNetwork)
		cluster, err := embedded.Start(embedded.Options{Listen: network.Listen, Extra: []kfake.Opt{kfake.Ports(1)}})
		require.NoError(t, err)
		defer cluster.Close()
		cfg := config.Default()
		cfg.Roles = []config.Role{config.RoleAlert}
		w := &worker{Options: Options{Config: cfg, Registry: prometheus.NewRegistry(), Logger: testLogger(t)}}
		var dialed atomic.Int32
		w.kafka = kafka.Config{SeedBrokers: cluster.Seeds(), Dial: func(ctx context.Context, kind, address string) (net.Conn, error) {
			if n := dialed.Add(1); n == 1 || n > 4 {
				return network.DialContext(ctx, kind, address)
			}
			ours, theirs := net.Pipe()
			go func() { defer theirs.Close(); _, _ = theirs.Read(make([]byte, 1<<10)) }()
			return ours, nil
		}}
		_, err = w.checkCluster(t.Context())
		require.ErrorContains(t, err, "create it with `confab topics apply`", "it has listed the topics")
		require.Greater(t, dialed.Load(), int32(4))
	})
}
