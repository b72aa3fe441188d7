package doctor

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/console"
	"confab/internal/worker/config"
)

func TestDestinations(t *testing.T) {
	require.Empty(t, Destinations(t.Context(), config.Default()))
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(s.Close)
	c := config.Default()
	c.Export.Evaluations, c.Export.Traces.URL = true, s.URL
	got := Destinations(t.Context(), c)
	require.Len(t, got, 2)
	require.Equal(t, console.Finding{
		Check: "export", Subject: "traces", State: console.OK, Detail: "results are sent there by the consumer group confab-export-traces",
	}, got[1])

	status = http.StatusMethodNotAllowed
	got = Destinations(t.Context(), c)
	require.Equal(t, console.OK, got[0].State)
	require.Equal(t, console.Problem, got[1].State)
	require.Contains(t, got[1].Detail, "HTTP status 405: set export.traces.url")
	require.Contains(t, got[1].Remedy, "correct export.traces")

	c.Export.CAFile = "/does/not/exist"
	require.Equal(t, console.Problem, Destinations(t.Context(), c)[1].State)
	require.Equal(t, config.ExportRole("traces"), c.Members(config.RoleExport)[1])
}
