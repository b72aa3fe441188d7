package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka/embedded"
)

// TestConnectionMistakes: what a new user gets wrong about brokers, and the message that says so.
func TestConnectionMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Parallel()
	dir := t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	serverTLS := newCertificate(t, ca)
	start := func(extra ...kfake.Opt) string {
		c, err := embedded.Start(embedded.Options{Extra: extra})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		return c.Seeds()[0]
	}
	superuser := kfake.Superuser(MechanismPlain, "u", "secret")
	plain, encrypted := start(), start(kfake.TLS(serverTLS))
	login, encryptedLogin := start(kfake.EnableSASL(), superuser), start(kfake.TLS(serverTLS), kfake.EnableSASL(), superuser)
	scram := start(kfake.EnableSASL(), kfake.Superuser(MechanismScramSHA256, "u", "secret"))
	web := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(web.Close)
	expired := tlsListener(t, certificateUntil(t, filepath.Join(dir, "expired.pem"), time.Now().Add(-time.Hour)))
	mutual := tlsListener(t, &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: serverTLS.Certificates, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: x509.NewCertPool(),
	})
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })

	strict, err := embedded.Start(embedded.Options{}) // answers the login like Apache Kafka on a port without logins
	require.NoError(t, err)
	t.Cleanup(strict.Close)
	strict.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.SASLHandshake}, TopLevel: true, Err: kerr.IllegalSaslState, Count: -1})

	tlsOn := TLS{Enabled: true, CAFile: ca}
	user := SASL{Mechanism: MechanismPlain, User: "u", Password: "secret"}
	for _, tt := range []struct {
		name string
		seed string
		tls  TLS
		sasl SASL
		slow bool
		want string
	}{
		{"TLS against plaintext", plain, tlsOn, SASL{}, false, " answers without TLS: remove kafka.tls.enabled, or use the broker's TLS port"},
		{"TLS against plaintext, patient", plain, tlsOn, SASL{}, true, " answers without TLS: remove kafka.tls.enabled"},
		{"plaintext against TLS", encrypted, TLS{}, SASL{}, false, " expects TLS: set kafka.tls.enabled: true (and kafka.tls.ca_file for a private authority)"},
		{"login against TLS", encryptedLogin, TLS{}, user, false, " expects TLS: set kafka.tls.enabled: true"},
		{"login against plaintext", plain, TLS{}, user, false, "the broker answers without a login: remove kafka.sasl, or use the broker's SASL port"},
		{"login against TLS without login", encrypted, tlsOn, user, false, "the broker answers without a login: remove kafka.sasl"},
		{"login against plaintext, Apache Kafka", strict.Seeds()[0], TLS{}, user, false, "the broker answers without a login: remove kafka.sasl"},
		{"no login", login, TLS{}, SASL{}, false, "it probably requires a login: set kafka.sasl.mechanism, username and password_file"},
		{"no login over TLS", encryptedLogin, tlsOn, SASL{}, false, "it probably requires a login"},
		{"wrong password", login, TLS{}, SASL{Mechanism: MechanismPlain, User: "u", Password: "wrong"}, false, "check kafka.sasl.mechanism, username and password"},
		{"wrong mechanism", scram, TLS{}, user, false, "check kafka.sasl.mechanism, username and password"},
		{"HTTP", strings.TrimPrefix(web.URL, "http://"), TLS{}, SASL{}, false, " is an HTTP server and not a Kafka broker: correct the port in kafka.seed_brokers"},
		{"TLS against HTTP", strings.TrimPrefix(web.URL, "http://"), tlsOn, SASL{}, false, " is an HTTP server and not a Kafka broker"},
		{"unknown authority", encrypted, TLS{Enabled: true}, SASL{}, false, "an authority that this machine does not trust: set kafka.tls.ca_file"},
		{"another name", encrypted, TLS{Enabled: true, CAFile: ca, ServerName: "other"}, SASL{}, false, "certificate is not for other: connect by a name that it holds, or set kafka.tls.server_name"},
		{"expired", expired, TLS{Enabled: true, CAFile: filepath.Join(dir, "expired.pem")}, SASL{}, false, "has expired or is not valid yet: renew it, and check this machine's clock"},
		{"client certificate", mutual, tlsOn, SASL{}, false, "requires a client certificate that it trusts: set kafka.tls.cert_file and kafka.tls.key_file"},
		{"wrong port", "127.0.0.1:1", TLS{}, SASL{}, false, "nothing listens on 127.0.0.1:1: start the broker, or correct the port in kafka.seed_brokers"},
		{"wrong name", "nosuchbroker.invalid:9092", TLS{}, SASL{}, false, "the name nosuchbroker.invalid "},
		{"silent port", silent.Addr().String(), TLS{}, SASL{}, false, " accepts connections but does not answer like a Kafka broker"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			limit := 2 * time.Second
			if tt.slow {
				limit = 30 * time.Second // the client would wait as long
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			start := time.Now()
			err := pingBroker(ctx, Config{SeedBrokers: []string{tt.seed}, TLS: tt.tls, SASL: tt.sasl, Context: ctx})
			require.ErrorContains(t, err, tt.want)
			require.Less(t, time.Since(start), 15*time.Second)
			require.NotContains(t, err.Error(), "secret")
			require.NotContains(t, err.Error(), "wrong")
		})
	}
}

// tlsListener accepts TLS connections and closes them after the handshake.
func tlsListener(t *testing.T, cfg *tls.Config) string {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", cfg)
	require.NoError(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if secure, ok := conn.(*tls.Conn); ok {
				_ = secure.HandshakeContext(context.Background())
			}
			conn.Close()
		}
	}()
	t.Cleanup(func() { listener.Close(); <-done })
	return listener.Addr().String()
}
