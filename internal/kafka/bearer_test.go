package kafka

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// A broker that refuses a token sends its reason, gets one more message and then says that the login has failed. An empty
// answer is a login.
func TestRefusedToken(t *testing.T) {
	l := SASL{Mechanism: MechanismOAuth, OAuth: OAuth{Fetch: func(context.Context) (string, error) { return "token", nil }}}
	session, first, err := l.Login().Authenticate(t.Context(), "broker:9092")
	require.NoError(t, err)
	require.Equal(t, "n,,\x01auth=Bearer token\x01\x01", string(first))
	done, answer, err := session.Challenge([]byte(`{"status":"invalid_token"}`))
	require.NoError(t, err)
	require.False(t, done)
	require.Equal(t, []byte{1}, answer)
	_, _, err = session.Challenge([]byte("more"))
	require.Error(t, err, "a broker that goes on does not hold the client")
	done, _, err = session.Challenge(nil)
	require.NoError(t, err)
	require.True(t, done)
}

// The source of a credential names settings and files, never a value.
func TestSource(t *testing.T) {
	for want, l := range map[string]SASL{
		"":                               {},
		"kafka.sasl.password":            {Mechanism: "PLAIN", User: "u", Password: "secret"},
		"kafka.sasl.password_file /p":    {Mechanism: "scram-sha-512", User: "u", Password: "secret", PasswordFile: "/p"},
		"kafka.sasl.oauth.token_file /t": {Mechanism: "OAUTHBEARER", OAuth: OAuth{TokenFile: "/t"}},
		"kafka.sasl.oauth.client_secret": {Mechanism: "OAUTHBEARER", OAuth: OAuth{Source: "kafka.sasl.oauth.client_secret"}},
		"the environment, a web identity or the container's endpoint": {Mechanism: "AWS_MSK_IAM"},
	} {
		require.Equal(t, want, l.Source())
	}
}
