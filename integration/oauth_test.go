//go:build integration

package integration_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

// tokenLifetime is that of access tokens. Clients renew theirs ten seconds before the end.
const tokenLifetime = 12 * time.Second

// tokenServer is a running oidc-provider, see oauthserver/serve.mjs.
type tokenServer struct {
	issuer string

	mu     sync.Mutex
	issued map[string]int // tokens by client
}

// tokenSecret is the secret of a client.
func tokenSecret(client string) string { return "secret-of-" + client }

// startTokenServer starts the server that `make oauth-server` installs, with the clients. Without it, the test is skipped, or
// fails with REQUIRE_OAUTH=1.
func startTokenServer(t *testing.T, clients ...string) *tokenServer {
	t.Helper()
	home, err := filepath.Abs("../bin/oauth")
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(home, "node_modules", "oidc-provider")); err != nil {
		if os.Getenv("REQUIRE_OAUTH") == "1" {
			t.Fatal(err)
		}
		t.Skip("no token server: make oauth-server installs it")
	}
	args := []string{"oauthserver/serve.mjs", fmt.Sprint(int(tokenLifetime.Seconds()))}
	for _, client := range clients {
		args = append(args, client, tokenSecret(client))
	}
	cmd := exec.Command("node", args...) //nolint:noctx // it ends with its standard input
	cmd.Env = append(os.Environ(), "OAUTH_SERVER_HOME="+home)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	s := &tokenServer{issued: map[string]int{}}
	lines := bufio.NewScanner(out)
	for s.issuer == "" && lines.Scan() {
		if strings.HasPrefix(lines.Text(), "http://") {
			s.issuer = lines.Text()
		}
	}
	require.NotEmpty(t, s.issuer)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines.Scan() {
			if client, ok := strings.CutPrefix(lines.Text(), "issued "); ok {
				s.mu.Lock()
				s.issued[client]++
				s.mu.Unlock()
			}
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		<-done
		require.NoError(t, cmd.Wait())
	})
	return s
}

func (s *tokenServer) count(client string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issued[client]
}

// fetch returns the reply to a request.
func (s *tokenServer) fetch(ctx context.Context, req *http.Request) ([]byte, error) {
	resp, err := http.DefaultClient.Do(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, text)
	}
	return text, err
}

// token returns a new one.
func (s *tokenServer) token(ctx context.Context, client string) (string, error) {
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {"kafka"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.issuer+"/token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	req.SetBasicAuth(client, tokenSecret(client))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	text, err := s.fetch(ctx, req)
	if err != nil {
		return "", err
	}
	var reply struct {
		Token string `json:"access_token"`
	}
	return reply.Token, json.Unmarshal(text, &reply)
}

// addOAuth lets brokers accept the tokens of the server, by the public keys that it serves.
func (s *tokenServer) addOAuth(ctx context.Context, t *testing.T, o *integration.ClusterOptions) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.issuer+"/jwks", http.NoBody)
	require.NoError(t, err)
	keys, err := s.fetch(ctx, req)
	require.NoError(t, err)
	const path, listener = "/etc/jwks.json", "KAFKA_LISTENER_NAME_SECURE_OAUTHBEARER_SASL_"
	o.Files[path] = string(keys)
	o.Env["KAFKA_OPTS"] = "-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=file:" + path
	o.Env["KAFKA_LISTENER_NAME_SECURE_SASL_ENABLED_MECHANISMS"] = "SCRAM-SHA-512,OAUTHBEARER"
	for key, value := range map[string]string{
		"JAAS_CONFIG":                    "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;",
		"SERVER_CALLBACK_HANDLER_CLASS":  "org.apache.kafka.common.security.oauthbearer.OAuthBearerValidatorCallbackHandler",
		"OAUTHBEARER_JWKS_ENDPOINT_URL":  "file:" + path,
		"OAUTHBEARER_EXPECTED_AUDIENCE":  "kafka",
		"OAUTHBEARER_EXPECTED_ISSUER":    s.issuer,
		"OAUTHBEARER_CLOCK_SKEW_SECONDS": "1",
	} {
		o.Env[listener+key] = value
	}
}

