package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"time"

	"confab/internal/files"
)

// dialTimeout bounds one connection attempt with its handshake.
const dialTimeout = 10 * time.Second

// TLS configures encryption. Files are read at every connect, so that rotated certificates need no restart.
type TLS struct {
	Enabled            bool
	CAFile             string // PEM; the system's roots when empty
	CertFile           string // PEM, for mutual TLS; together with KeyFile
	KeyFile            string
	ServerName         string // expected in the certificate when it is not the broker's host name
	InsecureSkipVerify bool   // accept any certificate; for experiments only
}

func (t TLS) validate() error {
	if !t.Enabled {
		if t.CAFile != "" || t.CertFile != "" || t.KeyFile != "" {
			return errors.New("kafka: TLS files are given but TLS is off: set kafka.tls.enabled: true")
		}
		return nil
	}
	if (t.CertFile == "") != (t.KeyFile == "") {
		return errors.New("kafka: mutual TLS needs both kafka.tls.cert_file and kafka.tls.key_file")
	}
	_, err := t.ClientConfig()
	return err
}

// maxPEMBytes bounds files of certificates: bundles take a few hundred kilobytes.
const maxPEMBytes = 4 << 20

func loadPair(certFile, keyFile string) (tls.Certificate, error) {
	cert, err := files.Read(certFile, maxPEMBytes)
	if err != nil {
		return tls.Certificate{}, err
	}
	key, err := files.Read(keyFile, maxPEMBytes)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

// ClientConfig reads the files and returns a client's configuration.
func (t TLS) ClientConfig() (*tls.Config, error) {
	cfg := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		ServerName:         t.ServerName,
		InsecureSkipVerify: t.InsecureSkipVerify, //nolint:gosec // the operator's explicit choice
	}
	if t.CAFile != "" {
		pem, err := files.Read(t.CAFile, maxPEMBytes)
		if err != nil {
			return nil, fmt.Errorf("kafka: read CA certificates: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("kafka: %s holds no PEM certificate", t.CAFile)
		}
	}
	if t.CertFile != "" {
		pair, err := loadPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("kafka: load client certificate: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

func (t TLS) dial(ctx context.Context, network, address string) (net.Conn, error) {
	cfg, err := t.ClientConfig()
	if err != nil {
		return nil, err
	}
	d := tls.Dialer{NetDialer: &net.Dialer{Timeout: dialTimeout}, Config: cfg}
	return d.DialContext(ctx, network, address)
}
