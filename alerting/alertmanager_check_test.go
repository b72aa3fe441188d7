package alerting

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/schemas"
)

func TestAlertmanagerOptionsAreRefused(t *testing.T) {
	const host = "https://am.example"
	for name, tt := range map[string]struct {
		opts AlertmanagerOptions
		want string
	}{
		"no address":         {AlertmanagerOptions{}, "is no URL"},
		"another scheme":     {AlertmanagerOptions{URL: "ftp://am.example"}, "does not use https"},
		"user in the URL":    {AlertmanagerOptions{URL: "https://u:" + password + "@am.example"}, "set username and password"},
		"a query":            {AlertmanagerOptions{URL: host + "/?x=" + password}, "must end with a path"},
		"password in clear":  {AlertmanagerOptions{URL: "http://am.example", Username: "u", Password: password}, "does not use https"},
		"token in clear":     {AlertmanagerOptions{URL: "http://am.example", BearerToken: password}, "does not use https"},
		"both credentials":   {AlertmanagerOptions{URL: host, Username: "u", Password: password, BearerToken: password}, "set one of them"},
		"a name alone":       {AlertmanagerOptions{URL: host, Username: "u"}, "only one of"},
		"a password alone":   {AlertmanagerOptions{URL: host, Password: password}, "only one of"},
		"a token with lines": {AlertmanagerOptions{URL: host, BearerToken: password + "\n"}, "white space"},
		"no time":            {AlertmanagerOptions{URL: host, Resolve: -1}, "is no time"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewAlertmanager(tt.opts)
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, "alerting.alertmanager")
			secretFree(t, err.Error())
		})
	}
	for _, ok := range []AlertmanagerOptions{
		{URL: "http://alertmanager.monitoring.svc:9093"},
		{URL: host + "/alertmanager/", Username: "u", Password: password},
		{URL: "http://127.0.0.1:9093", BearerToken: password},
	} {
		_, err := NewAlertmanager(ok)
		require.NoError(t, err)
	}
}

func TestAlertmanagerCheck(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
		fails  outcome
	}{
		{"running", answer(http.StatusOK, `{"cluster":{"status":"ready"},"versionInfo":{"version":"0.25.0"}}`), "0.25.0", outcome{}},
		{"a version that is none", answer(http.StatusOK, `{"versionInfo":{"version":"\u001b[31m<!channel>"}}`), "<!channel>", outcome{}},
		{"a proxy's page", answer(http.StatusOK, echo), "", outcome{class: Retryable, reason: ReasonUnknown}},
		{"another server", answer(http.StatusNotFound, echo), "", outcome{class: Operator, reason: ReasonNotFound}},
		{"no access", answer(http.StatusUnauthorized, echo), "", outcome{class: Operator, reason: ReasonAuth}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked *http.Request
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked = r
				tt.answer(w, r)
			}))
			defer server.Close()
			a, err := NewAlertmanager(AlertmanagerOptions{
				URL: server.URL, BearerToken: redact.Secret(password), SendOptions: SendOptions{Transport: &http.Transport{DisableKeepAlives: true}},
			})
			require.NoError(t, err)
			defer a.Close()
			got, err := a.Check(t.Context())
			conforms(t, tt.fails, schemas.Receipt{}, err)
			require.Equal(t, tt.want, got)
			require.Equal(t, "GET /api/v2/status", asked.Method+" "+asked.URL.Path)
			require.Equal(t, "Bearer "+password, asked.Header.Get("Authorization"))
		})
	}
}
