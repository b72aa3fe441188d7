package config

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"confab/internal/httpclient"
	"confab/internal/kafka"
	"confab/internal/redact"
)

// SASL is the login at the brokers. Files are read at each login, so changed secrets need no restart.
type SASL struct {
	// Login mechanism. Empty: no kafka.
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
	// Further parameters of the request, such as audience.
	Params map[string]string `yaml:"params"`
	// PEM file of the authorities that the token server's certificate is checked with. Empty: the system's.
	CAFile string `yaml:"ca_file"`
	// SASL extensions, such as logicalCluster and identityPoolId.
	Extensions map[string]string `yaml:"extensions"`
}

// tokenTimeout bounds a request for a token.
const tokenTimeout = 10 * time.Second

// check reports problems to fail, each at a path below the settings.
func (s *SASL) check(fail func(at, format string, args ...any)) {
	hasUser := s.Username != "" || s.Password != ""
	switch s.Mechanism {
	case "":
		if hasUser || s.OAuth.isSet() {
			fail("", "has credentials but no mechanism: set mechanism to PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER")
		}
		return
	case kafka.MechanismOAuth, kafka.MechanismAWS:
		if hasUser {
			fail(".username", "has no effect with %s: remove username and password", s.Mechanism)
		}
	default:
		s.checkPassword(fail)
	}
	switch {
	case s.Mechanism == kafka.MechanismOAuth:
		s.OAuth.check(fail)
	case s.OAuth.isSet():
		fail(".oauth", "has no effect with %s: set mechanism: OAUTHBEARER, or remove it", s.Mechanism)
	}
}

func (s *SASL) checkPassword(fail func(at, format string, args ...any)) {
	if s.Username == "" {
		fail(".username", "is missing: %s needs it", s.Mechanism)
	} else if s.Password == "" && s.PasswordFile == "" {
		fail(".password", "is missing: set password_file, or password: ${KAFKA_PASSWORD}")
	}
}

func (o *OAuth) isSet() bool {
	return o.TokenFile != "" || o.TokenURL != "" || o.ClientID != "" || o.ClientSecret != ""
}

func (o *OAuth) check(fail func(at, format string, args ...any)) {
	switch {
	case (o.TokenFile == "") == (o.TokenURL == ""):
		fail(".oauth", "needs token_file or token_url, one of both")
	case o.TokenFile != "":
	case o.ClientID == "":
		fail(".oauth.client_id", "is missing: the token server needs it")
	case o.ClientSecret == "" && o.ClientSecretFile == "":
		fail(".oauth.client_secret", "is missing: set client_secret_file, or client_secret: ${CLIENT_SECRET}")
	}
	if _, reserved := o.Extensions["auth"]; reserved {
		fail(".oauth.extensions", "must not have the name auth, which is that of the token")
	}
	for name, value := range o.Extensions {
		if strings.Contains(name+value, "\x01") {
			fail(".oauth.extensions", "%q has the character that separates extensions (U+0001)", name)
		}
	}
}

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

// fetcher returns the function that fetches tokens and keeps the last one until it expires. A faulty CA file is an error of
// every fetch, so that a mended one is read.
func (o *OAuth) fetcher() func(ctx context.Context) (string, error) {
	params := url.Values{}
	for name, value := range o.Params {
		params.Set(name, value)
	}
	settings := httpclient.OAuth2{
		ClientID: o.ClientID, ClientSecret: o.ClientSecret, ClientSecretFile: o.ClientSecretFile, TokenURL: o.TokenURL,
		Scopes: o.Scopes, Params: params,
	}
	base := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one
	transport, err := httpclient.Wrap(httpclient.Options{TLS: httpclient.TLS{CAFile: o.CAFile}}, base)
	var tokens *httpclient.Tokens
	if err == nil {
		tokens, err = httpclient.NewTokens(settings, transport)
	}
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
