package kafka

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// answering dials ports that answer the first bytes of every connection, and then close it or, without an answer, say
// nothing.
func answering(answer string) func(context.Context, string, string) (net.Conn, error) {
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
	for name, tt := range map[string]struct {
		answer string
		want   portKind
	}{
		"Kafka":               {"\x00\x00\x01\x00" + correlation + "more", portKafka},
		"TLS alert":           {"\x15\x03\x01\x00\x02\x02\x46", portTLS},
		"HTTP":                {"HTTP/1.1 400 Bad Request\r\n\r\n", portHTTP},
		"another correlation": {"\x00\x00\x01\x00abcd", portUnknown},
		"short":               {"\x00\x00", portUnknown},
		"silent":              {"", portSilent},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := Admin{cfg: Config{Dial: answering(tt.answer)}}
				got, err := a.examinePort(t.Context(), "broker:9092")
				require.NoError(t, err)
				require.Equal(t, tt.want, got)
			})
		})
	}
}

// A person who stops the program waits for no explanation.
func TestPingCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dial := func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("not to be called") }
	a, err := NewAdmin(Config{SeedBrokers: []string{"a:1"}, Dial: dial, Context: ctx})
	require.NoError(t, err)
	defer a.Close()
	err = a.Ping(ctx)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "check kafka.")
}
