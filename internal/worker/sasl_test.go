package worker

import (
	"context"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/worker/config"
)

const (
	brokerPassword = "the-password-of-brokers"
	login          = "the login is refused: check kafka.sasl.mechanism, username and password, or kafka.sasl.oauth; the credential comes from kafka.sasl.password: "
	closed         = "the broker closes the connection during the login: check kafka.sasl.mechanism, username and password; the credential comes from kafka.sasl.password: "
	noLogin        = "it probably requires a login: set kafka.sasl.mechanism, username and password_file"
	silent         = "accepts connections but does not answer like a Kafka broker"
)

// TestStartWithAWrongLogin: a rejected login ends the start within the connect timeout. The error names the settings, not the
// password.
func TestStartWithAWrongLogin(t *testing.T) {
	fault := func(key kmsg.Key, err *kerr.Error) func(*embedded.Cluster, *kafka.Config) {
		return func(c *embedded.Cluster, _ *kafka.Config) {
			c.Fault(kfake.Fault{Keys: []kmsg.Key{key}, TopLevel: true, Err: err, Count: -1})
		}
	}
	for name, tt := range map[string]struct {
		mechanism string
		spoil     func(*embedded.Cluster, *kafka.Config)
		says      string
	}{
		"good, SCRAM":           {"SCRAM-SHA-256", func(*embedded.Cluster, *kafka.Config) {}, ""},
		"good, PLAIN":           {"PLAIN", func(*embedded.Cluster, *kafka.Config) {}, ""},
		"wrong password, PLAIN": {"PLAIN", func(_ *embedded.Cluster, c *kafka.Config) { c.SASL.Password += "x" }, closed},
		"wrong password, SCRAM": {"SCRAM-SHA-256", func(_ *embedded.Cluster, c *kafka.Config) { c.SASL.Password += "x" }, closed},
		"unknown user":          {"SCRAM-SHA-256", func(_ *embedded.Cluster, c *kafka.Config) { c.SASL.User = "nobody" }, closed},
		"refused by name":       {"PLAIN", fault(kmsg.SASLAuthenticate, kerr.SaslAuthenticationFailed), login},
		"mechanism not offered": {"SCRAM-SHA-512", fault(kmsg.SASLHandshake, kerr.UnsupportedSaslMechanism), login},
		"illegal state":         {"PLAIN", fault(kmsg.SASLHandshake, kerr.IllegalSaslState), login},
		"no login":              {"", func(*embedded.Cluster, *kafka.Config) {}, noLogin},
		"never answers": {"PLAIN", func(_ *embedded.Cluster, c *kafka.Config) {
			c.Dial = func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				go func() { defer theirs.Close(); _, _ = io.Copy(io.Discard, theirs) }()
				return ours, nil
			}
		}, silent},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := new(kfake.VirtualNetwork)
				cluster, err := embedded.Start(embedded.Options{Listen: network.Listen, Extra: []kfake.Opt{
					kfake.Ports(1), kfake.EnableSASL(), kfake.Superuser("PLAIN", "worker", brokerPassword),
					kfake.Superuser("SCRAM-SHA-256", "worker", brokerPassword),
				}})
				require.NoError(t, err)
				defer cluster.Close()
				cfg := config.Default()
				cfg.Roles = []config.Role{config.RoleAlert}
				w := &worker{Options: Options{Config: cfg, Registry: prometheus.NewRegistry(), Logger: testLogger(t)}}
				w.kafka = kafka.Config{SeedBrokers: cluster.Seeds(), Dial: network.DialContext}
				if tt.mechanism != "" {
					w.kafka.SASL = kafka.SASL{Mechanism: tt.mechanism, User: "worker", Password: brokerPassword}
				}
				tt.spoil(cluster, &w.kafka)
				begin := time.Now()
				_, err = w.checkCluster(t.Context())
				require.LessOrEqual(t, time.Since(begin), connectTimeout+6*time.Second, "with the time to find out why")
				require.NotContains(t, err.Error(), brokerPassword)
				if tt.says == "" {
					require.ErrorContains(t, err, "create it with `confab topics apply`", "it has connected")
					return
				}
				require.ErrorContains(t, err, tt.says)
			})
		})
	}
}
