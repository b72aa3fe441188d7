package alertmanager

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

func TestAlertmanagerCheck(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
		fails  alerttest.WantOutcome
	}{
		{"running", alerttest.Answer(http.StatusOK, `{"cluster":{"status":"ready"},"versionInfo":{"version":"0.25.0"}}`), "0.25.0", alerttest.WantOutcome{}},
		{"a hostile version", alerttest.Answer(http.StatusOK, `{"versionInfo":{"version":"\u001b[31m<!channel>"}}`), "<!channel>", alerttest.WantOutcome{}},
		{"a proxy's page", alerttest.Answer(http.StatusOK, alerttest.EchoedSecrets), "", alerttest.WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonUnknown}},
		{"another server", alerttest.Answer(http.StatusNotFound, alerttest.EchoedSecrets), "", alerttest.WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonNotFound}},
		{"no access", alerttest.Answer(http.StatusUnauthorized, alerttest.EchoedSecrets), "", alerttest.WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonAuth}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked *http.Request
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r
				tt.answer(w, r)
			}))
			defer server.Close()
			a := New(Options{
				URL: server.URL, BearerToken: redact.Secret(alerttest.Password), Options: httpsend.Options{Transport: &http.Transport{DisableKeepAlives: true}},
			})
			defer a.Close()
			got, err := a.Check(t.Context())
			alerttest.RequireOutcome(t, tt.fails, schemas.Receipt{}, err)
			require.Equal(t, tt.want, got)
			require.Equal(t, "GET /api/v2/status", asked.Method+" "+asked.URL.Path)
			require.Equal(t, "Bearer "+alerttest.Password, asked.Header.Get("Authorization"))
		})
	}
}
