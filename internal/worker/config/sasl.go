package config

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"confab/internal/httpclient"
	"confab/internal/kafka"
	"confab/internal/redact"
)

// SASL is the login at the brokers. Files are read at each login, so changed secrets need no restart.
type SASL struct {
	// Login mechanism. Empty: no login.
	Mechanism string `yaml:"mechanism" enum:"PLAIN|SCRAM-SHA-256|SCRAM-SHA-512|OAUTHBEARER|AWS_MSK_IAM"`
	// The user to log in as, for PLAIN and SCRAM.
	Username string `yaml:"username"`
	// The password, preferably as ${VAR}.
	Password redact.Secret `yaml:"password"`
	// File that holds the password; read again at each connect.
	PasswordFile string `yaml:"password_file"`
	// The access token of OAUTHBEARER. AWS_MSK_IAM needs no settings: it takes the credentials of the environment, a web identity (IRSA) or Pod Identity.
	OAuth OAuth `yaml:"oauth"`
}

// OAuth is where the access token comes from: a file, or a server that issues it by client credentials.
type OAuth struct {
	// File that holds the token, such as the projected token of a service account. Something else renews it.
	TokenFile string `yaml:"token_file"`
	// Address that issues tokens, instead of token_file.
	TokenURL string `yaml:"token_url"`
	// Id of the client.
	ClientID string `yaml:"client_id"`
	// Secret of the client, preferably as ${VAR}.
	ClientSecret redact.Secret `yaml:"client_secret"`
	// File that holds the secret; read again for each token.
	ClientSecretFile string `yaml:"client_secret_file"`
	// Scopes to request.
	Scopes []string `yaml:"scopes"`
	// SASL extensions, such as logicalCluster and identityPoolId.
	Extensions map[string]string `yaml:"extensions"`
}

// tokenTimeout bounds a request for a token.
const tokenTimeout = 10 * time.Second

// login returns the login of valid settings.
func (s *SASL) login() kafka.SASL {
	l := kafka.SASL{
		Mechanism: s.Mechanism, User: s.Username, Password: s.Password.Reveal(), PasswordFile: s.PasswordFile,
		OAuth: kafka.OAuth{TokenFile: s.OAuth.TokenFile, Extensions: s.OAuth.Extensions},
	}
	if s.OAuth.TokenURL != "" {
		l.OAuth.Fetch, l.OAuth.Source = s.OAuth.fetcher(), "kafka.sasl.oauth.client_secret"
		if s.OAuth.ClientSecretFile != "" {
			l.OAuth.Source = "kafka.sasl.oauth.client_secret_file " + s.OAuth.ClientSecretFile
		}
	}
	return l
}

// fetcher returns the function that fetches tokens and keeps the last one until it expires.
func (o *OAuth) fetcher() func(ctx context.Context) (string, error) {
	settings := httpclient.OAuth2{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, ClientSecretFile: o.ClientSecretFile, TokenURL: o.TokenURL,
		Scopes: o.Scopes,
	}
	base := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	tokens, err := httpclient.NewTokens(settings, base)
	return func(ctx context.Context) (string, error) {
		if err != nil {
			return "", fmt.Errorf("kafka.sasl.oauth: %w", err)
		}
		ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
		defer cancel()
		token, err := tokens.Fetch(ctx)
		if err != nil {
			return "", fmt.Errorf("kafka.sasl.oauth: %w", err)
		}
		if token.AccessToken == "" {
			return "", errors.New("kafka.sasl.oauth: the token server gave no token")
		}
		return token.AccessToken, nil
	}
}
