package worker

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/internal/worker/config"
)

// requestCounter is a server that keeps bodies by path.
type requestCounter struct {
	*httptest.Server
	mu     sync.Mutex
	bodies map[string][]string
}

func newRequestCounter(t *testing.T, status map[string]int) *requestCounter {
	t.Helper()
	c := &requestCounter{bodies: map[string][]string{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bodies[r.URL.Path] = append(c.bodies[r.URL.Path], string(body))
		w.WriteHeader(status[r.URL.Path])
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *requestCounter) at(path string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.bodies[path]...)
}

// TestASinkThatIsDownBlocksNoOther: Slack answers nothing but 500 for the whole test. Two webhooks get every
// alert, each once, and the offsets are committed.
func TestASinkThatIsDownBlocksNoOther(t *testing.T) {
	const alerts = 6
	c := newRequestCounter(t, map[string]int{"/slack": 500, "/hook": 204, "/audit": 200})
	b := newWorkerHarness(t)
	records := b.produceFlagged(alerts)
	a := &b.config.Alerting
	a.Console, a.Slack.WebhookURL, a.By = false, redact.Secret(c.URL+"/slack"), []string{"tenant"}
	a.Receivers = []config.Receiver{
		{Name: "hook", Webhook: config.Webhook{URL: redact.Secret(c.URL + "/hook")}},
		{Name: "audit", Webhook: config.Webhook{URL: redact.Secret(c.URL + "/audit")}},
	}
	a.Interval = time.Second
	require.NoError(t, b.config.Validate())
	stop := b.start()
	counted := func() (n float64) {
		var last struct {
			Data struct {
				Count float64 `json:"count"`
			} `json:"data"`
		}
		for _, body := range c.at("/hook") {
			require.NoError(t, json.Unmarshal([]byte(body), &last))
		}
		return last.Data.Count
	}
	eventually(t, func() bool {
		return b.metric(t, "confab_interactions_total", "role", "alert") == alerts && counted() == alerts &&
			b.metric(t, "confab_alert_pending_incidents", "receiver", "audit") == 0
	}, 30*time.Second, 10*time.Millisecond)
	require.InDelta(t, 1, b.metric(t, "confab_notifications_total", "receiver", "audit", "sink", "signed_webhook"), 0)
	require.InDelta(t, 1, b.metric(t, "confab_notifications_total", "receiver", "hook", "sink", "signed_webhook"), 0)
	require.InDelta(t, alerts, b.metric(t, "confab_alert_pending_incidents", "receiver", "default"), 0)
	require.Positive(t, b.metric(t, "confab_notifications_failed_total", "receiver", "default", "reason", "server_error"))
	require.Zero(t, b.metric(t, "confab_notifications_total", "receiver", "default"))
	require.NotEmpty(t, c.at("/slack"))
	require.NoError(t, stop())

	sent, audited := len(c.at("/hook")), len(c.at("/audit")) // a restart repeats nothing
	b.registry = prometheus.NewRegistry()
	stop = b.start()
	eventually(t, func() bool { return b.metric(t, "confab_alert_pending_incidents", "receiver", "default") == alerts }, 30*time.Second, 10*time.Millisecond)
	require.Len(t, c.at("/hook"), sent)
	require.Len(t, c.at("/audit"), audited)
	require.NoError(t, stop())
	require.Len(t, records, alerts)
}
