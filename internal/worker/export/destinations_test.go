package export

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/config"
	"confab/schemas"
)

// TestDestinationsAreBuilt builds every destination that the configuration can name; those that speak HTTP send a flag with
// their credential.
func TestDestinationsAreBuilt(t *testing.T) {
	t.Parallel()
	var sent, private atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent.Add(1)
		if r.Header.Get("Authorization") != "" {
			private.Add(1)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"data": [], "content": []}`))
	}))
	defer server.Close()
	c := config.Default()
	e := &c.Export
	e.Evaluations, e.Logs.URL, e.Traces.URL = true, server.URL, server.URL
	e.Phoenix.URL, e.Phoenix.APIKey = server.URL, "key"
	e.Langfuse.URL, e.Langfuse.PublicKey, e.Langfuse.SecretKey = server.URL, "pk", "sk"
	e.Opik.URL, e.Opik.Project, e.Opik.APIKey = server.URL, "support", "key"
	risk := 0.9
	flag := &schemas.Flag{IncidentID: "i", InteractionID: "a", TraceID: "0af7651916cd43dd8448eb211c80319c", SpanID: "b7ad6b7169203331", Risk: &risk, Signals: []schemas.Signal{{Detector: "grounding", Outcome: schemas.Fired, Score: 0.9}}}
	for _, name := range e.Destinations() {
		to, err := newDestination(name, &Dependencies{Config: c, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err, name)
		if name == config.DestinationEvaluations {
			continue
		}
		before, secret := sent.Load(), private.Load()
		_ = to.send(t.Context(), []*schemas.Flag{flag}) // whether the reply is one of this backend is a test of its own
		require.Greater(t, sent.Load(), before, name)
		if name != config.DestinationLogs && name != config.DestinationTraces {
			require.Greater(t, private.Load(), secret, name)
		}
		to.close()
	}
}
