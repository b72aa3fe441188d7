package dialcheck

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"
)

// portKind is what a port speaks.
type portKind int

const (
	portUnknown portKind = iota // it closes the connection, or answers something else
	portSilent                  // it accepts and does not answer
	portKafka                   // Kafka without TLS
	portTLS
	portHTTP
)

// DialFunc opens a connection.
type DialFunc func(ctx context.Context, network, address string) (net.Conn, error)

// replyTimeout bounds one attempt to make a port answer.
const replyTimeout = time.Second

// examinePort connects to an address and reports what it speaks; err is that of the connection.
func examinePort(ctx context.Context, dial DialFunc, address string) (kind portKind, err error) {
	kind, err = askPort(ctx, dial, address, apiVersionsRequest())
	if err != nil || kind == portKafka || kind == portTLS || kind == portHTTP {
		return kind, err
	}
	if speaksTLS(ctx, dial, address) {
		return portTLS, nil
	}
	if web, err := askPort(ctx, dial, address, []byte("GET / HTTP/1.0\r\n\r\n")); err == nil && web == portHTTP {
		return portHTTP, nil
	}
	return kind, nil
}

// correlation identifies the request in its response.
const correlation = 0x636f6e66

// apiVersionsRequest is the first request of every client, in its oldest version: it needs no login.
func apiVersionsRequest() []byte {
	b := binary.BigEndian.AppendUint32(nil, 10)
	b = binary.BigEndian.AppendUint16(b, 18) // key
	b = binary.BigEndian.AppendUint16(b, 0)  // version
	b = binary.BigEndian.AppendUint32(b, correlation)
	return binary.BigEndian.AppendUint16(b, 0xffff) // no client id
}

// askPort sends a request and classifies the first bytes of the reply.
func askPort(ctx context.Context, dial DialFunc, address string, request []byte) (portKind, error) {
	conn, err := dialPort(ctx, dial, address)
	if err != nil {
		return portUnknown, err
	}
	defer conn.Close()
	if _, err := conn.Write(request); err != nil {
		return portUnknown, nil // the port closes the connection
	}
	reply := make([]byte, 8)
	n, err := io.ReadFull(conn, reply)
	reply = reply[:n]
	const tlsAlert = "\x15\x03"
	switch timeout, isTimeout := errors.AsType[net.Error](err); {
	case bytes.HasPrefix(reply, []byte(tlsAlert)):
		return portTLS, nil
	case bytes.HasPrefix(reply, []byte("HTTP/")):
		return portHTTP, nil
	case n == len(reply) && n == 8 && binary.BigEndian.Uint32(reply[4:]) == correlation:
		return portKafka, nil
	case isTimeout && timeout.Timeout():
		return portSilent, nil
	}
	return portUnknown, nil
}

// speaksTLS tries a handshake. It trusts any certificate, since nothing is sent over the connection.
func speaksTLS(ctx context.Context, dial DialFunc, address string) bool {
	conn, err := dialPort(ctx, dial, address)
	if err != nil {
		return false
	}
	defer conn.Close()
	client := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}) //nolint:gosec // see above
	err = client.HandshakeContext(ctx)
	_, alert := errors.AsType[tls.AlertError](err)
	return err == nil || alert
}

func dialPort(ctx context.Context, dial DialFunc, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, replyTimeout)
	defer cancel()
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
