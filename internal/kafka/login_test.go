package kafka

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// firstMessage is what the client sends first.
func firstMessage(t *testing.T, s SASL, broker string) string {
	t.Helper()
	_, first, err := s.Login().Authenticate(t.Context(), broker)
	require.NoError(t, err)
	return string(first)
}

// The token is read at every login, so a renewed one is used.
func TestTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	s := SASL{Mechanism: "oauthbearer", OAuth: OAuth{TokenFile: file, Extensions: map[string]string{"logicalCluster": "lkc-1", "identityPoolId": "p"}}}
	require.ErrorContains(t, s.checkFiles(), file)
	require.NoError(t, os.WriteFile(file, []byte(" \n"), 0o600))
	require.ErrorContains(t, s.checkFiles(), "is empty")
	for _, token := range []string{"first.token", "second.token"} {
		require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
		require.NoError(t, s.checkFiles())
		require.Equal(t, "n,,\x01auth=Bearer "+token+"\x01identityPoolId=p\x01logicalCluster=lkc-1\x01\x01", firstMessage(t, s, "broker:9092"))
	}
	both := s
	both.OAuth.Fetch = func(context.Context) (string, error) { return "t", nil }
	both.OAuth.TokenFile = ""
	require.Contains(t, firstMessage(t, both, "broker:9092"), "Bearer t\x01")
}

// sign is Signature Version 4 of a presigned kafka-cluster:Connect, as AWS documents it, with an implementation of its own.
func sign(t *testing.T, fields map[string]string, secret string) string {
	t.Helper()
	query := url.Values{"Action": {"kafka-cluster:Connect"}}
	for _, name := range []string{"x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-expires", "x-amz-security-token", "x-amz-signedheaders"} {
		if value := fields[name]; value != "" {
			spelled := map[string]string{
				"x-amz-algorithm": "X-Amz-Algorithm", "x-amz-credential": "X-Amz-Credential", "x-amz-date": "X-Amz-Date",
				"x-amz-expires": "X-Amz-Expires", "x-amz-security-token": "X-Amz-Security-Token", "x-amz-signedheaders": "X-Amz-SignedHeaders",
			}[name]
			query.Set(spelled, value)
		}
	}
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return hex.EncodeToString(sum[:])
	}
	request := "GET\n/\n" + strings.ReplaceAll(query.Encode(), "+", "%20") + "\nhost:" + fields["host"] + "\n\nhost\n" + hash("")
	scope := strings.SplitN(fields["x-amz-credential"], "/", 2)[1]
	key := []byte("AWS4" + secret)
	mac := func(key []byte, text string) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	for part := range strings.SplitSeq(scope, "/") {
		key = mac(key, part)
	}
	return hex.EncodeToString(mac(key, "AWS4-HMAC-SHA256\n"+fields["x-amz-date"]+"\n"+scope+"\n"+hash(request)))
}

func TestAWSSignature(t *testing.T) {
	for _, session := range []string{"", "a session/token+with=signs"} {
		setenv(t, "AWS_ACCESS_KEY_ID", "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "AWS_SESSION_TOKEN", session)
		s := SASL{Mechanism: MechanismAWS}
		require.NoError(t, s.checkFiles())
		const host = "b-1.demo.abc123.c2.kafka.eu-central-1.amazonaws.com"
		var fields map[string]string
		require.NoError(t, json.Unmarshal([]byte(firstMessage(t, s, host+":9098")), &fields))
		require.Equal(t, host, fields["host"])
		require.Equal(t, session, fields["x-amz-security-token"])
		require.Contains(t, fields["x-amz-credential"], "/eu-central-1/kafka-cluster/aws4_request")
		require.Equal(t, sign(t, fields, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"), fields["x-amz-signature"])
		require.NotEqual(t, sign(t, fields, "another"), fields["x-amz-signature"])
	}
}

// setenv sets variables, none of which the machine has.
func setenv(t *testing.T, pairs ...string) {
	t.Helper()
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for pair := range slices.Chunk(pairs, 2) {
		t.Setenv(pair[0], pair[1])
	}
}

// The credentials of a web identity and of Pod Identity are fetched once, and an error names what to check, without a token.
func TestAWSCredentials(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte("web-identity-token"), 0o600))
	asked, status := 0, http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if w.WriteHeader(status); status != http.StatusOK {
			return
		}
		expires := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		if r.Method == http.MethodPost {
			_ = r.ParseForm()
			if r.Form.Get("WebIdentityToken") != "web-identity-token" || r.Form.Get("RoleArn") != "arn:aws:iam::1:role/r" {
				fmt.Fprint(w, "not the token")
				return
			}
			fmt.Fprintf(w, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s1</SecretAccessKey><SessionToken>t1</SessionToken><Expiration>%s</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`, expires)
			return
		}
		fmt.Fprintf(w, `{"AccessKeyId":"ASIA2","SecretAccessKey":"s2","Token":%q,"Expiration":%q}`, r.Header.Get("Authorization"), expires)
	}))
	defer server.Close()
	for want, pairs := range map[string][]string{
		"ASIA1": {"AWS_WEB_IDENTITY_TOKEN_FILE", token, "AWS_ROLE_ARN", "arn:aws:iam::1:role/r", "AWS_REGION", "eu-central-1", "AWS_ENDPOINT_URL_STS", server.URL},
		"ASIA2": {"AWS_CONTAINER_CREDENTIALS_FULL_URI", server.URL, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", token},
	} {
		t.Run(want, func(t *testing.T) {
			setenv(t, append(pairs, "AWS_MAX_ATTEMPTS", "1")...)
			login := (SASL{Mechanism: MechanismAWS}).Login()
			asked, status = 0, http.StatusOK
			for range 3 {
				_, first, err := login.Authenticate(t.Context(), "b-1.demo.abc123.c2.kafka.eu-central-1.amazonaws.com:9098")
				require.NoError(t, err)
				require.Contains(t, string(first), want)
			}
			require.Equal(t, 1, asked, "credentials are kept")
			status = http.StatusForbidden
			_, _, err := (SASL{Mechanism: MechanismAWS}).Login().Authenticate(t.Context(), "broker:9098")
			require.ErrorContains(t, err, "check the role")
			require.NotContains(t, err.Error(), "web-identity-token")
		})
	}
}

func TestAWSWithoutCredentials(t *testing.T) {
	setenv(t, "HOME", t.TempDir())
	_, _, err := (SASL{Mechanism: MechanismAWS}).Login().Authenticate(t.Context(), "broker:9098")
	require.ErrorContains(t, err, "set AWS_ACCESS_KEY_ID")
}
