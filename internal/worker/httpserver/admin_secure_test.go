package httpserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
)

// writeCertificate writes tls.crt and tls.key of a new certificate for 127.0.0.1 into dir and returns the certificate.
func writeCertificate(t *testing.T, dir string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	for name, block := range map[string]*pem.Block{"tls.crt": {Type: "CERTIFICATE", Bytes: der}, "tls.key": {Type: "PRIVATE KEY", Bytes: private}} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return cert
}

// serveSecure runs the admin server with TLS and a login until the test ends, and returns its address.
func serveSecure(t *testing.T, dir string) string {
	t.Helper()
	address, done := make(chan net.Addr, 1), make(chan error, 1)
	o := adminOptions(func(o *AdminOptions) {
		o.Config.Admin = config.Admin{
			Listen: "127.0.0.1:0", Pprof: true,
			TLS:   config.ListenerTLS{CertFile: filepath.Join(dir, "tls.crt"), KeyFile: filepath.Join(dir, "tls.key")},
			Token: "0123456789abcdef",
		}
		o.Logger = slog.New(slog.DiscardHandler)
		o.Started = func(a net.Addr) { address <- a }
	})
	ctx, stop := context.WithCancel(t.Context())
	go func() { done <- ServeAdmin(ctx, o) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-done) })
	return (<-address).String()
}

type secureReply struct {
	status, protocol int
	challenge        string
}

// secureGet requests a URL, trusting one certificate.
func secureGet(t *testing.T, url string, trusted *x509.Certificate, change func(*http.Request)) (secureReply, error) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AddCert(trusted)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	change(r)
	transport := &http.Transport{DisableKeepAlives: true, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return secureReply{}, err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return secureReply{resp.StatusCode, resp.ProtoMajor, resp.Header.Get("WWW-Authenticate")}, resp.Body.Close()
}

func TestAdminLogin(t *testing.T) {
	dir := t.TempDir()
	cert := writeCertificate(t, dir)
	at := serveSecure(t, dir)
	user := func(name, password string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth(name, password) }
	}
	bearer := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	private := []string{"/metrics", "/config", "/version", "/debug/pprof/", "/debug/pprof/goroutine?debug=1"}
	for name, c := range map[string]struct {
		proof func(*http.Request)
		paths []string
		want  int
	}{
		"probes without login": {func(*http.Request) {}, []string{"/livez", "/readyz?verbose", "/healthz"}, http.StatusOK},
		"probes, wrong login":  {user("prometheus", "wrong"), []string{"/livez"}, http.StatusOK},
		"no login":             {func(*http.Request) {}, private, http.StatusUnauthorized},
		"token as a password":  {user("admin", "0123456789abcdef"), private, http.StatusOK},
		"token":                {bearer("0123456789abcdef"), private, http.StatusOK},
		"wrong token":          {bearer("0123456789abcdeX"), private, http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range c.paths {
				reply, err := secureGet(t, "https://"+at+path, cert, c.proof)
				require.NoError(t, err)
				require.Equal(t, c.want, reply.status, path)
				require.Equal(t, c.want == http.StatusUnauthorized, reply.challenge != "", path)
				require.Equal(t, 2, reply.protocol)
			}
		})
	}
	reply, err := secureGet(t, "http://"+at+"/metrics", cert, user("prometheus", "open sesame"))
	require.NoError(t, err)
	require.Equal(t, http.StatusBadRequest, reply.status, "plain HTTP at the port of TLS")
}

// A renewed certificate is served without a restart; while its files do not fit together, the last one is.
func TestAdminCertificateIsReplaced(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	first, second := writeCertificate(t, dir), writeCertificate(t, other)
	at := serveSecure(t, dir)
	probe := func(trusted *x509.Certificate) error {
		_, err := secureGet(t, "https://"+at+"/livez", trusted, func(*http.Request) {})
		return err
	}
	replace := func(name string) {
		text, err := os.ReadFile(filepath.Join(other, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
	require.NoError(t, probe(first))
	require.Error(t, probe(second))

	replace("tls.crt")
	require.NoError(t, probe(first), "the key is still that of the first")
	replace("tls.key")
	require.NoError(t, probe(second))
	require.Error(t, probe(first))

	require.NoError(t, os.Remove(filepath.Join(dir, "tls.key")))
	require.NoError(t, probe(second), "a missing key leaves the last one")
}

func TestAdminNamesTheCertificate(t *testing.T) {
	o := adminOptions(func(o *AdminOptions) {
		o.Config.Admin.TLS = config.ListenerTLS{CertFile: "/nowhere/tls.crt", KeyFile: "/nowhere/tls.key"}
	})
	err := ServeAdmin(t.Context(), o)
	require.ErrorContains(t, err, "admin.tls: ")
	require.ErrorContains(t, err, "/nowhere/tls.crt")
}
