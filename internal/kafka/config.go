// Package kafka holds what every part of Confab needs from a Kafka cluster: client options (TLS, SASL, logs, metrics),
// the [Producer] that waits for every acknowledgement, the [Admin] queries and a [Reader] without a consumer group. Dead
// letters, compacted topics and the schema registry are packages below it.
//
// It does not know what a value means. Consumer groups are in package consumer.
package kafka

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/plugin/kslog"

	"confab/internal/files"
)

// Defaults of Config.
const (
	DefaultClientID               = "confab"
	DefaultMaxMessageBytes        = 1 << 20
	DefaultFetchMaxBytes          = 16 << 20
	DefaultFetchMaxPartitionBytes = 2 << 20
	DefaultFetchMaxWait           = 500 * time.Millisecond

	// metadataMaxAge is how long a client may not see that a topic has new partitions. The library's default is five minutes.
	metadataMaxAge = 15 * time.Second

	// maxDecompressBatchBytes bounds the decompressed size of a fetched batch: the library's default is 1 GiB.
	maxDecompressBatchBytes = 64 << 20
)

// Config describes the connection to a cluster. Only SeedBrokers is required.
type Config struct {
	SeedBrokers []string // host:port of any brokers
	ClientID    string   // DefaultClientID when empty
	Rack        string   // fetch from the nearest replica when set
	TLS         TLS
	SASL        SASL
	Proven      bool // a broker has accepted TLS and SASL: a connection that is closed at once is no mistake in them

	MaxMessageBytes        int           // largest record batch written, before compression; bytes
	Limits                 *SizeLimits   // lower caps of single topics; nil: none
	FetchMaxBytes          int           // of one fetch from one broker; bytes
	FetchMaxPartitionBytes int           // of one partition within a fetch; bytes
	FetchMaxWait           time.Duration // a broker waits no longer than this for records

	// Dial replaces the network, for tests and proxies. It cannot be combined with TLS.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	// Context ends every request of the clients. Requests that open a connection obey no other context: a broker that
	// accepts and does not answer delays them for ten seconds and more. Nil never ends.
	Context context.Context //nolint:containedctx // of clients, which live as long as it

	Logger  *slog.Logger   // nil discards
	Metrics *ClientMetrics // nil counts nothing
}

// Validate returns what would keep clients from connecting, files included, without using the network. The configuration has
// checked its settings already.
func (c Config) Validate() error {
	var errs []error
	if len(c.SeedBrokers) == 0 {
		errs = append(errs, errors.New("kafka: no seed brokers: set kafka.seed_brokers, for example [localhost:9092]"))
	}
	for _, n := range []int{c.MaxMessageBytes, c.FetchMaxBytes, c.FetchMaxPartitionBytes} {
		if n < 0 || n > 1<<30 {
			errs = append(errs, fmt.Errorf("kafka: a size of %d bytes: use 0 (the default) to 1073741824", n))
		}
	}
	if c.TLS.Enabled && c.Dial != nil {
		errs = append(errs, errors.New("kafka: a custom dialer cannot be combined with TLS: let the dialer do the handshake"))
	}
	if c.TLS.Enabled {
		_, err := c.TLS.ClientConfig()
		errs = append(errs, err)
	}
	return errors.Join(append(errs, c.SASL.checkFiles())...)
}

// NewClient opens a client with the configuration's options followed by opts. It does not wait for the network.
func (c Config) NewClient(opts ...kgo.Opt) (*kgo.Client, error) {
	base, err := c.options()
	if err != nil {
		return nil, err
	}
	cl, err := kgo.NewClient(append(base, opts...)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: client options: %w", err)
	}
	return cl, nil
}

// NewSession opens a client that reads as a group member and writes in transactions under the id, with the options of
// Producer. An open transaction of an earlier session with the id is aborted once the session has its producer id.
func (c Config) NewSession(id string, timeout time.Duration, opts ...kgo.Opt) (*kgo.GroupTransactSession, error) {
	base, err := c.options()
	if err != nil {
		return nil, err
	}
	base = append(base, c.producerOptions()...)
	s, err := kgo.NewGroupTransactSession(append(append(base, kgo.TransactionalID(id), kgo.TransactionTimeout(timeout)), opts...)...)
	if err != nil {
		return nil, fmt.Errorf("kafka: session options: %w", err)
	}
	return s, nil
}

func (c Config) options() ([]kgo.Opt, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	fetch := cmp.Or(c.FetchMaxBytes, DefaultFetchMaxBytes)
	opts := []kgo.Opt{
		kgo.SeedBrokers(c.SeedBrokers...),
		kgo.ClientID(cmp.Or(c.ClientID, DefaultClientID)),
		kgo.FetchMaxBytes(int32(fetch)),
		kgo.FetchMaxPartitionBytes(int32(cmp.Or(c.FetchMaxPartitionBytes, min(fetch, DefaultFetchMaxPartitionBytes)))),
		kgo.FetchMaxWait(cmp.Or(c.FetchMaxWait, DefaultFetchMaxWait)),
		kgo.BrokerMaxReadBytes(int32(max(100<<20, min(2*fetch, 1<<31-1)))),
		kgo.MetadataMaxAge(metadataMaxAge),
		kgo.MaxDecompressBatchBytes(maxDecompressBatchBytes),
		kgo.DisableClientMetrics(),
	}
	if c.Proven {
		opts = append(opts, kgo.AlwaysRetryEOF())
	}
	if c.Context != nil {
		opts = append(opts, kgo.WithContext(c.Context))
	}
	if c.Rack != "" {
		opts = append(opts, kgo.Rack(c.Rack))
	}
	if c.Logger != nil {
		opts = append(opts, kgo.WithLogger(kslog.New(c.Logger)))
	}
	if c.Metrics != nil {
		opts = append(opts, kgo.WithHooks(c.Metrics))
	}
	if c.Dial != nil {
		opts = append(opts, kgo.Dialer(c.Dial))
	}
	if c.TLS.Enabled {
		opts = append(opts, kgo.Dialer(c.TLS.dial))
	}
	if c.SASL.Mechanism != "" {
		opts = append(opts, kgo.SASL(c.SASL.Login()))
	}
	return opts, nil
}

// Header is one record header.
type Header = kgo.RecordHeader

// AnyPartition lets the record's key choose the partition.
const AnyPartition int32 = -1

// Message is a record to write.
type Message struct {
	Topic     string
	Partition int32 // AnyPartition unless the writer must choose
	Key       []byte
	Value     []byte // nil writes a tombstone
	Headers   []Header
}

// Record returns the message in the client's form. It shares the slices of m.
func (m *Message) Record() *kgo.Record {
	return &kgo.Record{Topic: m.Topic, Key: m.Key, Value: m.Value, Headers: m.Headers, Partition: m.Partition}
}

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
