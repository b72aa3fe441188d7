package dialcheck

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answering dials ports that answer the first bytes of every connection, and then close it or, without an answer, say
// nothing.
func answering(answer string) DialFunc {
	return func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer theirs.Close()
			buffer := make([]byte, 4096)
			if _, err := theirs.Read(buffer); err != nil {
				return
			}
			if answer == "" {
				_, _ = io.Copy(io.Discard, theirs)
			}
			_, _ = io.WriteString(theirs, answer)
		}()
		return ours, nil
	}
}

func TestExaminePort(t *testing.T) {
	kafka := string(binary.BigEndian.AppendUint32([]byte{0, 0, 1, 0}, correlation)) + "more"
	for name, tt := range map[string]struct {
		answer string
		want   portKind
	}{
		"Kafka":               {kafka, portKafka},
		"TLS alert":           {"\x15\x03\x01\x00\x02\x02\x46", portTLS},
		"HTTP":                {"HTTP/1.1 400 Bad Request\r\n\r\n", portHTTP},
		"another correlation": {"\x00\x00\x01\x00abcd", portUnknown},
		"short":               {"\x00\x00", portUnknown},
		"silent":              {"", portSilent},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, err := examinePort(t.Context(), answering(tt.answer), "broker:9092")
				require.NoError(t, err)
				require.Equal(t, tt.want, got)
			})
		})
	}
}

// TestPingEndsEarly: a client whose settings cannot fit ends after three seconds; any other waits as long as it may.
func TestPingEndsEarly(t *testing.T) {
	kafka := string(binary.BigEndian.AppendUint32([]byte{0, 0, 1, 0}, correlation))
	waits := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for _, tt := range []struct {
		name   string
		answer string
		tls    bool
		after  time.Duration
		want   string
	}{
		{"plaintext", kafka, true, 3 * time.Second, "a:1 answers without TLS: remove kafka.tls.enabled"},
		{"HTTP", "HTTP/1.0 400 Bad Request", false, 3 * time.Second, "a:1 is an HTTP server"},
		{"a busy broker", kafka, false, 20 * time.Second, "check kafka.seed_brokers, kafka.tls and kafka.sasl: context deadline exceeded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				start := time.Now()
				err := Ping(ctx, Options{Seeds: []string{"a:1", "b:2"}, TLS: tt.tls, Dial: answering(tt.answer), Ping: waits})
				require.ErrorContains(t, err, tt.want)
				require.Equal(t, tt.after, time.Since(start))
			})
		})
	}
}

// A person who stops the program waits for no explanation.
func TestPingCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("not to be called") }
	err := Ping(ctx, Options{Seeds: []string{"a:1"}, Dial: dial, Ping: func(ctx context.Context) error { return ctx.Err() }})
	require.Equal(t, context.Canceled, err)
}
