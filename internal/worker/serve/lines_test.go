package serve

import (
	"bufio"
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
)

// linesOf returns JSON Lines of about a size, and their number.
func linesOf(size int) (body string, count int) {
	var b strings.Builder
	for b.Len() < size || count == 0 {
		count++
		fmt.Fprintf(&b, `{"interaction_id":"i-%d","answer":"The lamp costs 30 euros.","sources":["The lamp costs 20 euros."]}`+"\n", count)
	}
	return b.String(), count
}

// encoding is how a body is sent.
type encoding struct{ gzip, chunked, expects bool }

// exchangeOverSocket sends a request by hand, as curl and Python do: all of it before anything is read, unless the server is to
// say first that it continues.
func exchangeOverSocket(t *testing.T, url string, body []byte, c encoding) *http.Response {
	t.Helper()
	head, chunked, expects := "", c.chunked, c.expects
	if c.gzip {
		head = "Content-Encoding: gzip\r\n"
	}
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	head = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n" + head
	if chunked {
		head += "Transfer-Encoding: chunked\r\n"
	} else {
		head += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	in := bufio.NewReader(conn)
	if expects {
		_, err = io.WriteString(conn, head+"Expect: 100-continue\r\n\r\n")
		require.NoError(t, err)
		line, err := in.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "100")
		_, err = in.ReadString('\n')
		require.NoError(t, err)
	} else {
		_, err = io.WriteString(conn, head+"\r\n")
		require.NoError(t, err)
	}
	if chunked {
		for len(body) > 0 {
			part := body[:min(len(body), 7000)]
			body = body[len(part):]
			_, err = fmt.Fprintf(conn, "%x\r\n%s\r\n", len(part), part)
			require.NoError(t, err)
		}
		_, err = io.WriteString(conn, "0\r\n\r\n")
	} else {
		_, err = conn.Write(body)
	}
	require.NoError(t, err)
	resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodPost})
	require.NoError(t, err)
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// Every line is answered, whatever the size of the body is, and the header says how many there are.
func TestEveryLineIsAnswered(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	_, url, _ := newServer(t, nil, func(o *Options) { o.Logger = slog.New(slog.DiscardHandler) })
	sizes := []int{1, 1 << 10}
	for _, boundary := range []int{4 << 10, 32 << 10, 64 << 10} {
		sizes = append(sizes, boundary-50, boundary, boundary+4096)
	}
	sizes = append(sizes, 256<<10)
	for _, size := range sizes {
		body, count := linesOf(size)
		for name, c := range map[string]encoding{
			"plain": {}, "chunked": {chunked: true}, "expect": {expects: true}, "gzip": {gzip: true}, "gzip, chunked": {gzip: true, chunked: true},
		} {
			t.Run(fmt.Sprintf("%d, %s", size, name), func(t *testing.T) {
				sent := body
				if c.gzip {
					sent = compress(t, body)
				}
				resp := exchangeOverSocket(t, url, []byte(sent), c) //nolint:bodyclose // the cleanup does
				require.Equal(t, http.StatusOK, resp.StatusCode)
				require.Equal(t, strconv.Itoa(count), resp.Header.Get(linesHeader))
				requireLines(t, resp.Body, count)
			})
		}
	}
}

// Lines cost a line of the reply each, however short they are, so a request may not have any number. Refused ones are logged once.
func TestManyLines(t *testing.T) {
	_, url, log := newServer(t, nil)
	body := strings.Repeat("{}\n\n", maxLines)
	got := send(t, "POST", url+"/v1/check", body+"{}", "Content-Type", kindLines)
	require.Equal(t, http.StatusRequestEntityTooLarge, got.status)
	require.Equal(t, "too_many_lines", got.code(t))
	log.Reset()
	got = send(t, "POST", url+"/v1/check", body, "Content-Type", kindLines)
	require.Equal(t, maxLines, strings.Count(got.body, `"code":"missing_answer"`))
	require.Equal(t, 1, strings.Count(log.String(), "\n"))
	require.Contains(t, log.String(), `"codes":{"missing_answer":10000}`)
}

func requireLines(t *testing.T, from io.Reader, count int) {
	t.Helper()
	text, err := io.ReadAll(from)
	require.NoError(t, err)
	lines := strings.SplitAfter(string(text), "\n")
	require.Len(t, lines, count+1)
	for i, line := range lines[:count] {
		var out struct {
			ID string `json:"interaction_id"`
		}
		require.NoError(t, stdjson.Unmarshal([]byte(line), &out), line)
		require.Equal(t, "i-"+strconv.Itoa(i+1), out.ID)
	}
}

// A body that ends early is refused before a line is answered.
func TestTruncatedLines(t *testing.T) {
	_, url, _ := newServer(t, nil)
	body, _ := linesOf(20_000)
	packed := compress(t, body)
	resp := exchangeOverSocket(t, url, []byte(packed[:len(packed)/2]), encoding{gzip: true}) //nolint:bodyclose // the cleanup does
	require.Equal(t, http.StatusBadRequest, resp.StatusCode)
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), `"code":"truncated_body"`)
}

// A client can tell a response that was cut: it has an error, and fewer lines than the header says.
func TestCutResponse(t *testing.T) {
	s, _, _ := newServer(t, nil)
	body, count := linesOf(300 << 10)
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: time.Second}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	resp := exchangeOverSocket(t, "http://"+listener.Addr().String(), []byte(body), encoding{}) //nolint:bodyclose // the cleanup does
	require.Equal(t, strconv.Itoa(count), resp.Header.Get(linesHeader))
	_, err = io.ReadFull(resp.Body, make([]byte, 1000))
	require.NoError(t, err)
	require.NoError(t, server.Close()) // as at the end of a stop that took too long
	rest, err := io.ReadAll(resp.Body)
	require.Error(t, err)
	require.Less(t, bytes.Count(rest, []byte("\n")), count)
	require.ErrorIs(t, <-done, http.ErrServerClosed)
}

// A line may be as long as a body.
func TestLongLine(t *testing.T) {
	_, url, _ := newServer(t, func(c *config.Config) { c.Kafka.MaxRecordBytes = 4096 })
	a := send(t, "POST", url+"/v1/check", `{"answer":"Short.","sources":["`+strings.Repeat("a", 200_000)+"\"]}\n"+right, "Content-Type", "application/jsonl")
	lines := strings.Split(strings.TrimSpace(a.body), "\n")
	require.Len(t, lines, 2)
	require.NotContains(t, a.body, `"error"`)
	require.Contains(t, lines[1], `"interaction_id":"i-1"`)
}
