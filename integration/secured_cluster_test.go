//go:build integration

package integration_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"maps"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

// authority signs the certificates of a test.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  string
}

// pair is a certificate and its key as PEM.
type pair struct{ cert, key string }

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{cert: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}}
	var err error
	a.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, a.cert, a.cert, a.key.Public(), a.key)
	require.NoError(t, err)
	a.pem = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return a
}

// issue signs a certificate for 127.0.0.1.
func (a *authority) issue(t *testing.T, name string) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}, a.cert, key.Public(), a.key)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return pair{
		cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		key:  string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
	}
}

// reauthenticate is how often brokers of the secured cluster want the login again.
const reauthenticate = 5 * time.Second

// securedOptions are those of brokers that want TLS with a client certificate, a SCRAM login and access rules. The other
// listener is open to tests only: its principal may do everything.
func securedOptions(t *testing.T, a *authority) integration.ClusterOptions {
	t.Helper()
	server := a.issue(t, "broker")
	line := func(text string) string { return strings.ReplaceAll(text, "\n", `\n`) } // of a properties file
	const listener = "KAFKA_LISTENER_NAME_SECURE_"
	return integration.ClusterOptions{Secure: "SASL_SSL", Files: map[string]string{}, Env: map[string]string{
		listener + "SSL_KEYSTORE_TYPE":              "PEM",
		listener + "SSL_KEYSTORE_KEY":               line(server.key),
		listener + "SSL_KEYSTORE_CERTIFICATE_CHAIN": line(server.cert),
		listener + "SSL_TRUSTSTORE_TYPE":            "PEM",
		listener + "SSL_TRUSTSTORE_CERTIFICATES":    line(a.pem),
		listener + "SSL_CLIENT_AUTH":                "required",
		listener + "SASL_ENABLED_MECHANISMS":        "SCRAM-SHA-512",

		listener + "SCRAM___SHA___512_SASL_JAAS_CONFIG": "org.apache.kafka.common.security.scram.ScramLoginModule required;",

		"KAFKA_CONNECTIONS_MAX_REAUTH_MS":      strconv.Itoa(int(reauthenticate.Milliseconds())),
		"KAFKA_AUTHORIZER_CLASS_NAME":          "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
		"KAFKA_ALLOW_EVERYONE_IF_NO_ACL_FOUND": "false",
		"KAFKA_SUPER_USERS":                    "User:ANONYMOUS",
	}}
}

// securedCluster is a running one with the files of its clients.
type securedCluster struct {
	*integration.Cluster
	authority *authority
	dir       string
	bin       string
	settings  string // of the roles, in YAML
}

func (s *securedCluster) write(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(s.dir, name)
	require.NoError(t, os.WriteFile(path+".new", []byte(text), 0o600))
	require.NoError(t, os.Rename(path+".new", path)) // as those do that renew secrets
	return path
}

// config writes the configuration of a user that logs in with the lines of YAML below kafka.sasl.
func (s *securedCluster) config(t *testing.T, user, sasl, more string) (path string) {
	t.Helper()
	return s.write(t, user+".yaml", `
kafka:
  seed_brokers: [`+strings.Join(s.SecureSeeds(), ", ")+`]
  start_offset: earliest
  tls: {enabled: true, ca_file: `+s.write(t, "ca.pem", s.authority.pem)+`, cert_file: `+filepath.Join(s.dir, user+".crt")+`, key_file: `+filepath.Join(s.dir, user+".key")+`}
  sasl: `+sasl+`
`+s.settings+more)
}

// addUser makes a SCRAM user with a client certificate, and returns its configuration.
func (s *securedCluster) addUser(t *testing.T, user, more string) (config string) {
	t.Helper()
	s.setCertificate(t, user, s.authority)
	password := s.write(t, user+".password", "password of "+user)
	require.NoError(t, s.SetPassword(t.Context(), user, "password of "+user))
	return s.config(t, user, "{mechanism: SCRAM-SHA-512, username: "+user+", password_file: "+password+"}", more)
}

// setCertificate replaces the client certificate of a user.
func (s *securedCluster) setCertificate(t *testing.T, user string, of *authority) {
	t.Helper()
	p := of.issue(t, user)
	s.write(t, user+".crt", p.cert)
	s.write(t, user+".key", p.key)
}

func startSecured(t *testing.T, more func(*integration.ClusterOptions)) *securedCluster {
	t.Helper()
	s := &securedCluster{authority: newAuthority(t), dir: t.TempDir(), bin: buildWorker(t)}
	o := securedOptions(t, s.authority)
	o.Env = maps.Clone(o.Env)
	more(&o)
	s.Cluster = startCluster(t, o)
	return s
}
