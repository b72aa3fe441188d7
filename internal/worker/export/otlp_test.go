package export

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/encoding/protowire"

	"confab/internal/logtest"
	"confab/internal/worker/config"
	"confab/schemas"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// endpoint is a server whose handler decides by the ids in a request.
type endpoint struct {
	*httptest.Server
	mu       sync.Mutex
	accepted []string
	headers  http.Header
	paths    []string
}

// newEndpoint answers 200 unless answer writes a reply and returns true.
func newEndpoint(t *testing.T, answer func(w http.ResponseWriter, ids []string) bool) *endpoint {
	t.Helper()
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			body, _ = gzip.NewReader(r.Body)
		}
		raw, _ := io.ReadAll(body)
		ids := strings.Fields(string(raw))
		e.mu.Lock()
		defer e.mu.Unlock()
		e.headers, e.paths = r.Header.Clone(), append(e.paths, r.URL.Path)
		if answer != nil && answer(w, ids) {
			return
		}
		e.accepted = append(e.accepted, ids...)
	}))
	t.Cleanup(e.Close)
	return e
}

// openOTLP is a destination whose requests are the incidents' ids.
func openOTLP(t *testing.T, address string) *otlp {
	t.Helper()
	c := config.Default()
	to, err := newOTLPClient(&Dependencies{Config: c, Metrics: NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler)}, "logs",
		&config.OTLP{Destination: config.Destination{URL: address}, Headers: "authorization=Bearer%20s3cret"})
	require.NoError(t, err)
	to.encode = func(flags []*schemas.Flag) ([]byte, error) {
		var b strings.Builder
		for _, f := range flags {
			b.WriteString(f.IncidentID + " ")
		}
		return []byte(b.String()), nil
	}
	t.Cleanup(to.close)
	return to
}

func flags(n int) (all []*schemas.Flag) {
	for i := range n {
		all = append(all, &schemas.Flag{IncidentID: fmt.Sprint("id-", i), Pass: schemas.PassFast})
	}
	return all
}

func ids(n int) (all []string) {
	for _, f := range flags(n) {
		all = append(all, f.IncidentID)
	}
	return all
}

func TestDeliver(t *testing.T) {
	for name, path := range map[string]string{"base": "", "full path": "/v1/logs", "subpath": "/api/otel/"} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t, nil)
			require.NoError(t, openOTLP(t, e.URL+path).deliver(t.Context(), flags(3)))
			require.Equal(t, ids(3), e.accepted)
			require.Equal(t, "Bearer s3cret", e.headers.Get("Authorization"))
			require.Equal(t, "application/x-protobuf", e.headers.Get("Content-Type"))
			require.Equal(t, "gzip", e.headers.Get("Content-Encoding"))
			require.True(t, strings.HasSuffix(e.paths[0], "/v1/logs"))
			require.Equal(t, 1, strings.Count(e.paths[0], "/v1/logs"))
		})
	}
}

func TestNothingToSend(t *testing.T) {
	e := newEndpoint(t, nil)
	to := openOTLP(t, e.URL)
	to.encode = func([]*schemas.Flag) ([]byte, error) { return nil, nil }
	require.NoError(t, to.deliver(t.Context(), flags(2)))
	require.Empty(t, e.paths)
	require.NoError(t, to.post(t.Context(), nil))
	require.Len(t, e.paths, 1)
}

// What each status means: refused flags are named, everything else is repeated, as late as the endpoint asks.
func TestStatuses(t *testing.T) {
	for code, want := range map[int]struct {
		after    string
		rejected bool
		wait     time.Duration
		remedy   string
	}{
		400: {rejected: true},
		413: {rejected: true},
		422: {rejected: true},
		429: {after: "7", wait: 7 * time.Second},
		502: {},
		503: {after: "86400", wait: maxWait},
		504: {after: "soon"},
		500: {after: "9", wait: 9 * time.Second},
		408: {},
		401: {remedy: "correct the credentials under export.logs"},
		403: {remedy: "correct the credentials under export.logs"},
		404: {remedy: "set export.logs.url"},
		405: {remedy: "set export.logs.url"},
		415: {remedy: "protobuf"},
		302: {remedy: "redirects are not followed"},
	} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			e := newEndpoint(t, func(w http.ResponseWriter, _ []string) bool {
				w.Header().Set("Location", "http://127.0.0.1:1/")
				if want.after != "" {
					w.Header().Set("Retry-After", want.after)
				}
				w.WriteHeader(code)
				_, _ = io.WriteString(w, "canary of the reply")
				return true
			})
			err := openOTLP(t, e.URL).deliver(t.Context(), flags(1))
			require.ErrorContains(t, err, fmt.Sprint("HTTP status ", code))
			require.ErrorContains(t, err, want.remedy)
			require.NotContains(t, err.Error(), "canary")
			require.NotContains(t, err.Error(), "127.0.0.1")
			rejected, ok := errors.AsType[*rejectedError](err)
			require.Equal(t, want.rejected, ok)
			if ok {
				require.Contains(t, rejected.flags, "id-0:fast")
			}
			wait, ok := errors.AsType[*pauseError](err)
			require.Equal(t, want.wait > 0, ok)
			if ok {
				require.Equal(t, want.wait, wait.after)
			}
			require.Len(t, e.paths, 1, "the caller repeats")
		})
	}
}

