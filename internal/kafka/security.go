package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

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

// Size limits of files.
const (
	maxPEMBytes      = 4 << 20 // bundles of certificates take a few hundred kilobytes
	maxPasswordBytes = 64 << 10
)

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

// The supported SASL mechanisms.
const (
	MechanismPlain       = "PLAIN"
	MechanismScramSHA256 = "SCRAM-SHA-256"
	MechanismScramSHA512 = "SCRAM-SHA-512"
)

// SASL is a login. PasswordFile is read at every connect and overrides Password.
type SASL struct {
	Mechanism    string // "" for none, or one of the Mechanism constants in any case
	User         string
	Password     string
	PasswordFile string
}

func (s SASL) validate() error {
	if s.Mechanism == "" {
		if s.User != "" || s.Password != "" || s.PasswordFile != "" {
			return errors.New("kafka: a SASL login without kafka.sasl.mechanism: use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512")
		}
		return nil
	}
	var errs []error
	switch strings.ToUpper(s.Mechanism) {
	case MechanismPlain, MechanismScramSHA256, MechanismScramSHA512:
	default:
		errs = append(errs, fmt.Errorf("kafka: unknown SASL mechanism %q: use PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", s.Mechanism))
	}
	if s.User == "" {
		errs = append(errs, errors.New("kafka: SASL needs kafka.sasl.user"))
	}
	switch pass, err := s.password(); {
	case err != nil:
		errs = append(errs, err)
	case pass == "":
		errs = append(errs, errors.New("kafka: SASL needs kafka.sasl.password or kafka.sasl.password_file"))
	}
	return errors.Join(errs...)
}

// password returns the current password, without a trailing line break of the file.
func (s SASL) password() (string, error) {
	if s.PasswordFile == "" {
		return s.Password, nil
	}
	b, err := files.Read(s.PasswordFile, maxPasswordBytes)
	if err != nil {
		return "", fmt.Errorf("kafka: read SASL password: %w", err)
	}
	return strings.TrimRight(string(b), "\r\n"), nil
}

func (s SASL) options() []kgo.Opt {
	asScram := func(context.Context) (scram.Auth, error) {
		pass, err := s.password()
		return scram.Auth{User: s.User, Pass: pass}, err
	}
	switch strings.ToUpper(s.Mechanism) {
	case MechanismPlain:
		return []kgo.Opt{kgo.SASL(plain.Plain(func(context.Context) (plain.Auth, error) {
			pass, err := s.password()
			return plain.Auth{User: s.User, Pass: pass}, err
		}))}
	case MechanismScramSHA256:
		return []kgo.Opt{kgo.SASL(scram.Sha256(asScram))}
	case MechanismScramSHA512:
		return []kgo.Opt{kgo.SASL(scram.Sha512(asScram))}
	default:
		return nil
	}
}
