package interactions

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
)

// maxUnanswered is how many bytes may be read from a connection between two writes: the reply to the upgrade, or the
// envelopes between two pings. The websocket library does not limit the headers of the reply.
const maxUnanswered = 4 << 20

var errUnanswered = errors.New("received too much data without a reply")

type dialFunc = func(ctx context.Context, network, addr string) (net.Conn, error)

// boundedDialer returns a dialer of connections that fail above maxUnanswered bytes. A nil dial is TCP.
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

// boundedConn counts the bytes read since the last write.
type boundedConn struct {
	net.Conn
	read atomic.Int64
}

// Read fails once maxUnanswered bytes were read.
func (c *boundedConn) Read(p []byte) (int, error) {
	if c.read.Load() > maxUnanswered {
		return 0, errUnanswered
	}
	n, err := c.Conn.Read(p)
	c.read.Add(int64(n))
	return n, err
}

// Write resets the count.
func (c *boundedConn) Write(p []byte) (int, error) {
	c.read.Store(0)
	return c.Conn.Write(p)
}
