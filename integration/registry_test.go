//go:build integration

package integration_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka/schemaregistry"
	"confab/schemas"
)

// registryProcess is a schema registry of our own: a Java process on the loopback address. It keeps its schemas in a
// file and its address, so that it can be killed and started again.
type registryProcess struct {
	url  string
	args []string
	cmd  *exec.Cmd
}

// startRegistry returns when the registry answers. Without Java or Maven the test is skipped, unless REGISTRY=required.
func startRegistry(t *testing.T) *registryProcess {
	t.Helper()
	fetched, err := exec.CommandContext(t.Context(), "./registry.sh").Output()
	if err != nil {
		if os.Getenv("REGISTRY") == "required" {
			t.Fatalf("integration/registry.sh: %v (REGISTRY=required forbids the skip)", err)
		}
		t.Skipf("integration/registry.sh: %v", err)
	}
	jars, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(fetched)), "*-runner.jar"))
	require.NoError(t, err)
	require.Len(t, jars, 1)
	ports, dir := registryPorts(t), t.TempDir()
	r := &registryProcess{url: "http://127.0.0.1:" + ports[0] + "/apis/ccompat/v7", args: []string{
		"-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + dir,
		"-Dquarkus.http.host=127.0.0.1", "-Dquarkus.http.port=" + ports[0],
		"-Dquarkus.management.host=127.0.0.1", "-Dquarkus.management.port=" + ports[1],
		"-Dapicurio.storage.kind=sql", "-Dapicurio.storage.sql.kind=h2", "-Dapicurio.datasource.url=jdbc:h2:file:" + filepath.Join(dir, "registry"),
		"-jar", jars[0],
	}}
	t.Cleanup(r.kill)
	r.start(t)
	return r
}

// start returns when the registry answers.
func (r *registryProcess) start(t *testing.T) {
	t.Helper()
	// Not the test's context: that ends before the clean-up which kills the process.
	r.cmd = exec.CommandContext(context.Background(), "java", r.args...)
	require.NoError(t, r.cmd.Start())
	require.Eventually(t, func() bool { return r.answers(t.Context()) }, 2*time.Minute, 100*time.Millisecond, "the registry answers")
}

func (r *registryProcess) answers(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+"/subjects", http.NoBody)
	if err != nil {
		return false
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func (r *registryProcess) kill() {
	if r.cmd != nil && r.cmd.ProcessState == nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	}
}

// registryPorts are two free ports between those of the brokers and the ephemeral ones: no outgoing connection can take
// one while the registry is down.
func registryPorts(t *testing.T) []string {
	t.Helper()
	var ports []string
	for port := 32000; port < 32768 && len(ports) < 2; port++ {
		l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			continue
		}
		l.Close()
		ports = append(ports, strconv.Itoa(port))
	}
	require.Len(t, ports, 2, "free ports between 32000 and 32767")
	return ports
}

// TestRegistry runs the commands and the client against a real registry: what a fake cannot show is whether it refuses.
func TestRegistry(t *testing.T) {
	process := startRegistry(t)
	bin := buildWorker(t)
	set := "schema_registry.url=" + process.url
	ctx := t.Context()

	_, err := command(ctx, bin, "schema", "--set", set)
	require.ErrorContains(t, err, "schemas differ from the registry")
	for range 2 { // what is registered keeps its id
		out, err := command(ctx, bin, "schema", "--register", "--set", set)
		require.NoError(t, err)
		t.Logf("%s", out)
	}
	out, err := command(ctx, bin, "schema", "--set", set)
	require.NoError(t, err, "%s", out)

	r, err := schemaregistry.New(schemaregistry.Options{URL: process.url, Timeout: 10 * time.Second})
	require.NoError(t, err)
	t.Cleanup(r.Close)
	interactions, flags := schemaregistry.Subject("llm.interactions"), schemaregistry.Subject("llm.incidents")
	id, err := r.Lookup(ctx, interactions, schemas.InteractionAvro())
	require.NoError(t, err)
	w, err := r.Schema(ctx, schemaregistry.ID{Number: id})
	require.NoError(t, err)
	require.Equal(t, "AVRO", w.Type)
	for _, apicurio := range []schemaregistry.ID{{Content: uint64(id)}, {Global: uint64(id)}} { // in a new registry they agree
		same, err := r.Schema(ctx, apicurio)
		require.NoError(t, err)
		require.Equal(t, "AVRO", same.Type)
		require.JSONEq(t, w.Text, same.Text)
	}
	for _, unknown := range []schemaregistry.ID{{Number: 999_999}, {Content: 999_999}, {Global: 999_999}} {
		_, err = r.Schema(ctx, unknown)
		require.ErrorIs(t, err, schemaregistry.ErrUnknownSchema)
	}

	addField := func(text, field string) string {
		return strings.Replace(text, `"fields": [`, `"fields": [`+field+`,`, 1)
	}
	const optional, required = `{"name":"must","type":"string","default":""}`, `{"name":"extra","type":"string"}`
	for _, tt := range []struct {
		name, subject, text string
		fits                bool
	}{
		{"interactions, optional field", interactions, addField(schemas.InteractionAvro(), optional), true},
		{"interactions, required field", interactions, addField(schemas.InteractionAvro(), required), false},
		{"flags, optional field", flags, addField(schemas.FlagAvro(), optional), true},
		{"flags, required field", flags, addField(schemas.FlagAvro(), required), false},
		{"flags, required field dropped", flags, strings.Replace(schemas.FlagAvro(), `"incident_id"`, `"another_id"`, 1), false},
		{"no schema", flags, "no schema", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fits, _, err := r.Compatible(ctx, tt.subject, tt.text, tt.subject == flags)
			require.NoError(t, err)
			require.Equal(t, tt.fits, fits)
			_, err = r.Register(ctx, tt.subject, tt.text)
			if tt.fits {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, schemaregistry.ErrIncompatible)
			}
		})
	}

	process.kill()
	_, err = r.Schema(ctx, schemaregistry.ID{Number: 999_998})
	require.Error(t, err)
	require.NotErrorIs(t, err, schemaregistry.ErrUnknownSchema, "down is not unknown")
	again, err := r.Schema(ctx, schemaregistry.ID{Number: id})
	require.NoError(t, err, "what was seen is kept")
	require.Equal(t, w, again)
	_, err = command(ctx, bin, "schema", "--set", set)
	require.ErrorContains(t, err, "cannot be reached")
}
