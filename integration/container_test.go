//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

// maxImageBytes is the size of the image that users pull, unpacked.
const maxImageBytes = 44 << 20

// TestContainer runs the image of `make container` as a cluster would: another user, a read-only root, no capabilities. It
// reads an answer from three brokers and writes its flag.
func TestContainer(t *testing.T) {
	c := startCluster(t, integration.ClusterOptions{})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	step := stopwatch(t)
	image := makeImage(ctx, t)
	step("image made")
	admin := freeAddress(t)
	dir := t.TempDir()
	require.NoError(t, os.Chmod(dir, 0o755)) // the user of the container reads it
	text := fmt.Sprintf("kafka: {seed_brokers: [%s], start_offset: earliest}\nalerting: {console: true}\nadmin: {listen: %q}\n", strings.Join(c.Seeds(), ", "), admin)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "confab.yaml"), []byte(text), 0o644))
	run := func(name string, args ...string) []string {
		all := []string{
			"run", "--rm", "--name", name, "--user", "10001:10001", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
			"--network", "host", "-v", dir + ":/etc/confab:ro", "-e", "CONFAB_CONFIG=/etc/confab/confab.yaml",
		}
		for key, value := range integration.OwnerLabels() {
			all = append(all, "--label", key+"="+value)
		}
		return append(append(all, image), args...)
	}
	docker(ctx, t, run(fmt.Sprintf("confab-topics-%d", os.Getpid()), "topics", "apply", "--partitions", "2")...)

	name := fmt.Sprintf("confab-worker-%d", os.Getpid())
	worker := exec.CommandContext(ctx, "docker", run(name)...)
	log, err := os.Create(filepath.Join(t.TempDir(), "worker.log"))
	require.NoError(t, err)
	defer log.Close()
	worker.Stdout, worker.Stderr = log, log
	require.NoError(t, worker.Start())
	t.Cleanup(func() {
		_ = exec.Command("docker", "rm", "-f", name).Run() //nolint:noctx // the test's context has ended
		_ = worker.Wait()
		if t.Failed() {
			out, _ := os.ReadFile(log.Name())
			t.Logf("%s", tail(out))
		}
	})
	require.NoError(t, integration.Await(ctx, "the worker to be ready", func(ctx context.Context) (bool, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/readyz", http.NoBody)
		if err != nil {
			return false, err
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		return resp.StatusCode == http.StatusOK, resp.Body.Close()
	}))
	step("ready")
	const answer = `{"interaction_id":"in-container","service":"bot","answer":"Express parcels cost 30 euros [9].","sources":[{"id":"1","text":"Express parcels cost 14 euros."}]}`
	require.NoError(t, os.WriteFile(filepath.Join(dir, "answer.jsonl"), []byte(answer+"\n"), 0o644))
	docker(ctx, t, run(fmt.Sprintf("confab-produce-%d", os.Getpid()), "produce", "/etc/confab/answer.jsonl")...)
	require.NoError(t, integration.Await(ctx, "the flag", func(ctx context.Context) (bool, error) {
		records, err := c.ReadTopic(ctx, "llm.incidents")
		return len(records) == 1 && strings.Contains(string(records[0].Value), `"interaction_id":"in-container"`), err
	}))
	step("flagged")
	docker(ctx, t, "stop", name)
	require.NoError(t, worker.Wait(), "an orderly end")
}

// makeImage makes the image with make container and checks its size, its labels and its files.
func makeImage(ctx context.Context, t *testing.T) (image string) {
	t.Helper()
	image = fmt.Sprintf("confab-test/container:%d", os.Getpid())
	build := exec.CommandContext(ctx, "make", "-C", "..", "container", "IMAGE="+image, "VERSION=0.0.0-test")
	build.Env = append(os.Environ(), "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	t.Cleanup(func() {
		out, err := exec.Command("docker", "rmi", "-f", image).CombinedOutput() //nolint:noctx // the test's context has ended
		require.NoError(t, err, string(out))
	})
	size, err := strconv.Atoi(docker(ctx, t, "image", "inspect", image, "--format", "{{.Size}}"))
	require.NoError(t, err)
	t.Logf("the image has %.1f MB", float64(size)/1e6)
	require.Less(t, size, maxImageBytes)
	for key, want := range map[string]string{"title": "confab", "version": "0.0.0-test", "licenses": "Apache-2.0"} {
		require.Equal(t, want, docker(ctx, t, "image", "inspect", image, "--format", fmt.Sprintf("{{index .Config.Labels %q}}", "org.opencontainers.image."+key)))
	}
	require.Len(t, docker(ctx, t, "image", "inspect", image, "--format", `{{index .Config.Labels "org.opencontainers.image.revision"}}`), 40)
	require.Equal(t, "65532:65532", docker(ctx, t, "image", "inspect", image, "--format", "{{.Config.User}}"))
	require.Contains(t, docker(ctx, t, "run", "--rm", image, "version"), "0.0.0-test")
	return image
}

// docker runs a command of the container engine and returns what it prints.
func docker(ctx context.Context, t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(ctx, "docker", args...).CombinedOutput()
	require.NoError(t, err, "docker %s\n%s", strings.Join(args, " "), out)
	return strings.TrimSpace(string(out))
}
