package kafka

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kfake"

	"confab/internal/kafka/embedded"
)

func TestConfigReportsEverythingAtOnce(t *testing.T) {
	seeds := []string{"localhost:9092"}
	tests := []struct {
		name string
		cfg  Config
		want []string // nothing means valid
	}{
		{"minimal", Config{SeedBrokers: seeds}, nil},
		{"nothing", Config{}, []string{"no seed brokers: set kafka.seed_brokers"}},
		{"several", Config{
			MaxMessageBytes: -1, SASL: SASL{Mechanism: "PLAIN", User: "u", PasswordFile: "absent"},
		}, []string{
			"no seed brokers", "a size of -1 bytes", "read SASL password: open absent",
		}},
		{"no such CA file", Config{SeedBrokers: seeds, TLS: TLS{Enabled: true, CAFile: "absent.pem"}}, []string{"read CA certificates: open absent.pem"}},
		{"not a certificate", Config{SeedBrokers: seeds, TLS: TLS{Enabled: true, CAFile: "config_test.go"}}, []string{"config_test.go holds no PEM certificate"}},
		{"dialer and TLS", Config{SeedBrokers: seeds, TLS: TLS{Enabled: true}, Dial: (&net.Dialer{}).DialContext}, []string{"cannot be combined with TLS"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := tt.cfg.Validate()
			if tt.want == nil {
				require.NoError(t, err)
				return
			}
			for _, want := range tt.want {
				require.ErrorContains(t, err, want)
			}
			_, err = NewProducer(tt.cfg)
			require.Error(t, err, "a wrong configuration opens nothing")
		})
	}
}

// TestSecureConnections logs in over TLS with every mechanism, and shows what a wrong secret says.
func TestSecureConnections(t *testing.T) {
	dir := t.TempDir()
	serverTLS := newCertificate(t, filepath.Join(dir, "ca.pem"))
	cluster, err := embedded.Start(embedded.Options{Extra: []kfake.Opt{
		kfake.TLS(serverTLS), kfake.EnableSASL(),
		kfake.Superuser(MechanismPlain, "plain", "secret"),
		kfake.Superuser(MechanismScramSHA256, "scram256", "secret"),
		kfake.Superuser(MechanismScramSHA512, "scram512", "secret"),
	}})
	require.NoError(t, err)
	defer cluster.Close()
	secret := filepath.Join(dir, "password")
	require.NoError(t, os.WriteFile(secret, []byte("secret\n"), 0o600))
	base := Config{SeedBrokers: cluster.Seeds(), TLS: TLS{Enabled: true, CAFile: filepath.Join(dir, "ca.pem")}}
	tests := []struct {
		name string
		sasl SASL
		want string
	}{
		{"plain", SASL{Mechanism: "plain", User: "plain", Password: "secret"}, ""},
		{"scram 256", SASL{Mechanism: MechanismScramSHA256, User: "scram256", PasswordFile: secret}, ""},
		{"scram 512", SASL{Mechanism: MechanismScramSHA512, User: "scram512", PasswordFile: secret, Password: "older"}, ""},
		{"wrong password", SASL{Mechanism: MechanismScramSHA512, User: "scram512", Password: "wrong"}, "reach a broker"},
		{"no login", SASL{}, "is SASL missing?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cfg := base
			cfg.SASL = tt.sasl
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			err := pingBroker(ctx, cfg)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "wrong", "a password in an error")
		})
	}
	t.Run("unknown authority", func(t *testing.T) {
		cfg := base
		cfg.TLS.CAFile = ""
		require.ErrorContains(t, pingBroker(t.Context(), cfg), "certificate")
	})
	t.Run("the password file is read at every connect", func(t *testing.T) {
		cfg := base
		cfg.SASL = SASL{Mechanism: MechanismPlain, User: "plain", PasswordFile: secret}
		require.NoError(t, os.WriteFile(secret, []byte("not yet"), 0o600))
		adm, err := NewAdmin(cfg)
		require.NoError(t, err)
		defer adm.Close()
		require.Error(t, adm.Ping(t.Context()))
		require.NoError(t, os.WriteFile(secret, []byte("secret"), 0o600))
		require.NoError(t, adm.Ping(t.Context()))
	})
}

func pingBroker(ctx context.Context, cfg Config) error {
	adm, err := NewAdmin(cfg)
	if err != nil {
		return err
	}
	defer adm.Close()
	return adm.Ping(ctx)
}

// newCertificate makes a self-signed certificate for loopback and writes it to file.
func newCertificate(t *testing.T, file string) *tls.Config {
	t.Helper()
	return certificateUntil(t, file, time.Now().Add(time.Hour))
}

func certificateUntil(t *testing.T, file string, end time.Time) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: end,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	encoded := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	require.NoError(t, os.WriteFile(file, encoded, 0o600))
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}

// TestClientMetricsServeManyClients: replacing a client registers nothing twice.
func TestClientMetricsServeManyClients(t *testing.T) {
	cluster := startCluster(t, map[string]int32{"t": 1})
	reg := prometheus.NewRegistry()
	cfg := Config{SeedBrokers: cluster.Seeds(), Metrics: NewClientMetrics(reg)}
	for range 2 {
		p, err := NewProducer(cfg)
		require.NoError(t, err)
		require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: "t", Value: []byte("v")}))
		p.Close()
	}
	require.Positive(t, testutil.ToFloat64(cfg.Metrics.written))
	require.Error(t, pingBroker(t.Context(), Config{SeedBrokers: []string{"127.0.0.1:1"}, Metrics: cfg.Metrics}))
}