// A flag that the endpoint refuses does not take the others of its request with it.
func TestRefusedFlagsAreFound(t *testing.T) {
	for name, bad := range map[string][]string{
		"one": {"id-6"}, "two": {"id-0", "id-6"}, "all": ids(7),
	} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t, func(w http.ResponseWriter, ids []string) bool {
				for _, id := range ids {
					if slices.Contains(bad, id) {
						w.WriteHeader(http.StatusBadRequest)
						return true
					}
				}
				return false
			})
			err := openOTLP(t, e.URL).deliver(t.Context(), flags(7))
			rejected, ok := errors.AsType[*rejectedError](err)
			require.True(t, ok, err)
			require.Len(t, rejected.flags, len(bad))
			for _, id := range ids(7) {
				_, refused := rejected.flags[id+":fast"]
				require.Equal(t, slices.Contains(bad, id), refused)
				require.Equal(t, !refused, slices.Contains(e.accepted, id), "exactly one of both")
			}
		})
	}
	t.Run("too large together", func(t *testing.T) {
		e := newEndpoint(t, func(w http.ResponseWriter, ids []string) bool {
			if len(ids) > 2 {
				w.WriteHeader(http.StatusRequestEntityTooLarge)
			}
			return len(ids) > 2
		})
		require.NoError(t, openOTLP(t, e.URL).deliver(t.Context(), flags(7)))
		require.Equal(t, ids(7), e.accepted)
	})
	t.Run("unavailable in the middle", func(t *testing.T) {
		e := newEndpoint(t, func(w http.ResponseWriter, ids []string) bool {
			switch {
			case len(ids) > 2:
				w.WriteHeader(http.StatusBadRequest)
			case slices.Contains(ids, "id-3"):
				w.WriteHeader(http.StatusServiceUnavailable)
			default:
				return false
			}
			return true
		})
		err := openOTLP(t, e.URL).deliver(t.Context(), flags(4))
		require.ErrorContains(t, err, "503")
		_, rejected := errors.AsType[*rejectedError](err)
		require.False(t, rejected, "the whole batch is repeated")
	})
}

// partial is the reply of an endpoint that refused n items: field 1 with the fields 1 and 2.
func partial(n uint64, message string) []byte {
	inner := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), n)
	inner = protowire.AppendString(protowire.AppendTag(inner, 2, protowire.BytesType), message)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), inner)
}

func TestPartialSuccess(t *testing.T) {
	for name, c := range map[string]struct {
		reply    []byte
		kind     string
		rejected int
		logged   string
	}{
		"items":            {partial(3, "too old"), "application/x-protobuf", 3, "too old"},
		"warning":          {partial(0, "careful"), "application/x-protobuf; v=1", 0, "careful"},
		"none":             {partial(0, ""), "application/x-protobuf", 0, ""},
		"empty":            {nil, "application/x-protobuf", 0, ""},
		"another type":     {partial(3, "too old"), "text/html", 0, ""},
		"cut off":          {partial(3, "too old")[:3], "application/x-protobuf", 0, ""},
		"negative":         {partial(1<<63, ""), "application/x-protobuf", 0, ""},
		"unknown fields":   {append([]byte{0x3d, 1, 2, 3, 4, 0x20, 5}, partial(2, "")...), "application/x-protobuf", 2, ""},
		"not a message":    {[]byte("<html>"), "application/x-protobuf", 0, ""},
		"wrong field type": {[]byte{0x08, 0x05}, "application/x-protobuf", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := newEndpoint(t, func(w http.ResponseWriter, _ []string) bool {
				w.Header().Set("Content-Type", c.kind)
				_, _ = w.Write(c.reply)
				return true
			})
			to, log := openOTLP(t, e.URL), &logtest.Buffer{}
			to.deps.Logger = slog.New(slog.NewTextHandler(log, nil))
			require.NoError(t, to.deliver(t.Context(), flags(4)))
			require.Equal(t, float64(c.rejected), testutil.ToFloat64(to.deps.Metrics.partial.WithLabelValues("/v1/logs"))) //nolint:testifylint // whole numbers
			require.Contains(t, log.String(), c.logged)
			require.Equal(t, c.rejected > 0 || c.logged != "", log.String() != "")
			require.Len(t, e.paths, 1, "never repeated")
		})
	}
}

// Connections that break, and servers that do not answer, are temporary. Errors name no address.
func TestBrokenConnections(t *testing.T) {
	reset := newEndpoint(t, func(w http.ResponseWriter, _ []string) bool {
		conn, _, err := w.(http.Hijacker).Hijack() //nolint:forcetypeassert // a test server's
		if err == nil {
			_ = conn.(*net.TCPConn).SetLinger(0) //nolint:forcetypeassert // a test server's
			_ = conn.Close()
		}
		return true
	})
	cut := newEndpoint(t, func(w http.ResponseWriter, _ []string) bool {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "half")
		return true
	})
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(release) })
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	for name, address := range map[string]string{"reset": reset.URL, "cut": cut.URL, "hanging": hanging.URL, "down": down.URL} {
		t.Run(name, func(t *testing.T) {
			to := openOTLP(t, address)
			to.timeout = 200 * time.Millisecond
			err := to.deliver(t.Context(), flags(2))
			require.Error(t, err)
			require.NotContains(t, err.Error(), "http://")
			_, rejected := errors.AsType[*rejectedError](err)
			require.False(t, rejected)
		})
	}
}
