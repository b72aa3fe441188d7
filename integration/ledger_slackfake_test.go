package integration

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// A request that a killed worker did not send to its end is no message. A whole one of unknown form fails the audit.
func TestSlackIgnoresHalfSentPosts(t *testing.T) {
	message := url.Values{
		"channel": {"C0LEDGER"}, "text": {"Possible hallucination in a (block), incident 3f1c"},
		"metadata": {`{"event_payload":{"message":"m1"}}`},
	}.Encode()
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	whole := form + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(message), message)
	for name, c := range map[string]struct {
		request string // without its first lines
		posts   int
		fails   bool
	}{
		"whole":                   {request: whole, posts: 1},
		"no byte of the body":     {request: form + fmt.Sprintf("Content-Length: %d\r\n\r\n", len(message))},
		"half of the body":        {request: whole[:len(whole)-len(message)/2]},
		"all but a byte":          {request: whole[:len(whole)-1]},
		"chunks without the last": {request: form + "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s\r\n", len(message), message)},
		"a cut chunk":             {request: form + "Transfer-Encoding: chunked\r\n\r\n" + fmt.Sprintf("%x\r\n%s", len(message), message[:20])},
		"within the headers":      {request: "Content-Type: appl"},
		"whole, but empty":        {request: form + "Content-Length: 0\r\n\r\n", posts: 1, fails: true},
		"whole, of unknown form":  {request: form + "Content-Length: 6\r\n\r\ntext=a", posts: 1, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := &slackChannel{}
			server := httptest.NewServer(s)
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
			require.NoError(t, err)
			_, err = fmt.Fprintf(conn, "POST /api/chat.postMessage HTTP/1.1\r\nHost: slack\r\n%s", c.request)
			require.NoError(t, err)
			if c.posts > 0 {
				reply, err := http.ReadResponse(bufio.NewReader(conn), nil)
				require.NoError(t, err)
				require.NoError(t, reply.Body.Close())
			}
			require.NoError(t, conn.Close())
			server.Close() // waits for the request
			require.Len(t, s.posts, c.posts)
			_, err = s.audit()
			require.Equal(t, c.fails, err != nil, "%v", err)
		})
	}
}
