package httpclient_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/httpclient"
	"confab/internal/redact"
)

func get(t *testing.T, o httpclient.Options, url string) (status int, body string) {
	t.Helper()
	base := &http.Transport{}
	transport, err := httpclient.Wrap(o, base)
	require.NoError(t, err)
	defer base.CloseIdleConnections()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(raw)
}

func server(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func TestProxy(t *testing.T) {
	proxy := server(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "proxied "+r.URL.String()) })
	o := httpclient.Options{ProxyURL: redact.Secret(proxy.URL), NoProxy: "127.0.0.1"}
	_, body := get(t, o, "http://service.example/x")
	require.Equal(t, "proxied http://service.example/x", body)

	direct := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "direct") })
	_, body = get(t, o, direct.URL)
	require.Equal(t, "direct", body, "no_proxy")
}

func TestHeaders(t *testing.T) {
	s := server(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("X-Scope-OrgID")) })
	_, body := get(t, httpclient.Options{Headers: map[string]redact.Secret{"X-Scope-OrgID": "team-a"}}, s.URL)
	require.Equal(t, "team-a", body)
}

func TestOAuth2(t *testing.T) {
	fetched := 0
	tokens := server(t, func(w http.ResponseWriter, r *http.Request) {
		fetched++
		id, secret, _ := r.BasicAuth()
		if id != "confab" || secret != "s3cret" || r.FormValue("scope") != "alerts" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, "canary of the reply")
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "token-1", "token_type": "Bearer", "expires_in": 3600})
	})
	s := server(t, func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Header.Get("Authorization")) })
	o := httpclient.Options{OAuth2: httpclient.OAuth2{ClientID: "confab", ClientSecret: "s3cret", TokenURL: tokens.URL, Scopes: []string{"alerts"}}}
	transport, err := httpclient.Wrap(o, &http.Transport{})
	require.NoError(t, err)
	client := &http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	for range 2 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, http.NoBody)
		require.NoError(t, err)
		resp, err := client.Do(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, "Bearer token-1", string(body))
	}
	require.Equal(t, 1, fetched, "a valid token is kept")

	o.OAuth2.ClientSecret = "wrong"
	status, message := get(t, o, s.URL)
	require.Zero(t, status)
	require.Equal(t, "fetch OAuth 2.0 token: HTTP status 401: check token_url, client_id and client_secret", message)
}

// A token server that does not answer ends with the deadline of the request.
func TestOAuth2HonorsTheDeadline(t *testing.T) {
	release := make(chan struct{})
	tokens := server(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	o := httpclient.Options{OAuth2: httpclient.OAuth2{ClientID: "id", ClientSecret: "s3cret", TokenURL: tokens.URL}}
	transport, err := httpclient.Wrap(o, &http.Transport{})
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:1", http.NoBody)
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotContains(t, err.Error(), "s3cret")
}

// A redirect of the token server would send the secret to another host.
func TestOAuth2RefusesRedirects(t *testing.T) {
	reached := false
	other := server(t, func(http.ResponseWriter, *http.Request) { reached = true })
	tokens := server(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	})
	o := httpclient.Options{OAuth2: httpclient.OAuth2{ClientID: "id", ClientSecret: "s3cret", TokenURL: tokens.URL}}
	status, message := get(t, o, other.URL)
	require.Zero(t, status)
	require.Contains(t, message, "HTTP status 307")
	require.False(t, reached)
}

// A server that asks for a client certificate gets it, and its own is checked against the configured authority.
func TestMutualTLS(t *testing.T) {
	dir := t.TempDir()
	ca, caKey := certificate(t, dir, "ca", nil, nil)
	certificate(t, dir, "server", ca, caKey)
	certificate(t, dir, "client", ca, caKey)
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key"))
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(ca)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	s.StartTLS()
	t.Cleanup(s.Close)

	trusted := httpclient.TLS{CAFile: filepath.Join(dir, "ca.crt")}
	known := trusted
	known.CertFile, known.KeyFile = filepath.Join(dir, "client.crt"), filepath.Join(dir, "client.key")
	_, body := get(t, httpclient.Options{TLS: known}, s.URL)
	require.Equal(t, "client", body)

	status, _ := get(t, httpclient.Options{TLS: trusted}, s.URL)
	require.Zero(t, status, "without a client certificate")
	status, _ = get(t, httpclient.Options{TLS: httpclient.TLS{CertFile: known.CertFile, KeyFile: known.KeyFile}}, s.URL)
	require.Zero(t, status, "without the authority")
}

func TestInvalidOptions(t *testing.T) {
	for name, c := range map[string]struct {
		options httpclient.Options
		want    string
	}{
		"proxy":            {httpclient.Options{ProxyURL: "user:secret@proxy"}, "proxy_url: expected a URL"},
		"two proxies":      {httpclient.Options{ProxyURL: "http://proxy", ProxyFromEnvironment: true}, "proxy"},
		"no proxy alone":   {httpclient.Options{NoProxy: "host"}, "no_proxy"},
		"authority":        {httpclient.Options{TLS: httpclient.TLS{CAFile: "/does/not/exist"}}, "tls_config: "},
		"key without pair": {httpclient.Options{TLS: httpclient.TLS{KeyFile: "/does/not/exist"}}, "tls_config: "},
		"token without id": {httpclient.Options{OAuth2: httpclient.OAuth2{TokenURL: "http://tokens"}}, "oauth2: "},
		"own header":       {httpclient.Options{Headers: map[string]redact.Secret{"authorization": "x"}}, "http_headers: authorization is set by the client"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := httpclient.Wrap(c.options, &http.Transport{})
			require.ErrorContains(t, err, c.want)
			require.NotContains(t, err.Error(), "secret@")
		})
	}
}

// certificate writes NAME.crt and NAME.key, signed by the parent, or by itself without one.
func certificate(t *testing.T, dir, name string, parent *x509.Certificate, signer *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: parent == nil,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if parent == nil {
		parent, signer = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	require.NoError(t, err)
	keyDER, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	for file, block := range map[string]*pem.Block{name + ".crt": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "EC PRIVATE KEY", Bytes: keyDER}} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600))
	}
	made, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return made, key
}