// TestOAuth runs roles that log in by access tokens of a real token server: detect fetches its tokens by client credentials,
// alert reads them from a file that something else renews. Tokens live for seconds, and brokers want a new one in time.
func TestOAuth(t *testing.T) {
	integration.RequireEngine(t)
	server := startTokenServer(t, "token-detect", "token-alert")
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	step := stopwatch(t)
	s := startSecured(t, func(o *integration.ClusterOptions) { server.addOAuth(ctx, t, o) })
	r := newRoles(t, s)
	_, err := command(ctx, s.bin, "topics", "apply", "--partitions", "3", "--config", r.open)
	require.NoError(t, err)
	credentials := func(file string) string {
		return "{mechanism: OAUTHBEARER, oauth: {token_url: " + server.issuer + "/token, client_id: token-detect, client_secret_file: " + file + ", scopes: [kafka]}}"
	}
	secret := s.write(t, "secret", tokenSecret("token-detect")+"\n")
	r.addTokenUser(ctx, t, "detect", credentials(secret))
	file := s.write(t, "token", "")
	renew := func() {
		token, err := server.token(ctx, "token-alert")
		require.NoError(t, err)
		s.write(t, "token", token)
	}
	renew()
	r.addTokenUser(ctx, t, "alert", "{mechanism: OAUTHBEARER, oauth: {token_file: "+file+"}}")
	for _, role := range []string{"detect", "alert"} {
		r.workers[role] = startWorker(t, s.bin, r.configs[role], role)
		r.assertHealthy(ctx, t, role)
	}
	step("roles ready")

	requireTokenErrors(ctx, t, r, credentials)
	step("errors")
	old, err := server.token(ctx, "token-alert")
	require.NoError(t, err)
	before := server.count("token-detect")
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for range 2 * int(tokenLifetime.Seconds()) {
		<-tick.C
		renew()
	}
	require.GreaterOrEqual(t, server.count("token-detect")-before, 2, "tokens that detect has fetched while two expired")
	file = s.write(t, "old", old)
	r.requireRefused(ctx, t, wrongLogin{"{mechanism: OAUTHBEARER, oauth: {token_file: " + file + "}}", "token_file " + file, old})
	_, err = command(ctx, r.bin, "produce", "--config", r.open, writeRows(t, "rows.jsonl", deepRows()))
	require.NoError(t, err)
	alerted := requireText(ctx, t, r.Cluster, topicIncidents, `"interaction_id":"unlikely-1"`)
	requireText(ctx, t, r.Cluster, "llm.alerts", parseFlag(t, []byte(alerted)).incident())
	step("tokens renewed")
	for role, w := range r.workers {
		require.NotContains(t, string(w.output(t)), "refused", "log of %s", role)
		require.NotContains(t, string(w.output(t)), tokenSecret("token-detect"))
		w.stop(t)
	}
}

// addTokenUser makes the configuration of a role that logs in as token-ROLE, which has the printed rules.
func (r *roles) addTokenUser(ctx context.Context, t *testing.T, role, sasl string) {
	t.Helper()
	require.NoError(t, r.AddAccess(ctx, r.printed(ctx, t, role, "token-"+role)...))
	r.setCertificate(t, role, r.authority)
	r.configs[role] = r.config(t, role, sasl, "roles: ["+role+"]\n")
}

// requireTokenErrors expects errors that name where a wrong credential comes from, and quote none of it.
func requireTokenErrors(ctx context.Context, t *testing.T, r *roles, credentials func(file string) string) {
	t.Helper()
	empty, wrong := r.write(t, "empty", ""), r.write(t, "wrong", "not-the-secret\n")
	unsigned := r.write(t, "unsigned", "eyJhbGciOiJub25lIn0.e30.")
	r.setCertificate(t, "wrong", r.authority)
	for _, wrong := range []wrongLogin{
		{credentials(wrong), "client_secret_file " + wrong, "not-the-secret"},
		{credentials(filepath.Join(r.dir, "absent")), filepath.Join(r.dir, "absent"), tokenSecret("token-detect")},
		{"{mechanism: OAUTHBEARER, oauth: {token_file: " + empty + "}}", empty, "eyJ"},
		{"{mechanism: OAUTHBEARER, oauth: {token_file: " + unsigned + "}}", "token_file " + unsigned, "eyJ"},
		{"{mechanism: SCRAM-SHA-512, username: detect, password_file: " + wrong + "}", "password_file " + wrong, "not-the-secret"},
	} {
		r.requireRefused(ctx, t, wrong)
	}
}

// wrongLogin is one in YAML, with what an error must name and what it must not hold.
type wrongLogin struct{ sasl, source, never string }

// requireRefused expects the doctor to fail with a login, to name the source of its credential and not to quote it.
func (r *roles) requireRefused(ctx context.Context, t *testing.T, w wrongLogin) {
	t.Helper()
	config := r.config(t, "wrong", w.sasl, "roles: [detect]\n")
	out, err := exec.CommandContext(ctx, r.bin, "doctor", "--json", "--config", config).CombinedOutput()
	require.Error(t, err, w.sasl)
	require.Contains(t, string(out), w.source)
	require.NotContains(t, string(out), w.never)
}
