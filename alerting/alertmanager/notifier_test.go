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

func TestAlertmanagerOptionsAreRejected(t *testing.T) {
	const host = "https://am.example"
	for name, tt := range map[string]struct {
		opts Options
		want string
	}{
		"no address":         {Options{}, "is not a URL"},
		"another scheme":     {Options{URL: "ftp://am.example"}, "does not use https"},
		"user in the URL":    {Options{URL: "https://u:" + alerttest.Password + "@am.example"}, "set username and password"},
		"a query":            {Options{URL: host + "/?x=" + alerttest.Password}, "must end with a path"},
		"password in clear":  {Options{URL: "http://am.example", Username: "u", Password: alerttest.Password}, "does not use https"},
		"token in clear":     {Options{URL: "http://am.example", BearerToken: alerttest.Password}, "does not use https"},
		"both credentials":   {Options{URL: host, Username: "u", Password: alerttest.Password, BearerToken: alerttest.Password}, "set one of them"},
		"a name alone":       {Options{URL: host, Username: "u"}, "only one of"},
		"a password alone":   {Options{URL: host, Password: alerttest.Password}, "only one of"},
		"a token with lines": {Options{URL: host, BearerToken: alerttest.Password + "\n"}, "white space"},
		"negative timeout":   {Options{URL: host, Resolve: -1}, "is negative"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(tt.opts)
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "alerting.alertmanager")
			alerttest.RequireNoSecrets(t, err.Error())
		})
	}
	for _, ok := range []Options{
		{URL: "http://alertmanager.monitoring.svc:9093"},
		{URL: host + "/alertmanager/", Username: "u", Password: alerttest.Password},
		{URL: "http://127.0.0.1:9093", BearerToken: alerttest.Password},
	} {
		_, err := New(ok)
		require.NoError(t, err)
	}
}

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
			a, err := New(Options{
				URL: server.URL, BearerToken: redact.Secret(alerttest.Password), Options: httpsend.Options{Transport: &http.Transport{DisableKeepAlives: true}},
			})
			require.NoError(t, err)
			defer a.Close()
			got, err := a.Check(t.Context())
			alerttest.RequireOutcome(t, tt.fails, schemas.Receipt{}, err)
			require.Equal(t, tt.want, got)
			require.Equal(t, "GET /api/v2/status", asked.Method+" "+asked.URL.Path)
			require.Equal(t, "Bearer "+alerttest.Password, asked.Header.Get("Authorization"))
		})
	}
}
