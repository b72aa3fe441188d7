package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"confab/internal/files"
)

// maxSecretBytes bounds a file with a client secret.
const maxSecretBytes = 64 << 10

// Tokens fetches access tokens by client credentials and keeps the last one until it expires. It is safe for concurrent use.
type Tokens struct {
	o      OAuth2
	client *http.Client

	mu    sync.Mutex // held while a token is fetched
	token *oauth2.Token
}

// NewTokens returns the tokens of o, fetched over base. Redirects are not followed: they would send the client secret to
// another host.
func NewTokens(o OAuth2, base http.RoundTripper) (*Tokens, error) {
	u, err := url.Parse(o.TokenURL)
	if err != nil || u.Host == "" || o.ClientID == "" || o.ClientSecret == "" && o.ClientSecretFile == "" {
		return nil, errors.New("oauth2: token_url with a host, client_id and client_secret are required together")
	}
	return &Tokens{o: o, client: &http.Client{
		Transport:     base,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Fetch returns a valid token. Its errors name the source of the secret, and quote neither it nor the reply of the token server.
func (t *Tokens) Fetch(ctx context.Context) (*oauth2.Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token.Valid() {
		return t.token, nil
	}
	secret, source := t.o.ClientSecret.Reveal(), "client_secret"
	if t.o.ClientSecretFile != "" { // it may have changed
		text, err := files.Read(t.o.ClientSecretFile, maxSecretBytes)
		if err != nil {
			return nil, fmt.Errorf("fetch OAuth 2.0 token: client_secret_file: %w", err)
		}
		secret, source = strings.TrimRight(string(text), "\r\n"), "client_secret_file "+t.o.ClientSecretFile
	}
	config := clientcredentials.Config{
		ClientID: t.o.ClientID, ClientSecret: secret, TokenURL: t.o.TokenURL, Scopes: t.o.Scopes,
	}
	token, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, t.client)) //nolint:forbidigo // the library takes its HTTP client only so
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return nil, fmt.Errorf("fetch OAuth 2.0 token: HTTP status %d: check token_url, client_id and %s", refused.Response.StatusCode, source)
	}
	if err != nil {
		return nil, fmt.Errorf("fetch OAuth 2.0 token: %w", err)
	}
	t.token = token
	return token, nil
}

// tokenTransport adds an access token to requests. Prometheus' own transport is not used here: it fetches tokens without a
// deadline and follows redirects.
type tokenTransport struct {
	tokens *Tokens
	next   http.RoundTripper
}

func (o *Options) withToken(next, base http.RoundTripper) (http.RoundTripper, error) {
	tokens, err := NewTokens(o.OAuth2, base)
	if err != nil {
		return nil, err
	}
	return &tokenTransport{tokens, next}, nil
}

// RoundTrip implements http.RoundTripper. Fetching a token counts towards the deadline of the request.
func (t *tokenTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	token, err := t.tokens.Fetch(req.Context())
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as RoundTripper requires
		}
		return nil, err
	}
	authorized := req.Clone(req.Context())
	token.SetAuthHeader(authorized)
	return t.next.RoundTrip(authorized)
}

// CloseIdleConnections is called by http.Client.CloseIdleConnections. Tokens are fetched over the same connections.
func (t *tokenTransport) CloseIdleConnections() { t.tokens.client.CloseIdleConnections() }
