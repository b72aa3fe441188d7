package kafka

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"confab/internal/retry"
)

const (
	// lookAfter is how long a client waits for an answer before it looks whether one can come at all.
	lookAfter = 3 * time.Second
	// lookTimeout bounds an explanation, and replyTimeout one attempt to make a port answer.
	lookTimeout  = 5 * time.Second
	replyTimeout = time.Second
	maxExamined  = 3 // seed brokers
)

// ErrLogin means that a broker refused the login.
var ErrLogin = errors.New("the login is refused: check kafka.sasl.mechanism, username and password, or kafka.sasl.oauth")

// mismatchError says why no broker can ever answer a client of these settings.
type mismatchError struct{ text string }

func (e *mismatchError) Error() string { return e.text }

// Ping waits for one broker to answer, until ctx ends or a look at the ports shows that none can. The error says what is likely wrong
// and what to change. The looks send no credentials.
func (a *Admin) Ping(ctx context.Context) error {
	pinging, stop := context.WithCancelCause(ctx)
	var looking sync.WaitGroup
	looking.Go(func() {
		if retry.Sleep(pinging, lookAfter) != nil {
			return
		}
		if text := a.mismatch(pinging); text != "" {
			stop(&mismatchError{text})
		}
	})
	err := a.client.Ping(pinging)
	certain, found := errors.AsType[*mismatchError](context.Cause(pinging))
	stop(nil)
	looking.Wait()
	switch {
	case err == nil:
		return nil
	case found:
		err = certain
	case !errors.Is(ctx.Err(), context.Canceled): // else there is no time to look
		err = a.explained(ctx, err)
	}
	return fmt.Errorf("reach a broker: %w", err)
}

// explained adds what is likely wrong and what to change to the client's error.
func (a *Admin) explained(ctx context.Context, err error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTimeout)
	defer cancel()
	for _, refused := range []error{kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState} {
		switch {
		case !errors.Is(err, refused):
		case errors.Is(refused, kerr.IllegalSaslState) && a.pingWithoutLogin(ctx) == nil: // of a port without logins
			return fmt.Errorf("%s: %w", noLoginHere, err)
		default:
			return fmt.Errorf("%w; the credential comes from %s: %w", ErrLogin, a.cfg.SASL.Source(), err)
		}
	}
	text := explainCertificate(err)
	for _, seed := range a.cfg.SeedBrokers[:min(len(a.cfg.SeedBrokers), maxExamined)] {
		if text == "" {
			text = a.explainSeed(ctx, seed)
		}
	}
	if text == "" {
		text = a.explainLogin(ctx, err)
	}
	return fmt.Errorf("%s: %w", text, err)
}

// mismatch says why no broker can ever answer the client: every port speaks something else than its settings. It returns ""
// if that is not certain.
func (a *Admin) mismatch(ctx context.Context) (first string) {
	for i, seed := range a.cfg.SeedBrokers {
		kind, err := a.examinePort(ctx, seed)
		text := a.explainPort(seed, kind)
		if err != nil || kind == portSilent || text == "" {
			return ""
		}
		if i == 0 {
			first = text
		}
	}
	return first
}

// explainCertificate explains an error of the TLS handshake.
func explainCertificate(err error) string {
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	host, wrongName := errors.AsType[x509.HostnameError](err)
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case unknown:
		return "the broker's certificate is signed by an authority that this machine does not trust: set kafka.tls.ca_file to the PEM file of the authority"
	case wrongName:
		return fmt.Sprintf("the broker's certificate is not for %s: connect by a name that it holds, or set kafka.tls.server_name", host.Host)
	case isInvalid && invalid.Reason == x509.Expired:
		return "the broker's certificate has expired or is not valid yet: renew it, and check this machine's clock"
	case isInvalid:
		return "the broker's certificate is not valid for a server: replace it"
	}
	for _, alert := range []string{"certificate required", "bad certificate", "unknown certificate", "handshake failure"} {
		if strings.Contains(err.Error(), "tls: "+alert) {
			return "the broker refuses the TLS handshake: it probably requires a client certificate that it trusts: set kafka.tls.cert_file and kafka.tls.key_file"
		}
	}
	return ""
}

