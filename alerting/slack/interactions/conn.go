package interactions

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
)

// maxUnanswered is how many bytes may be read from a connection without one written: an answer to the upgrade, or the
// envelopes between two pings. The library of websockets reads the headers of an answer without a limit.
const maxUnanswered = 4 << 20

var errUnanswered = errors.New("more is sent than a socket of Slack has to say")

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// boundedDialer makes connections that break when they are sent too much. A nil dial is TCP.
func boundedDialer(dial dialFunc) dialFunc {
	if dial == nil {
		dial = new(net.Dialer).DialContext
	}
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return &boundedConn{Conn: conn}, nil
	}
}

// boundedConn counts what is read since the last write.
type boundedConn struct {
	net.Conn
	read atomic.Int64
}

// Read fails once too much came without an answer.
func (c *boundedConn) Read(p []byte) (int, error) {
	if c.read.Load() > maxUnanswered {
		return 0, errUnanswered
	}
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// Write allows as much again to be read.
func (c *boundedConn) Write(p []byte) (int, error) {
	c.read.Store(0)
	return c.Conn.Write(p)
}
