package serve

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
	"confab/schemas"
)

// Many connections with large bodies that do not end fill a bounded part of the memory, and are refused.
func TestMemoryOfBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	const connections, size, most = 150, 8 << 20, 256 << 20
	s, url, _ := newServer(t, func(c *config.Config) { c.Serve.MaxConcurrent, c.Serve.ReadTimeout = 1000, 5*time.Second })
	before := heapInUse()
	part := []byte(strings.Repeat("a", 64<<10))
	var wg sync.WaitGroup
	peak, stop := watchHeap(t)
	for range connections {
		wg.Go(func() {
			conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				return
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			_, _ = fmt.Fprintf(conn, "POST /v1/check/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", size)
			for sent := 0; sent < size-len(part); sent += len(part) {
				if _, err := conn.Write(part); err != nil {
					return // refused
				}
			}
			_, _ = io.Copy(io.Discard, conn)
		})
	}
	wg.Wait()
	stop()
	require.Less(t, int64(*peak)-int64(before), int64(most), "bytes")
	all := int64(bodiesAtOnce * s.settings.MaxBodySize)
	require.Eventually(t, func() bool { return s.bodies.TryAcquire(all) }, 10*time.Second, 10*time.Millisecond, "what was counted is given back")
	s.bodies.Release(all)
	require.Equal(t, http.StatusOK, send(t, "POST", url+"/v1/check", right).status)
}

// A response with very many choices, or many choices next to large members, costs no more than its size.
func TestMemoryOfChoices(t *testing.T) {
	_, url, _ := newServer(t, func(c *config.Config) { c.Action = schemas.ActionBlock }, func(o *Options) { o.Logger = slog.New(slog.DiscardHandler) })
	empty := `{"choices":[` + strings.Repeat("{},", 200_000) + `{}],"usage":"` + strings.Repeat("x", 4_000_000) + `"}`
	large := `{"prompt_logprobs":"` + strings.Repeat("x", 4_000_000) + `",` + completionOf(strings.Split(strings.Repeat(contentOf("Yes.")+"\n", 128), "\n")[:128]...)[1:]
	asked := `"tools":[{"name":"f"}` + strings.Repeat(`,{"name":"f"}`, 100_000) + `],` + lampContext
	for name, c := range map[string]struct {
		request, response, code, deadline string
	}{
		"many": {lampContext, empty, "response_too_large", "1000"}, "large members": {lampContext, large, "", "1000"},
		"large request": {asked, completionOf(strings.Split(strings.Repeat(contentOf("Yes.")+"\n", 128), "\n")[:128]...), "deadline", "1"},
	} {
		t.Run(name, func(t *testing.T) {
			before := allocated()
			got := send(t, "POST", url+"/v1/check/chat", `{"request":{`+c.request+`},"response":`+c.response+`}`, deadlineHeader, c.deadline)
			if c.code != "" {
				require.Equal(t, c.code, got.code(t), got.body[:min(300, len(got.body))])
			}
			require.Less(t, allocated()-before, uint64(200<<20), "bytes, all together")
		})
	}
}

func heapInUse() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// watchHeap notes the largest heap until stop is called.
func watchHeap(t *testing.T) (peak *uint64, stop func()) {
	t.Helper()
	peak = new(uint64)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			*peak = max(*peak, heapInUse())
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return peak, func() { close(end); <-ended; t.Logf("heap: %d MiB", *peak>>20) }
}
