//go:build integration

package integration_test

import (
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

// TestOtelCompose runs examples/otel/compose.yaml up to the flag that docs/otlp.md promises. Images of Phoenix and
// of Python are not made here: "app" runs on the host, and of the other services only the configuration is checked.
func TestOtelCompose(t *testing.T) {
	integration.RequireEngine(t)
	compose := findCompose(t)
	lap := stopwatch(t)
	python, collector := otelPython(t), buildCollector(t)
	broker, err := integration.BrokerImage(t.Context())
	require.NoError(t, err)
	port := freePort(t)
	p := composeProject{
		compose: append(compose, "-p", "confab-otel-"+strconv.Itoa(os.Getpid()), "-f", "../examples/otel/compose.yaml",
			"-f", labelOverride(t, "kafka", "topics", "collector", "worker", "flags")),
		env: append(
			os.Environ(), "KAFKA_IMAGE="+broker, "CONFAB_IMAGE="+importWorker(t),
			"COLLECTOR_IMAGE="+importImage(t, "otelcol", "otelcol", withLibraries(t, "otelcol", collector)),
			"KAFKA_PORT="+freePort(t), "OTLP_HTTP_PORT="+port, "OTLP_GRPC_PORT="+freePort(t), "NO_COLOR=1",
		),
	}
	lap("images")

	out, err := p.command(t.Context(), "config", "--services").Output()
	require.NoError(t, err, "the whole file")
	require.ElementsMatch(t, []string{"app", "collector", "flags", "kafka", "phoenix", "topics", "worker"}, strings.Fields(string(out)))

	up := p.start(t, "up", "--no-build", "kafka", "topics", "collector", "worker", "flags")
	require.Eventually(t, func() bool {
		resp, err := http.Post("http://127.0.0.1:"+port+"/v1/traces", "application/x-protobuf", http.NoBody) //nolint:noctx // loopback
		return err == nil && resp.Body.Close() == nil && resp.StatusCode == http.StatusOK
	}, time.Minute, 100*time.Millisecond, "the receiver answers")
	for _, service := range []string{"kafka", "collector"} {
		for inside, bound := range p.inspect(t, service).NetworkSettings.Ports {
			for _, b := range bound {
				require.Equal(t, "127.0.0.1", b.HostIP, "%s %s", service, inside)
			}
		}
	}
	lap("started")
	app := exec.CommandContext(t.Context(), python, "../examples/presets/record/otlp_rag.py", "--use", "genai", "--otlp", "http://127.0.0.1:"+port)
	app.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err = app.CombinedOutput()
	require.NoError(t, err, string(out))
	lap("app")
	up.await(t, "flags", "90 days")
	up.await(t, "flags", "30 days")
	lap("flag")
	up.stop(t)
}

// withLibraries returns the files of an image that runs a program: it and the libraries that it is linked with.
func withLibraries(t *testing.T, path, program string) map[string]string {
	t.Helper()
	files := map[string]string{path: program}
	linked, err := exec.CommandContext(t.Context(), "ldd", program).Output()
	if err != nil { // it is static
		return files
	}
	for _, library := range regexp.MustCompile(`/\S+`).FindAllString(string(linked), -1) {
		files[strings.TrimPrefix(library, "/")] = library
	}
	return files
}
