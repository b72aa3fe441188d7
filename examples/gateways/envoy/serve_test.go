package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"github.com/stretchr/testify/require"
)

// startServe runs confab serve, built from this repository, with a tenant per action, and returns its URL.
func startServe(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file, binary, address := filepath.Join(dir, "confab.yaml"), filepath.Join(dir, "confab"), freeAddress(t)
	require.NoError(t, os.WriteFile(file, []byte("admin: {listen: \"\"}\ntenants: {log: {action: LOG}, flag: {action: FLAG}, block: {action: BLOCK}, slow: {action: BLOCK, serve: {rate_limit: 1e-9}}}\n"), 0o600))
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", binary, "./cmd/worker")
	build.Dir = filepath.Join("..", "..", "..")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	startProcess(t, exec.Command(binary, "serve", "--config", file, "--listen", address), address) //nolint:noctx // the cleanup ends it
	return "http://" + address
}

// startProcess runs a program until the test ends, and waits until it listens.
func startProcess(t *testing.T, cmd *exec.Cmd, address string) {
	t.Helper()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(output.String()[max(0, output.Len()-3000):])
		}
	})
	require.Eventually(t, func() bool {
		conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(t.Context(), "tcp", address)
		if err == nil {
			conn.Close()
		}
		return err == nil
	}, 20*time.Second, 20*time.Millisecond, "nothing listens")
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// switchable is the processor whose settings are those of the case that runs.
type switchable struct {
	extproc.UnimplementedExternalProcessorServer

	current atomic.Pointer[processor]
}

// Process implements extproc.ExternalProcessorServer.
func (s *switchable) Process(stream extproc.ExternalProcessor_ProcessServer) error {
	return s.current.Load().Process(stream)
}

// use sets the flags of the next requests.
func (s *switchable) use(t *testing.T, confab string, flags ...string) {
	t.Helper()
	c, err := parseFlags(append([]string{"-confab", confab, "-max-body", "20000"}, flags...))
	require.NoError(t, err)
	check, err := newChecker(c, "")
	require.NoError(t, err)
	t.Cleanup(check.client.CloseIdleConnections)
	s.current.Store(&processor{settings: c, checker: check, logger: slog.New(slog.DiscardHandler)})
}

// startProcessor serves gRPC and returns the address.
func startProcessor(t *testing.T) (*switchable, string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &switchable{}
	server := newServer(s, 20000)
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }()
	t.Cleanup(func() { server.Stop(); <-done })
	return s, listener.Addr().String()
}

func pack(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.String()
}

// header makes headers of pairs of names and values.
func header(pairs ...string) http.Header {
	h := http.Header{}
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}
