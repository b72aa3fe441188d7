//go:build integration

package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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

// TestCompose runs examples/compose.yaml as people do, with images made here: one command prints a flag and an alert, the
// services become healthy, the one-shot services succeed, and the broker and the metrics answer on loopback ports only.
func TestCompose(t *testing.T) {
	integration.RequireEngine(t)
	compose := findCompose(t)
	lap := stopwatch(t)
	broker, err := integration.BrokerImage(t.Context())
	require.NoError(t, err)
	p := composeProject{
		compose: append(compose, "-p", "confab-compose-"+strconv.Itoa(os.Getpid()), "-f", "../examples/compose.yaml",
			"-f", labelOverride(t, "kafka", "topics", "worker", "alerts", "flags", "producer")),
		env: append(
			os.Environ(), "KAFKA_IMAGE="+broker, "CONFAB_IMAGE="+importWorker(t),
			"KAFKA_PORT="+freePort(t), "METRICS_PORT="+freePort(t), "NO_COLOR=1",
		),
	}
	lap("images")

	up := p.start(t, "up", "--no-build")
	up.await(t, "flags", "demo-11  health-portal")
	lap("flag")
	up.await(t, "alerts", "ALERT  Possible hallucination · health-portal")
	lap("alert")
	up.await(t, "topics", "created llm.interactions")
	up.await(t, "producer", "15 records written to llm.interactions")

	for _, service := range []string{"kafka", "worker", "alerts"} {
		p.awaitState(t, service, func(s containerState) bool { return s.State.Health.Status == "healthy" })
		for port, bound := range p.inspect(t, service).NetworkSettings.Ports {
			for _, b := range bound {
				require.Equal(t, "127.0.0.1", b.HostIP, "%s %s", service, port)
			}
		}
	}
	lap("healthy")
	for _, service := range []string{"topics", "producer"} {
		p.awaitState(t, service, func(s containerState) bool { return s.State.Status == "exited" })
		require.Zero(t, p.inspect(t, service).State.ExitCode, service)
	}
	up.stop(t)
	lap("stopped")
}

// findCompose is the compose command of this machine: the plugin of docker, else the older program.
func findCompose(t *testing.T) []string {
	t.Helper()
	for _, command := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.CommandContext(t.Context(), command[0], append(command[1:], "version")...).Run() == nil {
			return command
		}
	}
	require.NotEqual(t, "1", os.Getenv("REQUIRE_DOCKER"), "no docker compose; on Debian: apt-get install docker-compose")
	t.Skip("no docker compose; on Debian: apt-get install docker-compose")
	return nil
}

// importWorker makes an image of the worker as the last stage of the Dockerfile does, without the base image of the first.
func importWorker(t *testing.T) string {
	t.Helper()
	return importImage(t, "worker", "usr/local/bin/confab", map[string]string{"usr/local/bin/confab": buildWorker(t)})
}

// importImage makes an image of files, by their paths in it, and runs the one at entry. It is removed with the test.
func importImage(t *testing.T, name, entry string, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, file := range files {
		require.NoError(t, os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o755))
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, path), content, 0o755))
	}
	image := fmt.Sprintf("confab-test/%s:%d", name, os.Getpid())
	script := `tar -C "$0" -c . | docker import -c "ENTRYPOINT [\"/$2\"]" -c 'USER 65532:65532' - "$1"`
	out, err := exec.CommandContext(t.Context(), "sh", "-c", script, root, image, entry).CombinedOutput()
	require.NoError(t, err, string(out))
	t.Cleanup(func() {
		out, err := exec.Command("docker", "rmi", "-f", image).CombinedOutput() //nolint:noctx // the test's context has ended
		require.NoError(t, err, string(out))
	})
	return image
}

// labelOverride is a second compose file that lets the sweep of an interrupted run find the containers.
func labelOverride(t *testing.T, names ...string) string {
	t.Helper()
	services := map[string]any{}
	for _, name := range names {
		services[name] = map[string]any{"labels": integration.OwnerLabels()}
	}
	file, err := json.Marshal(map[string]any{
		"services": services, "networks": map[string]any{"default": map[string]any{"labels": integration.OwnerLabels()}},
	})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "labels.yaml") // JSON is YAML
	require.NoError(t, os.WriteFile(path, file, 0o600))
	return path
}

type composeProject struct {
	compose, env []string
}

func (p composeProject) command(ctx context.Context, args ...string) *exec.Cmd {
	all := append(append([]string{}, p.compose...), args...)
	cmd := exec.CommandContext(ctx, all[0], all[1:]...)
	cmd.Env = p.env
	return cmd
}

// start starts the project in the foreground. It is removed, with its volumes, at the end of the test.
func (p composeProject) start(t *testing.T, args ...string) *composeRun {
	t.Helper()
	run := &composeRun{done: make(chan struct{})}
	cmd := p.command(context.WithoutCancel(t.Context()), args...)
	cmd.Stdout, cmd.Stderr = &run.output, &run.output
	require.NoError(t, cmd.Start())
	run.process = cmd.Process
	go func() {
		defer close(run.done)
		cmd.Wait() //nolint:errcheck // versions differ in the exit code after an interrupt
	}()
	t.Cleanup(func() {
		run.process.Kill() //nolint:errcheck // it has ended when the test passed
		out, err := p.command(context.Background(), "down", "-v", "-t", "5").CombinedOutput()
		require.NoError(t, err, string(out))
		if t.Failed() {
			t.Logf("compose:\n%s", run.output.text())
		}
	})
	return run
}

// containerState is what the test reads of `docker inspect`.
type containerState struct {
	State struct {
		Status   string
		ExitCode int
		Health   struct{ Status string }
	}
	NetworkSettings struct {
		Ports map[string][]struct{ HostIP string }
	}
}

func (p composeProject) inspect(t *testing.T, service string) containerState {
	t.Helper()
	project := p.compose[len(p.compose)-5]
	ids, err := exec.CommandContext(t.Context(), "docker", "ps", "-aq", "--filter", "label=com.docker.compose.project="+project,
		"--filter", "label=com.docker.compose.service="+service).Output()
	require.NoError(t, err)
	out, err := exec.CommandContext(t.Context(), "docker", append([]string{"inspect"}, strings.Fields(string(ids))...)...).Output()
	require.NoError(t, err, service)
	var found []containerState
	require.NoError(t, json.Unmarshal(out, &found))
	require.Len(t, found, 1, service)
	return found[0]
}

func (p composeProject) awaitState(t *testing.T, service string, reached func(containerState) bool) {
	t.Helper()
	require.Eventually(t, func() bool { return reached(p.inspect(t, service)) }, time.Minute, 200*time.Millisecond, service)
}

// composeRun is a running `compose up`.
type composeRun struct {
	process *os.Process
	output  syncBuffer
	done    chan struct{}
}

// await waits for a line of the service that holds the text.
func (r *composeRun) await(t *testing.T, service, text string) {
	t.Helper()
	require.Eventually(t, func() bool {
		for line := range strings.Lines(r.output.text()) {
			if strings.Contains(line, service) && strings.Contains(line, text) {
				return true
			}
		}
		return false
	}, 90*time.Second, 100*time.Millisecond, "%s: %s", service, text)
}

// stop interrupts it, as Ctrl-C does.
func (r *composeRun) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, r.process.Signal(syscall.SIGINT))
	select {
	case <-r.done:
	case <-time.After(time.Minute):
		t.Fatal("compose still runs a minute after the interrupt")
	}
}

// syncBuffer is a buffer that is read while a process writes to it.
type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
