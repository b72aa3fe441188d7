package access

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{}
	a.cert, a.key = a.sign(t, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign})
	return a
}

// sign makes a certificate; its own authority's if there is none yet.
func (a *authority) sign(t *testing.T, c *x509.Certificate) (*x509.Certificate, crypto.Signer) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return cert, key
}

func (a *authority) pair(t *testing.T, c *x509.Certificate) tls.Certificate {
	t.Helper()
	cert, key := a.sign(t, c)
	return tls.Certificate{Certificate: [][]byte{cert.Raw}, PrivateKey: key}
}

func writePEM(t *testing.T, name, kind string, der []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
	return file
}

// A client certificate of the configured authorities names its program; one of others ends the handshake.
func TestClientCertificates(t *testing.T) {
	ours, others := newAuthority(t), newAuthority(t)
	cert, key := ours.sign(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	der, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	settings := config.ListenerTLS{
		CertFile: writePEM(t, "tls.crt", "CERTIFICATE", cert.Raw), KeyFile: writePEM(t, "tls.key", "PRIVATE KEY", der),
		ClientCAFile: writePEM(t, "ca.crt", "CERTIFICATE", ours.cert.Raw),
	}
	secure, err := ServerTLS(&settings, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	gate, err := NewGate(&config.Auth{Logins: []config.Login{{Name: "billing", Tenants: []string{"bank"}}}})
	require.NoError(t, err)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := gate.Authenticate(r)
		if err != nil {
			p.Name = "refused"
		}
		_, _ = io.WriteString(w, p.Name)
	}))
	server.Config.ErrorLog = nil
	server.TLS = secure
	server.StartTLS()
	t.Cleanup(server.Close)
	ask := func(certs ...tls.Certificate) (string, error) {
		roots := x509.NewCertPool()
		roots.AddCert(ours.cert)
		transport := &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: roots, Certificates: certs}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		resp, err := transport.RoundTrip(r)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		return string(text), err
	}
	named := &x509.Certificate{Subject: pkix.Name{CommonName: "billing"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	for _, c := range []struct {
		certs []tls.Certificate
		want  string
	}{
		{nil, "refused"},
		{[]tls.Certificate{ours.pair(t, named)}, "billing"},
		{[]tls.Certificate{ours.pair(t, &x509.Certificate{Subject: pkix.Name{CommonName: "unknown"}, ExtKeyUsage: named.ExtKeyUsage})}, "refused"},
	} {
		who, err := ask(c.certs...)
		require.NoError(t, err)
		require.Equal(t, c.want, who)
	}
	who, err := ask(others.pair(t, named))
	require.True(t, err != nil || who == "refused", "a name that another authority signed")
	require.NotEqual(t, "billing", who)

	settings.ClientCAFile = settings.KeyFile
	_, err = ServerTLS(&settings, slog.New(slog.DiscardHandler))
	require.ErrorContains(t, err, "no certificate")
}
