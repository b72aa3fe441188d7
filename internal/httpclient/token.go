package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// tokenTransport adds an access token to requests. Prometheus' own transport is not used here: it fetches tokens without a
// deadline and follows redirects, which would send the client secret to another host.
type tokenTransport struct {
	config clientcredentials.Config
	client *http.Client // fetches tokens
	next   http.RoundTripper

	mu    sync.Mutex // held while a token is fetched
	token *oauth2.Token
}

func (o *Options) withToken(next, base http.RoundTripper) (http.RoundTripper, error) {
	u, err := url.Parse(o.OAuth2.TokenURL)
	if err != nil || u.Host == "" || o.OAuth2.ClientID == "" || o.OAuth2.ClientSecret == "" {
		return nil, errors.New("oauth2: token_url with a host, client_id and client_secret are required together")
	}
	return &tokenTransport{
		config: clientcredentials.Config{
			ClientID: o.OAuth2.ClientID, ClientSecret: o.OAuth2.ClientSecret, TokenURL: o.OAuth2.TokenURL, Scopes: o.OAuth2.Scopes,
		},
		client: &http.Client{
			Transport:     base,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		next: next,
	}, nil
}

// RoundTrip implements http.RoundTripper. Fetching a token counts towards the deadline of the request. Its errors quote
// neither the secret nor the reply of the token server.
func (t *tokenTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	token, err := t.fetchToken(req.Context())
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
func (t *tokenTransport) CloseIdleConnections() { t.client.CloseIdleConnections() }

// fetchToken returns the cached token, or a new one when it has expired.
func (t *tokenTransport) fetchToken(ctx context.Context) (*oauth2.Token, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token.Valid() {
		return t.token, nil
	}
	token, err := t.config.Token(context.WithValue(ctx, oauth2.HTTPClient, t.client)) //nolint:forbidigo // the library takes its HTTP client only so
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return nil, fmt.Errorf("fetch OAuth 2.0 token: HTTP status %d: check token_url, client_id and client_secret", refused.Response.StatusCode)
	}
	if err != nil {
		return nil, fmt.Errorf("fetch OAuth 2.0 token: %w", err)
	}
	t.token = token
	return token, nil
}
