package config

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSASLIsChecked(t *testing.T) {
	t.Parallel()
	oauth := func(o OAuth) SASL { return SASL{Mechanism: "OAUTHBEARER", OAuth: o} }
	for _, tc := range []struct {
		settings SASL
		want     string
	}{
		{SASL{}, ""},
		{SASL{Username: "u"}, " has credentials but no mechanism: set mechanism to PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER"},
		{SASL{Mechanism: "PLAIN"}, ".username is missing: PLAIN needs it"},
		{SASL{Mechanism: "PLAIN", Username: "u"}, ".password is missing: set password_file, or password: ${KAFKA_PASSWORD}"},
		{SASL{Mechanism: "PLAIN", Username: "u", Password: "p", OAuth: OAuth{TokenFile: "f"}}, ".oauth has no effect with PLAIN: set mechanism: OAUTHBEARER, or remove it"},
		{SASL{Mechanism: "AWS_MSK_IAM"}, ""},
		{SASL{Mechanism: "AWS_MSK_IAM", Username: "u"}, ".username has no effect with AWS_MSK_IAM: remove username and password"},
		{oauth(OAuth{}), ".oauth needs token_file or token_url, one of both"},
		{oauth(OAuth{TokenFile: "f"}), ""},
		{oauth(OAuth{TokenFile: "f", TokenURL: "https://x"}), ".oauth needs token_file or token_url, one of both"},
		{oauth(OAuth{TokenURL: "https://x/t"}), ".oauth.client_id is missing: the token server needs it"},
		{oauth(OAuth{TokenURL: "https://x/t", ClientID: "c"}), ".oauth.client_secret is missing: set client_secret_file, or client_secret: ${CLIENT_SECRET}"},
		{oauth(OAuth{TokenFile: "f", Extensions: map[string]string{"auth": "x"}}), ".oauth.extensions must not have the name auth, which is that of the token"},
	} {
		k := &checker{}
		k.sasl(&tc.settings)
		var got []string
		for _, p := range k.problems {
			got = append(got, strings.TrimPrefix(p.Path, "kafka.sasl")+" "+p.Message)
		}
		require.Equal(t, tc.want, strings.Join(got, "; "))
	}
}

// Tokens come from a server, are kept, and a changed secret is read. Errors quote no secret.
func TestTokenServer(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		_ = r.ParseForm()
		id, secret, _ := r.BasicAuth()
		if id != "confab" || secret != "second-secret" || r.Form.Get("scope") != "read write" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, "the secret %q is wrong", secret)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"access_token": "token-1", "token_type": "Bearer", "expires_in": 3600})
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte("first-secret\n"), 0o600))
	s := SASL{Mechanism: "OAUTHBEARER", OAuth: OAuth{
		TokenURL: server.URL, ClientID: "confab", ClientSecretFile: file, Scopes: []string{"read", "write"},
		Extensions: map[string]string{"logicalCluster": "lkc-1"},
	}}
	l := s.login()
	_, _, err := l.Login().Authenticate(t.Context(), "broker:9092")
	require.ErrorContains(t, err, "kafka.sasl.oauth: fetch OAuth 2.0 token: HTTP status 401: check token_url, client_id and client_secret_file "+file)
	require.NotContains(t, err.Error(), "first-secret")
	require.NoError(t, os.WriteFile(file, []byte("second-secret\n"), 0o600))
	asked = 0
	for range 3 {
		_, first, err := l.Login().Authenticate(t.Context(), "broker:9092")
		require.NoError(t, err)
		require.Equal(t, "n,,\x01auth=Bearer token-1\x01logicalCluster=lkc-1\x01\x01", string(first))
	}
	require.LessOrEqual(t, asked, 2, "the token is kept")
	require.NoError(t, os.Remove(file))
	_, _, err = s.login().Login().Authenticate(t.Context(), "broker:9092")
	require.ErrorContains(t, err, file)
}
