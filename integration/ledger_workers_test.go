package integration

import (
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
)

// workerFleet runs worker processes in numbered slots. A process that ends is replaced, as in Kubernetes, until the fleet
// is stopped.
type workerFleet struct {
	t       *testing.T
	command func(slot int, admin string) *exec.Cmd
	slots   []*workerSlot
	wg      sync.WaitGroup
}

type workerSlot struct {
	n   int
	log *os.File

	mu       sync.Mutex
	proc     *os.Process // nil between two processes
	admin    string
	stopping bool
	exits    []string // exits without a signal of the test
	last     error    // how the last process ended
}

// workerBinary builds the binary that users run, unless CONFAB_BIN names one.
func workerBinary(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("CONFAB_BIN"); bin != "" {
		return bin
	}
	bin := filepath.Join(t.TempDir(), "confab")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-o", bin, "confab/cmd/worker").CombinedOutput()
	require.NoError(t, err, string(out))
	return bin
}

// startFleet starts workers with role detect.
func startFleet(t *testing.T, n int, bin, config string) *workerFleet {
	t.Helper()
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	return startProcesses(t, n, func(slot int, admin string) *exec.Cmd {
		return exec.Command(bin, "run", "--config", file, "--roles", "detect", "--emit", "all", //nolint:noctx // the fleet ends it
			"--set", fmt.Sprintf("kafka.instance_id=ledger-%d", slot), "--set", "admin.listen="+admin)
	})
}

// startProcesses starts one process per slot, each with an address for its admin server.
func startProcesses(t *testing.T, n int, command func(slot int, admin string) *exec.Cmd) *workerFleet {
	t.Helper()
	f := &workerFleet{t: t, command: command}
	for i := range n {
		log, err := os.Create(filepath.Join(t.TempDir(), fmt.Sprintf("worker-%d.log", i)))
		require.NoError(t, err)
		s := &workerSlot{n: i, log: log}
		f.slots = append(f.slots, s)
		f.wg.Go(func() { f.supervise(s) })
	}
	t.Cleanup(func() {
		f.signal(syscall.SIGKILL)
		f.wg.Wait()
		for _, s := range f.slots {
			if t.Failed() {
				t.Logf("last lines of worker %d:\n%s", s.n, s.tail(12))
			}
			s.log.Close()
		}
	})
	return f
}

// handOver is the time between the end of a process and the start of the next one. What the old one has sent to a server arrives
// first: an edit of a message that arrives after a newer one would overwrite it.
const handOver = 500 * time.Millisecond

// supervise keeps a process in the slot.
func (f *workerFleet) supervise(s *workerSlot) {
	for {
		cmd, err := f.start(s)
		if err != nil || cmd == nil {
			s.mu.Lock()
			s.last = err
			s.mu.Unlock()
			return
		}
		err = cmd.Wait()
		s.mu.Lock()
		s.proc, s.last = nil, err
		if !s.stopping && cmd.ProcessState.String() != "signal: killed" {
			s.exits = append(s.exits, cmd.ProcessState.String()+": "+s.tail(1))
		} else if !s.stopping {
			s.last = nil // a fault of the test; the fleet may be stopped before the next start
		}
		s.mu.Unlock()
		<-time.After(handOver)
	}
}

// start starts a process in the slot, unless it is being stopped.
func (f *workerFleet) start(s *workerSlot) (*exec.Cmd, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return nil, s.last
	}
	port, err := FreePort(context.Background())
	if err != nil {
		return nil, err
	}
	s.admin = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	cmd := f.command(s.n, s.admin)
	cmd.Stdout, cmd.Stderr = s.log, s.log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s.proc = cmd.Process
	return cmd, nil
}

// ready returns when the slot's process reports ready.
func (f *workerFleet) ready(ctx context.Context, n int) error {
	s := f.slots[n]
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	return awaitTrue(ctx, fmt.Sprintf("worker %d is ready", n), func() (bool, error) {
		s.mu.Lock()
		admin := s.admin
		s.mu.Unlock()
		resp, err := client.Get("http://" + admin + "/readyz") //nolint:noctx // bounded by the client
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		_, _ = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode == http.StatusOK, nil
	})
}

// metric returns the value of a metric of the slot's process, given with its labels.
func (s *workerSlot) metric(ctx context.Context, name string) (float64, error) {
	s.mu.Lock()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.admin+"/metrics", http.NoBody)
	s.mu.Unlock()
	if err != nil {
		return 0, err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, err
	}
	_, after, found := strings.Cut(string(text), "\n"+name+" ")
	if !found {
		return 0, errors.New("no metric " + name)
	}
	value, _, _ := strings.Cut(after, "\n")
	return strconv.ParseFloat(value, 64)
}

// send sends a signal to the slot's process.
func (s *workerSlot) send(sig os.Signal) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return fmt.Errorf("worker %d is not running", s.n)
	}
	return s.proc.Signal(sig)
}

// signal ends the fleet: no process is replaced from now on.
func (f *workerFleet) signal(sig os.Signal) {
	for _, s := range f.slots {
		s.mu.Lock()
		s.stopping = true
		if s.proc != nil {
			_ = s.proc.Signal(sig) // it may have ended by itself
		}
		s.mu.Unlock()
	}
}

// stop sends SIGTERM and expects orderly exits. It returns the exits before.
func (f *workerFleet) stop(t *testing.T) (exits []string) {
	t.Helper()
	f.signal(syscall.SIGTERM)
	f.wg.Wait()
	for _, s := range f.slots {
		require.NoError(t, s.last, "the end of worker %d after SIGTERM", s.n)
		exits = append(exits, s.exits...)
	}
	return exits
}

// tail returns the last lines of the slot's log.
func (s *workerSlot) tail(n int) string {
	text, _ := os.ReadFile(s.log.Name())
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// awaitTrue calls done until it reports true or ctx ends: then the error has what was waited for.
func awaitTrue(ctx context.Context, what string, done func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, last := done()
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w", what, errors.Join(context.Cause(ctx), last))
		case <-tick.C:
		}
	}
}
