package llm

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

const hostileText = "hunter2" // part of every reply; must not be printed

// rawServer answers each request by writing to its connection what answer writes.
type rawServer struct {
	answer func(w io.Writer) error

	mu       sync.Mutex
	requests int
	done     sync.WaitGroup
}

// dial is the server's network: net.Pipe, so that virtual time passes over it.
func (s *rawServer) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	s.done.Go(func() {
		defer theirs.Close()
		for r := bufio.NewReader(theirs); ; {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return
			}
			s.mu.Lock()
			s.requests++
			s.mu.Unlock()
			if s.answer(theirs) != nil {
				return
			}
		}
	})
	return ours, nil
}

// endlessReply writes text until the client has had enough, pausing before each.
func endlessReply(head, text string, pause time.Duration) func(io.Writer) error {
	return func(w io.Writer) error {
		if _, err := io.WriteString(w, head); err != nil {
			return err
		}
		for {
			<-time.After(pause) // virtual
			if _, err := io.WriteString(w, text); err != nil {
				return err
			}
		}
	}
}

func respondOnce(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, _ = io.WriteString(w, text) // it hangs up in either case
		return io.EOF
	}
}

// followedRedirect leaves the connection open after text.
func followedRedirect(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// TestHostileServer: a server that speaks HTTP as no server does costs bounded time, requests and memory. Its words are in
// no error.
func TestHostileServer(t *testing.T) {
	const (
		ok      = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
		chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
	)
	mega := strings.Repeat(hostileText[:4], 1<<14)
	zeros := gzipReply(strings.Repeat("0", 64<<20))
	for name, c := range map[string]struct {
		answer func(io.Writer) error
		class  Class
	}{
		"drips for ever":               {endlessReply(ok+"\r\n", " ", time.Second), Timeout},
		"drips JSON for ever":          {endlessReply(chunked+"b\r\n{\"choices\":\r\n", "1\r\n[\r\n", time.Second), Timeout},
		"drips headers for ever":       {endlessReply(ok, "X-A: "+hostileText+"\r\n", time.Second), Timeout},
		"drips informational replies":  {endlessReply("", "HTTP/1.1 103 Early Hints\r\n\r\n", time.Second), Timeout},
		"floods informational replies": {endlessReply("", "HTTP/1.1 103 Early Hints\r\nX: "+mega[:4000]+"\r\n\r\n", 0), Retryable},
		"headers without end":          {endlessReply(ok, "X-A: "+mega+"\r\n", 0), Retryable},
		"one header without end":       {endlessReply(ok+"X-A: ", mega, 0), Retryable},
		"a body without end":           {endlessReply(ok+"\r\n", mega, 0), BadReply},
		"chunks without end":           {endlessReply(chunked, fmt.Sprintf("%x\r\n%s\r\n", len(mega), mega), 0), BadReply},
		"chunk extensions without end": {endlessReply(chunked+"1;", mega, 0), Retryable},
		"a trailer without end":        {endlessReply(chunked+"1\r\n{\r\n0\r\n", "X-A: "+mega[:100]+"\r\n", 0), Retryable},
		"chunk of 2^63":                {respondOnce(chunked + "8000000000000000\r\n{}"), Retryable},
		"chunk of -1":                  {respondOnce(chunked + "-1\r\n{}"), Retryable},
		"chunks of nonsense":           {respondOnce(chunked + hostileText + "\r\n\r\n"), Retryable},
		"two lengths":                  {respondOnce(ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}" + hostileText), Retryable},
		"length of 2^63":               {respondOnce(ok + "Content-Length: 9223372036854775808\r\n\r\n{}"), Retryable},
		"length of 2^62":               {respondOnce(ok + "Content-Length: 4611686018427387904\r\n\r\n{}"), Retryable},
		"length of -1":                 {respondOnce(ok + "Content-Length: -1\r\n\r\n{}"), Retryable},
		"no HTTP":                      {respondOnce(hostileText + "\r\n\r\n"), Retryable},
		"status of 99999":              {respondOnce("HTTP/1.1 99999 " + hostileText + "\r\n\r\n"), Retryable},
		"another protocol":             {respondOnce("HTTP/1.1 101 Switching Protocols\r\nUpgrade: " + hostileText + "\r\nConnection: Upgrade\r\n\r\n"), Refused},
		"gzip that is none":            {respondOnce(ok + "Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n" + hostileText), Retryable},
		"gzip of 64 MiB":               {respondOnce(ok + "Content-Encoding: gzip\r\nContent-Length: " + fmt.Sprint(len(zeros)) + "\r\n\r\n" + zeros), BadReply},
		"another encoding":             {respondOnce(ok + "Content-Encoding: br\r\nContent-Length: 7\r\n\r\n" + hostileText), BadReply},
		"redirects to itself":          {respondOnce("HTTP/1.1 307 Temporary Redirect\r\nLocation: /v1/chat/completions\r\nContent-Length: 0\r\n\r\n"), Refused},
		"asks for a year's patience":   {respondOnce("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1e300\r\nContent-Length: 0\r\n\r\n"), Retryable},
		"words after the reply":        {followedRedirect(ok + "Content-Length: 2\r\n\r\n{}" + hostileText), BadReply},
		"asks for no number":           {respondOnce("HTTP/1.1 429 Too Many Requests\r\nRetry-After: NaN\r\nContent-Length: 0\r\n\r\n"), Retryable},
		"asks for a date of year 9999": {respondOnce("HTTP/1.1 429 Too Many Requests\r\nRetry-After: Fri, 31 Dec 9999 23:59:59 GMT\r\nDate: Mon, 01 Jan 0001 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n"), Retryable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &rawServer{answer: c.answer}
				client, err := New(Options{
					BaseURL: "http://127.0.0.1/v1", Model: "m", Redact: func(s string) string { return s }, Dial: s.dial,
				})
				require.NoError(t, err)
				begin := time.Now()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				got, err := client.Chat(t.Context(), Request{Messages: []Message{{User, "Which color is the bridge?"}}})
				runtime.ReadMemStats(&after)
				client.Close()
				s.done.Wait()
				require.Empty(t, got.Choices)
				require.Equal(t, c.class, ClassOf(err), "%v", err)
				require.NotContains(t, err.Error(), hostileText[:4])
				require.LessOrEqual(t, s.requests, 1+defaultRetries)
				require.LessOrEqual(t, time.Since(begin), 6*time.Minute)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(48<<20), "of all attempts together")
			})
		})
	}
}
