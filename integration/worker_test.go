//go:build integration

package integration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

// buildWorker returns the static binary that users run, unless CONFAB_BIN names one to be tested.
func buildWorker(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("CONFAB_BIN"); bin != "" {
		return bin
	}
	bin, err := builtWorker()
	require.NoError(t, err)
	return bin
}

// builtWorker builds the binary once. TestMain removes its directory.
var builtWorker = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(buildDir(), "confab")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", bin, "../cmd/worker")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return bin, nil
})

func buildDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("confab-integration-%d", os.Getpid()))
}

// command runs the binary to its end and returns what it wrote to standard output.
func command(ctx context.Context, bin string, args ...string) ([]byte, error) {
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return out.Bytes(), fmt.Errorf("confab %s: %w: %s", strings.Join(args, " "), err, tail(errs.Bytes()))
	}
	return out.Bytes(), nil
}

// worker is a running `confab run`.
type worker struct {
	cmd   *exec.Cmd
	log   string
	admin string
	done  chan struct{}
	err   error
}

// startWorker returns when the process says that it is ready. It is killed with the test if it still runs then. Each of
// sets is a key=value that wins over the configuration.
func startWorker(t *testing.T, bin, config, roles string, sets ...string) *worker {
	t.Helper()
	w := launchWorker(t, bin, config, roles, sets...)
	w.awaitReady(t)
	return w
}

// launchWorker is startWorker without the wait.
func launchWorker(t *testing.T, bin, config, roles string, sets ...string) *worker {
	t.Helper()
	w := &worker{admin: freeAddress(t), done: make(chan struct{})}
	log, err := os.CreateTemp(t.TempDir(), "worker-*.log")
	require.NoError(t, err)
	defer log.Close()
	w.log = log.Name()
	args := []string{"run", "--config", config, "--roles", roles}
	for _, set := range sets {
		args = append(args, "--set", set)
	}
	w.cmd = exec.Command(bin, args...) //nolint:noctx // it outlives the test's context, to be stopped in order
	w.cmd.Env = append(os.Environ(), "CONFAB_ADMIN_LISTEN="+w.admin)
	w.cmd.Stdout, w.cmd.Stderr = log, log
	require.NoError(t, w.cmd.Start())
	go func() { w.err = w.cmd.Wait(); close(w.done) }()
	t.Cleanup(func() {
		select {
		case <-w.done:
		default:
			_ = w.cmd.Process.Kill()
			<-w.done
		}
		if t.Failed() {
			t.Logf("last lines of the worker with roles %s:\n%s", roles, tail(w.output(t)))
		}
	})
	return w
}

func (w *worker) awaitReady(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, integration.Await(ctx, "the worker is ready", func(ctx context.Context) (bool, error) {
		select {
		case <-w.done:
			cancel()
			return false, fmt.Errorf("it ended: %w", w.err)
		default:
		}
		return w.ready(ctx)
	}))
}

func (w *worker) ready(ctx context.Context) (bool, error) {
	status, _, err := w.get(ctx, "/readyz?verbose")
	return status == http.StatusOK, errors.Join(err, fmt.Errorf("status %d", status))
}

func (w *worker) get(ctx context.Context, path string) (status int, body []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.admin+path, http.NoBody)
	if err != nil {
		return 0, nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	return resp.StatusCode, body, err
}

// series are a worker's metrics as it exposes them: name{labels} to value.
type series map[string]float64

func (w *worker) scrape(t *testing.T) series {
	t.Helper()
	status, body, err := w.get(t.Context(), "/metrics")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	s := series{}
	for line := range strings.Lines(string(body)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseFloat(value, 64); ok && err == nil {
			s[name] = n
		}
	}
	return s
}

// sum adds up the series of a metric that carry all of the labels.
func (s series) sum(metric string, labels ...string) float64 {
	total := 0.0
next:
	for name, value := range s {
		if got, _, _ := strings.Cut(name, "{"); got != metric {
			continue
		}
		for _, l := range labels {
			if !strings.Contains(name, l) {
				continue next
			}
		}
		total += value
	}
	return total
}

// stop asks for an orderly end, as Kubernetes does, and expects one.
func (w *worker) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, w.cmd.Process.Signal(syscall.SIGTERM))
	select {
	case <-w.done:
	case <-time.After(time.Minute):
		t.Fatal("the worker still runs a minute after SIGTERM")
	}
	require.NoError(t, w.err, "exit after SIGTERM")
}

func (w *worker) output(t *testing.T) []byte {
	t.Helper()
	log, err := os.ReadFile(w.log)
	require.NoError(t, err)
	return log
}

func tail(log []byte) []byte {
	lines := bytes.Split(bytes.TrimSpace(log), []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-15):], []byte("\n"))
}

func freeAddress(t *testing.T) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", freePort(t))
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := integration.FreePort(t.Context())
	require.NoError(t, err)
	return strconv.Itoa(port)
}
