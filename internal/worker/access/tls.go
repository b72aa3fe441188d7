package access

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"confab/internal/files"
	"confab/internal/worker/config"
)

// maxCertificateBytes bounds a file of certificates or keys.
const maxCertificateBytes = 4 << 20

// ServerTLS returns the TLS configuration of a listener; nil without a certificate. Each handshake uses the files as they
// are then. Files that are not valid together are logged, and the last valid ones stay in force.
func ServerTLS(t *config.ListenerTLS, log *slog.Logger) (*tls.Config, error) {
	if t.CertFile == "" {
		return nil, nil //nolint:nilnil // without a certificate there is no encryption
	}
	s := &servedFiles{names: [...]string{t.CertFile, t.KeyFile, t.ClientCAFile}, log: log}
	contents, err := s.read()
	if err == nil {
		s.current, err = s.parse(contents)
	}
	if err != nil {
		return nil, err
	}
	s.contents = contents
	outer := s.current.Clone()
	outer.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) { return s.latest(hello.Context()), nil }
	return outer, nil
}

// servedFiles are the certificate, the key and the authorities of clients that a listener uses.
type servedFiles struct {
	names [3]string
	log   *slog.Logger

	mu       sync.Mutex
	contents [3][]byte
	current  *tls.Config // of contents; the same until they change, so that sessions can be resumed
	problem  string      // that was logged last
}

// latest returns the configuration of the files, or the last valid one.
func (s *servedFiles) latest(ctx context.Context) *tls.Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	contents, err := s.read()
	if err == nil && slices.EqualFunc(contents[:], s.contents[:], bytes.Equal) {
		s.problem = ""
		return s.current
	}
	var next *tls.Config
	if err == nil {
		next, err = s.parse(contents)
	}
	if err != nil {
		if s.problem != err.Error() {
			s.problem = err.Error()
			s.log.ErrorContext(ctx, "read changed certificate failed, keeping the last one: correct the files", "error", err)
		}
		return s.current
	}
	s.contents, s.current, s.problem = contents, next, ""
	s.log.InfoContext(ctx, "read changed certificate", "file", s.names[0])
	return s.current
}

func (s *servedFiles) read() (contents [3][]byte, err error) {
	for i, name := range s.names {
		if name == "" {
			continue
		}
		if contents[i], err = files.Read(name, maxCertificateBytes); err != nil {
			return contents, fmt.Errorf("read certificate: %w", err)
		}
	}
	return contents, nil
}

func (s *servedFiles) parse(contents [3][]byte) (*tls.Config, error) {
	cert, err := tls.X509KeyPair(contents[0], contents[1])
	if err != nil {
		return nil, fmt.Errorf("read certificate %s and key %s: %w", s.names[0], s.names[1], err)
	}
	c := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}}
	if s.names[2] == "" {
		return c, nil
	}
	if c.ClientCAs = x509.NewCertPool(); !c.ClientCAs.AppendCertsFromPEM(contents[2]) {
		return nil, fmt.Errorf("%s holds no certificate in PEM", s.names[2])
	}
	c.ClientAuth = tls.VerifyClientCertIfGiven
	return c, nil
}
