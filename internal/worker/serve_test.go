package worker

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// startServing runs a worker with the role serve and returns the URL of its checks.
func (b *workerHarness) startServing(roles ...config.Role) string {
	b.t.Helper()
	b.config.Roles, b.config.Serve.Listen = roles, "127.0.0.1:0"
	listening := make(chan net.Addr, 1)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{
			Config: b.config, Registry: b.registry, Logger: testLogger(b.t),
			serving: func(a net.Addr) { listening <- a },
		})
	}()
	b.t.Cleanup(func() {
		cancel()
		require.NoError(b.t, <-done)
	})
	return "http://" + (<-listening).String() + "/v1/check"
}

func post(t *testing.T, url, body string) schemas.Flag {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, resp.StatusCode, string(text))
	var f schemas.Flag
	require.NoError(t, json.DecodeFlag(text, &f))
	return f
}

func decodeFlags(t *testing.T, b *workerHarness, n int) (all []schemas.Flag) {
	t.Helper()
	for _, r := range b.read(b.config.Kafka.Topics.Incidents, n) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		all = append(all, f)
	}
	return all
}

// withoutPlace is the flag without time, origin, the source of its id and sampling, which the stream adds.
func withoutPlace(f schemas.Flag) schemas.Flag {
	f.DetectedAt, f.Origin, f.IDSource = time.Time{}, schemas.Origin{}, ""
	f.Sampled, f.SampleReason, f.SampleProbability = false, "", 0
	return f
}

// An interaction that is published comes out of the stream with the same verdict and the same incident id.
func TestServePublishesInteractions(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.Serve.Publish, b.config.Kafka.Inputs[0].TenantFrom, b.config.Emit = config.PublishAll, config.TenantPayload, config.EmitAll
	url := b.startServing(config.RoleServe, config.RoleDetect)
	var answers []schemas.Flag
	for i, text := range []string{fmt.Sprintf(ungrounded, "i-1"), fmt.Sprintf(grounded, "i-2"), strings.Replace(fmt.Sprintf(grounded, ""), `"interaction_id":"",`, "", 1)} {
		answers = append(answers, post(t, url, text))
		stream := decodeFlags(t, b, i+1)
		same := slices.IndexFunc(stream, func(f schemas.Flag) bool { return f.IncidentID == answers[i].IncidentID })
		require.GreaterOrEqual(t, same, 0)
		require.Equal(t, withoutPlace(answers[i]), withoutPlace(stream[same]))
	}
}

// A flag that is published is the response.
func TestServePublishesFlags(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.Serve.Publish = config.PublishFlags
	url := b.startServing(config.RoleServe)
	post(t, url, fmt.Sprintf(grounded, "i-0")) // quiet: no flag
	f := post(t, url, fmt.Sprintf(ungrounded, "i-1"))
	require.NotEmpty(t, f.Fired)
	require.Equal(t, f, decodeFlags(t, b, 1)[0])
}

// Without a topic no broker is asked.
func TestServeWithoutKafka(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.Kafka.SeedBrokers = []string{"127.0.0.1:1"}
	f := post(t, b.startServing(config.RoleServe), fmt.Sprintf(ungrounded, "i-1"))
	require.NotEmpty(t, f.Fired)
}

// The page starts without a broker.
func TestUIWithoutKafka(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.UI.Listen = "127.0.0.1:0"
	b.config.Kafka.SeedBrokers = []string{"127.0.0.1:1"}
	require.NotEmpty(t, b.startServing(config.RoleUI))
}

// The role ui serves the page next to the others.
func TestRoleUI(t *testing.T) {
	b := newWorkerHarness(t)
	b.config.UI.Listen = "127.0.0.1:0"
	url := strings.TrimSuffix(b.startServing(config.RoleUI), "/v1/check")
	b.produce("llm.incidents", `{"incident_id":"`+strings.Repeat("ab", 32)+`","pass":"fast","interaction_id":"i-1","tenant":"default","origin":{"topic":"t","partition":0,"offset":0,"index":0},"signals":[],"fired":["citation"],"risk":null,"recommendation":"flag","alert":false}`)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	eventually(t, func() bool {
		resp, err := client.Get(url + "/incidents") //nolint:noctx // bounded by the test
		require.NoError(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return strings.Contains(string(text), "i-1") || strings.Contains(string(text), strings.Repeat("ab", 32))
	}, 20*time.Second, 50*time.Millisecond, "the incident is listed")
}

// A login that docs/serve.md shows works from its files.
func TestServeLoginsFromFiles(t *testing.T) {
	b := newWorkerHarness(t)
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	const token = "a token that nobody guesses"
	load := func(tokenFile string) (*config.Config, error) {
		return config.Load(config.LoadOptions{File: write("confab.yaml", "serve: {auth: {logins: [{name: gateway, token_file: "+tokenFile+", tenants: ['*']}]}}")})
	}
	_, err := load(filepath.Join(dir, "missing"))
	require.ErrorContains(t, err, "serve.auth.logins[0].token_file: cannot read "+filepath.Join(dir, "missing")+": no such file")
	_, err = load(write("short", "short\n"))
	require.ErrorContains(t, err, "serve.auth.logins[0].token: needs at least 16 characters")
	write("token", token+"\n")
	loaded, err := load("token") // in the folder of the configuration file
	require.NoError(t, err)
	b.config.Serve = loaded.Serve
	url := b.startServing(config.RoleServe)
	for given, want := range map[string]int{token: http.StatusOK, "another token of that length": http.StatusUnauthorized, "": http.StatusUnauthorized} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(fmt.Sprintf(grounded, "i-1")))
		require.NoError(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+given)
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		require.NoError(t, err)
		resp.Body.Close()
		require.Equal(t, want, resp.StatusCode, given)
	}
}