// explainSeed explains why no connection to a broker can be opened, or what its port speaks instead.
func (a *Admin) explainSeed(ctx context.Context, seed string) string {
	kind, err := a.examinePort(ctx, seed)
	dns, isDNS := errors.AsType[*net.DNSError](err)
	timeout, isTimeout := errors.AsType[net.Error](err)
	switch {
	case err == nil:
		return a.explainPort(seed, kind)
	case isDNS && dns.IsNotFound:
		return fmt.Sprintf("the name %s is not known: correct kafka.seed_brokers, or this machine's DNS (names of containers are known inside their network only)", dns.Name)
	case isDNS:
		return fmt.Sprintf("the name %s cannot be looked up: check this machine's DNS", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Sprintf("nothing listens on %s: start the broker, or correct the port in kafka.seed_brokers", seed)
	case isTimeout && timeout.Timeout(), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return fmt.Sprintf("%s cannot be reached: check the address in kafka.seed_brokers, firewalls and network policies", seed)
	}
	return ""
}

// explainPort compares what a port speaks with the client's settings.
func (a *Admin) explainPort(seed string, kind portKind) string {
	encrypts := a.cfg.TLS.Enabled
	switch {
	case kind == portHTTP:
		return fmt.Sprintf("%s is an HTTP server and not a Kafka broker: correct the port in kafka.seed_brokers (brokers often listen on 9092)", seed)
	case kind == portTLS && !encrypts:
		return fmt.Sprintf("%s expects TLS: set kafka.tls.enabled: true (and kafka.tls.ca_file for a private authority), or use the broker's port without TLS", seed)
	case kind == portKafka && encrypts:
		return fmt.Sprintf("%s answers without TLS: remove kafka.tls.enabled, or use the broker's TLS port", seed)
	case kind == portSilent:
		return fmt.Sprintf("%s accepts connections but does not answer like a Kafka broker: correct the port in kafka.seed_brokers, or wait until the broker has started", seed)
	}
	return ""
}

const noLoginHere = "the broker answers without a login: remove kafka.sasl, or use the broker's SASL port"

// explainLogin explains a connection that the broker closed although the port speaks Kafka as configured.
func (a *Admin) explainLogin(ctx context.Context, err error) string {
	credential := a.cfg.SASL.Source()
	closed := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
	switch {
	case credential == "" && closed:
		return "the broker closes the connection at the first request: it probably requires a login: set kafka.sasl.mechanism, username and password_file, " +
			"or use a port without login"
	case credential != "" && a.pingWithoutLogin(ctx) == nil:
		return noLoginHere
	case credential != "" && closed:
		return "the broker closes the connection during the login: check kafka.sasl.mechanism, username and password; the credential comes from " + credential
	}
	return "check kafka.seed_brokers, kafka.tls and kafka.sasl"
}

func (a *Admin) pingWithoutLogin(ctx context.Context) error {
	c := a.cfg
	c.SASL, c.Context, c.Logger, c.Metrics = SASL{}, ctx, nil, nil
	cl, err := c.NewClient()
	if err != nil {
		return err
	}
	defer cl.Close()
	return cl.Ping(ctx)
}

// portKind is what a port speaks.
type portKind int

const (
	portUnknown portKind = iota // it closes the connection, or answers something else
	portSilent                  // it accepts and does not answer
	portKafka                   // Kafka without TLS
	portTLS
	portHTTP
)

// apiVersions is the first request of every client, in its oldest version: it needs no login. Four of its bytes identify it in the
// answer.
const apiVersions, correlation = "\x00\x00\x00\x0a\x00\x12\x00\x00conf\xff\xff", "conf"

// examinePort connects to an address as a client would and reports what it speaks; err is that of the connection.
func (a *Admin) examinePort(ctx context.Context, address string) (kind portKind, err error) {
	kind, err = a.askPort(ctx, address, apiVersions)
	if err != nil || kind == portKafka || kind == portTLS || kind == portHTTP {
		return kind, err
	}
	if a.speaksTLS(ctx, address) {
		return portTLS, nil
	}
	if web, err := a.askPort(ctx, address, "GET / HTTP/1.0\r\n\r\n"); err == nil && web == portHTTP {
		return portHTTP, nil
	}
	return kind, nil
}

// askPort sends a request and classifies the first bytes of the reply.
func (a *Admin) askPort(ctx context.Context, address, request string) (portKind, error) {
	conn, err := a.dialPort(ctx, address)
	if err != nil {
		return portUnknown, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, request); err != nil {
		return portUnknown, nil // the port closes the connection
	}
	reply := make([]byte, 8)
	n, err := io.ReadFull(conn, reply)
	switch timeout, isTimeout := errors.AsType[net.Error](err); {
	case bytes.HasPrefix(reply, []byte("\x15\x03")): // an alert
		return portTLS, nil
	case bytes.HasPrefix(reply, []byte("HTTP/")):
		return portHTTP, nil
	case n == 8 && string(reply[4:]) == correlation:
		return portKafka, nil
	case isTimeout && timeout.Timeout():
		return portSilent, nil
	}
	return portUnknown, nil
}

// speaksTLS tries a handshake. It trusts any certificate, since nothing is sent over the connection.
func (a *Admin) speaksTLS(ctx context.Context, address string) bool {
	conn, err := a.dialPort(ctx, address)
	if err != nil {
		return false
	}
	defer conn.Close()
	client := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}) //nolint:gosec // see above
	err = client.HandshakeContext(ctx)
	_, alert := errors.AsType[tls.AlertError](err)
	return err == nil || alert
}

func (a *Admin) dialPort(ctx context.Context, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
	dial := a.cfg.Dial
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	conn, err := dial(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if err := conn.SetDeadline(time.Now().Add(replyTimeout)); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}
