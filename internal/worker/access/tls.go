package access

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"sync"

	"confab/internal/worker/config"
)

// ServerTLS returns the TLS configuration of a listener; nil without a certificate. Each handshake uses the files as they
// are then. Files that are not valid together are logged, and the last valid ones stay in force.
func ServerTLS(t *config.ListenerTLS, log *slog.Logger) (*tls.Config, error) {
	if t.CertFile == "" {
		return nil, nil //nolint:nilnil // without a certificate there is no encryption
	}
	s := &servedPair{cert: t.CertFile, key: t.KeyFile, log: log}
	if err := s.read(); err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: s.latest}, nil
}

// servedPair is the certificate and key of a listener.
type servedPair struct {
	cert, key string // files
	log       *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	problem string // that was logged last
}

func (s *servedPair) latest(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	problem := ""
	if err := s.read(); err != nil {
		problem = err.Error()
	}
	if problem != "" && problem != s.problem {
		s.log.ErrorContext(hello.Context(), "read changed certificate failed, keeping the last one: correct the files", "error", problem)
	}
	s.problem = problem
	return s.current, nil
}

func (s *servedPair) read() error {
	pair, err := tls.LoadX509KeyPair(s.cert, s.key)
	if err != nil {
		return fmt.Errorf("read certificate %s and key %s: %w", s.cert, s.key, err)
	}
	s.current = &pair
	return nil
}
