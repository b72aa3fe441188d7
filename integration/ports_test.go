package integration

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"sync/atomic"
)

// nextPort is the number of ports of 127.0.0.1 that this run has tried.
var nextPort atomic.Int64

// FreePort returns a port of 127.0.0.1 that nothing listens on and that no earlier call returned, so that two servers that
// start at once never get the same. It is below the ephemeral range: no outgoing connection takes it while its server is down.
func FreePort(ctx context.Context) (int, error) {
	const low, high = 20000, 32000
	var lc net.ListenConfig
	for range high - low {
		port := low + (os.Getpid()*37+int(nextPort.Add(1)))%(high-low)
		l, err := lc.Listen(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			continue
		}
		return port, l.Close()
	}
	return 0, errors.New("no free port between 20000 and 32000 on 127.0.0.1")
}
