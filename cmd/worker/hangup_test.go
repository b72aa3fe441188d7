package main

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka/embedded"
	"confab/internal/logtest"
)

// longRunning are the commands that run until a signal ends them.
func longRunning() []string { return []string{"run", "serve", "ui"} }

// runningCommand is a command of longRunning as a process of its own.
type runningCommand struct {
	process *os.Process
	output  *logtest.Buffer
	done    chan struct{}
	code    int // when done is closed
}

// startCommand starts a command with a configuration file that sets brokers and nothing else.
func startCommand(t *testing.T, name, brokers string) *runningCommand {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "confab.yaml")
	text := "kafka:\n  seed_brokers: [" + brokers + "]\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	r := &runningCommand{output: &logtest.Buffer{}, done: make(chan struct{})}
	cmd := exec.Command("confab", name, "--config", file) //nolint:noctx // killed in the clean-up
	if name == "run" {
		cmd.Args = append(cmd.Args, "--roles", "detect")
	}
	if name == "serve" { // which takes no other port than its own
		cmd.Args = append(cmd.Args, "--listen", freeAddress(t))
	}
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, r.output, r.output
	require.NoError(t, cmd.Start())
	r.process = cmd.Process
	go func() {
		_ = cmd.Wait()
		r.code = cmd.ProcessState.ExitCode()
		close(r.done)
	}()
	t.Cleanup(func() { _ = r.process.Kill(); <-r.done })
	return r
}

func (r *runningCommand) await(t *testing.T, line string) {
	t.Helper()
	var w stuckProcess
	w.await(t, line, func() bool {
		require.False(t, isDone(r.done), "ended: %s", r.output.String())
		return r.output.Count(line) > 0
	})
}

func newTestCluster(t *testing.T) string {
	t.Helper()
	cluster, err := embedded.Start(embedded.Options{Topics: map[string]int32{
		"llm.interactions": 1, "llm.incidents": 1, "llm.interactions.sampled": 1, "llm.interactions.dlq": 1, "llm.feedback": 1, "llm.alerts": 1,
	}})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	return strings.Join(cluster.Seeds(), ",")
}

// Commands that run for long start side by side without a setting of a port: each that finds its port taken says which one it has.
// SIGHUP reloads and never ends them, and SIGTERM still does.
func TestSideBySideAndHangup(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	brokers := newTestCluster(t)
	var all []*runningCommand
	for _, name := range append(longRunning(), longRunning()...) {
		r := startCommand(t, name, brokers)
		r.await(t, "admin server")
		r.await(t, "started server")
		all = append(all, r)
	}
	for i, r := range all {
		if i > 0 { // the first has the port, unless another program of the machine has it
			r.await(t, "admin server: default port is in use")
			r.await(t, "set admin.listen")
		}
		require.NoError(t, r.process.Signal(syscall.SIGHUP))
		r.await(t, "reloaded on SIGHUP")
	}
	for _, r := range all {
		require.NoError(t, r.process.Signal(syscall.SIGTERM))
		<-r.done
		require.Zero(t, r.code, r.output.String())
	}
}

// A port that someone has set is not replaced.
func TestTakenPortThatIsSet(t *testing.T) {
	taken := freeAddress(t)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", taken)
	require.NoError(t, err)
	defer l.Close()
	for _, name := range []string{"serve", "ui"} {
		out, err := exec.CommandContext(t.Context(), "confab", name, "--set", "admin.listen="+taken).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "choose another address with admin.listen")
		out, err = exec.CommandContext(t.Context(), "confab", name, "--listen", taken, "--set", "admin.listen="+freeAddress(t)).CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(out), "choose another address with "+name+".listen (confab "+name+": --listen)")
	}
}

// Clients ask at the port of serve: the usual one is not replaced either.
func TestTakenPortOfServe(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:9470")
	if err == nil { // else another program has it
		defer l.Close()
	}
	out, err := exec.CommandContext(t.Context(), "confab", "serve", "--set", "admin.listen="+freeAddress(t)).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "choose another address with serve.listen (confab serve: --listen)")
}
