package dialcheck

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// Limits of an explanation.
const (
	explainTimeout = 5 * time.Second
	maxExamined    = 3 // seed brokers
)

// Options describe a client. Dial is optional.
type Options struct {
	Seeds []string // host:port of the brokers that were tried
	TLS   bool     // the client encrypts
	Dial  DialFunc // nil: the network
	// Credential says where the credential of the SASL login comes from; "" without a login.
	Credential string
	// Ping waits for one broker to answer the client. PingWithoutLogin does the same without a login.
	Ping, PingWithoutLogin func(ctx context.Context) error
}

// explain says what is likely wrong and what to change, given the client's error. It connects to the brokers for at most
// five seconds and sends no credentials.
func explain(ctx context.Context, o Options, err error) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), explainTimeout)
	defer cancel()
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
	if text := explainCertificate(err); text != "" {
		return text
	}
	for _, seed := range o.Seeds[:min(len(o.Seeds), maxExamined)] {
		kind, dialErr := examinePort(ctx, o.Dial, seed)
		if dialErr != nil {
			if text := explainDial(seed, dialErr); text != "" {
				return text
			}
			continue
		}
		if text := explainPort(seed, kind, o); text != "" {
			return text
		}
	}
	if text := explainLogin(ctx, o, err); text != "" {
		return text
	}
	return "check kafka.seed_brokers, kafka.tls and kafka.sasl"
}

// mismatch says why no broker can ever answer the client: every port speaks something else than its settings. It returns ""
// if that is not certain.
func mismatch(ctx context.Context, o Options) string {
	if o.Dial == nil {
		o.Dial = new(net.Dialer).DialContext
	}
	first := ""
	for _, seed := range o.Seeds {
		kind, err := examinePort(ctx, o.Dial, seed)
		text := explainPort(seed, kind, o)
		if err != nil || kind == portSilent || text == "" {
			return ""
		}
		if first == "" {
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
	if alert, ok := errors.AsType[tls.AlertError](err); ok {
		return explainAlert(alert)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "remote error" {
		return explainAlert(op.Err)
	}
	return ""
}

// explainAlert explains an alert of the broker.
func explainAlert(alert error) string {
	for _, word := range []string{"certificate required", "bad certificate", "unknown certificate", "handshake failure"} {
		if strings.Contains(alert.Error(), word) {
			return "the broker refuses the TLS handshake: it probably requires a client certificate that it trusts: set kafka.tls.cert_file and kafka.tls.key_file"
		}
	}
	return ""
}

// explainDial explains why no connection to a broker can be opened.
func explainDial(seed string, err error) string {
	dns, isDNS := errors.AsType[*net.DNSError](err)
	timeout, isTimeout := errors.AsType[net.Error](err)
	switch {
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
func explainPort(seed string, kind portKind, o Options) string {
	switch {
	case kind == portHTTP:
		return fmt.Sprintf("%s is an HTTP server and not a Kafka broker: correct the port in kafka.seed_brokers (brokers often listen on 9092)", seed)
	case kind == portTLS && !o.TLS:
		return fmt.Sprintf("%s expects TLS: set kafka.tls.enabled: true (and kafka.tls.ca_file for a private authority), or use the broker's port without TLS", seed)
	case kind == portKafka && o.TLS:
		return fmt.Sprintf("%s answers without TLS: remove kafka.tls.enabled, or use the broker's TLS port", seed)
	case kind == portSilent:
		return fmt.Sprintf("%s accepts connections but does not answer like a Kafka broker: correct the port in kafka.seed_brokers, or wait until the broker has started", seed)
	}
	return ""
}

// explainRefusal explains an error that a broker answers to the login. On a port without logins it is ILLEGAL_SASL_STATE.
func explainRefusal(ctx context.Context, o Options, err error) error {
	ctx, cancel := context.WithTimeout(ctx, explainTimeout)
	defer cancel()
	if errors.Is(err, kerr.IllegalSaslState) && o.PingWithoutLogin(ctx) == nil {
		return fmt.Errorf("%s: %w", noLoginHere, err)
	}
	return fmt.Errorf("%w; the credential comes from %s: %w", ErrLogin, o.Credential, err)
}

const noLoginHere = "the broker answers without a login: remove kafka.sasl, or use the broker's SASL port"

// explainLogin explains a connection that the broker closed although the port speaks Kafka as configured.
func explainLogin(ctx context.Context, o Options, err error) string {
	closed := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
	switch {
	case o.Credential == "" && closed:
		return "the broker closes the connection at the first request: it probably requires a login: set kafka.sasl.mechanism, username and password_file, " +
			"or use a port without login"
	case o.Credential == "":
		return ""
	case o.PingWithoutLogin(ctx) == nil:
		return noLoginHere
	case closed:
		return "the broker closes the connection during the login: check kafka.sasl.mechanism, username and password; the credential comes from " + o.Credential
	}
	return ""
}
