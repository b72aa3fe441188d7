//go:build integration

package integration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// alertmanagerProcess is a real Alertmanager on the loopback address, alone and with its data in the test's directory. It
// has one receiver, which is the test.
type alertmanagerProcess struct {
	url string

	mu            sync.Mutex
	notifications []notification
}

// notification is a group of alerts as a receiver gets it.
type notification struct {
	Status      string            `json:"status"`
	GroupLabels map[string]string `json:"groupLabels"`
	Alerts      []managedAlert    `json:"alerts"`
}

// managedAlert is an alert as Alertmanager's API and receivers have it.
type managedAlert struct {
	Labels       map[string]string `json:"labels"`
	Annotations  map[string]string `json:"annotations"`
	StartsAt     time.Time         `json:"startsAt"`
	EndsAt       time.Time         `json:"endsAt"`
	GeneratorURL string            `json:"generatorURL"`
	Fingerprint  string            `json:"fingerprint"`
}

// startAlertmanager returns when the process answers. Where the program is missing the test is skipped, unless
// REQUIRE_ALERTMANAGER=1. It groups by the labels given, and waits a second where people would have it wait for minutes.
func startAlertmanager(t *testing.T, groupBy string) *alertmanagerProcess {
	t.Helper()
	bin, err := exec.LookPath("prometheus-alertmanager")
	if err != nil {
		const remedy = "no Alertmanager: apt-get install prometheus-alertmanager"
		if os.Getenv("REQUIRE_ALERTMANAGER") == "1" {
			t.Fatalf("%s (REQUIRE_ALERTMANAGER=1 forbids the skip): %v", remedy, err)
		}
		t.Skipf("%s: %v", remedy, err)
	}
	a := &alertmanagerProcess{}
	receiver := httptest.NewServer(http.HandlerFunc(a.receive))
	t.Cleanup(receiver.Close)
	dir, address := t.TempDir(), freeAddress(t)
	a.url = "http://" + address
	config := filepath.Join(dir, "alertmanager.yml")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `
route: {receiver: test, group_by: [%s], group_wait: 1s, group_interval: 1s, repeat_interval: 1h}
receivers: [{name: test, webhook_configs: [{url: %s, send_resolved: true}]}]
`, groupBy, receiver.URL), 0o600))
	log, err := os.Create(filepath.Join(dir, "alertmanager.log"))
	require.NoError(t, err)
	cmd := exec.Command(bin, "--config.file="+config, "--storage.path="+filepath.Join(dir, "data"), //nolint:noctx // killed in the clean-up
		"--web.listen-address="+address, "--cluster.listen-address=")
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("last lines of Alertmanager:\n%s", tail(text))
		}
	})
	require.Eventually(t, func() bool { return a.get(t.Context(), t, "/-/ready", nil) == nil }, 30*time.Second, 50*time.Millisecond, "Alertmanager answers")
	return a
}

func (a *alertmanagerProcess) receive(w http.ResponseWriter, r *http.Request) {
	var n notification
	if err := json.NewDecoder(r.Body).Decode(&n); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.notifications = append(a.notifications, n)
}

// received returns the notifications so far.
func (a *alertmanagerProcess) received() []notification {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]notification(nil), a.notifications...)
}

// alerts returns the active alerts.
func (a *alertmanagerProcess) alerts(ctx context.Context, t *testing.T) []managedAlert {
	t.Helper()
	var out []managedAlert
	require.NoError(t, a.get(ctx, t, "/api/v2/alerts?active=true", &out))
	return out
}

// groups returns the groups of alerts by their common labels.
func (a *alertmanagerProcess) groups(ctx context.Context, t *testing.T) []notification {
	t.Helper()
	var groups []struct {
		Labels map[string]string `json:"labels"`
		Alerts []managedAlert    `json:"alerts"`
	}
	require.NoError(t, a.get(ctx, t, "/api/v2/alerts/groups", &groups))
	out := make([]notification, 0, len(groups))
	for _, g := range groups {
		out = append(out, notification{GroupLabels: g.Labels, Alerts: g.Alerts})
	}
	return out
}

// get decodes the response of the path into out, unless out is nil.
func (a *alertmanagerProcess) get(ctx context.Context, t *testing.T, path string, out any) error {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, a.url+path, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return err
	case resp.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: status %d: %s", path, resp.StatusCode, text)
	case out == nil:
		return nil
	}
	return json.Unmarshal(text, out)
}
