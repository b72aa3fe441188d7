package interactions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/card"
	slacksink "confab/alerting/slack"
	"confab/internal/redact"
)

const signingSecret = "8f742231b10e8888abcd99yyyzzz85a5"

// noon is the current time of the tests.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func (b *recorder) interactions(t testing.TB) *HTTPHandler {
	t.Helper()
	i, err := NewHTTPHandler(HTTPOptions{
		Handler: b.handler(), Secret: signingSecret, Metrics: b.metrics, Logger: b.logger(),
		Now: func() time.Time { return noon },
	})
	require.NoError(t, err)
	return i
}

// httpCall is a request.
type httpCall struct {
	method, path, body string
	header             http.Header
}

// slackCalls returns a signed request with the payload.
func slackCalls(at time.Time, payload string) httpCall {
	return signedCall(strconv.FormatInt(at.Unix(), 10), "payload="+url.QueryEscape(payload))
}

func signedCall(timestamp, body string) httpCall {
	return httpCall{method: http.MethodPost, path: Path, body: body, header: http.Header{
		"Content-Type": {formType}, headerTime: {timestamp}, headerSignature: {computeSignature(signingSecret, timestamp, []byte(body))},
	}}
}

func (c httpCall) to(t testing.TB, h http.Handler) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), c.method, c.path, strings.NewReader(c.body))
	req.Header = c.header
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

// The example of Slack's documentation on signed requests.
func TestSignatureMatchesSlacksExample(t *testing.T) {
	body := "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&" +
		"channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&" +
		"response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&" +
		"trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
	require.Equal(t, "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503", computeSignature(signingSecret, "1531420618", []byte(body)))
}

func TestSignedClicksAreWritten(t *testing.T) {
	for _, age := range []time.Duration{0, time.Second, maxAge, -maxAge} {
		t.Run(age.String(), func(t *testing.T) {
			b := newRecorder()
			w := slackCalls(noon.Add(-age), newClick(slacksink.ActionConfirm).json()).to(t, b.interactions(t))
			require.Equal(t, http.StatusOK, w.Code)
			require.Empty(t, w.Body.String())
			require.Len(t, b.records, 1)
			require.Len(t, b.edits, 1)
		})
	}
}

// A replayed request within maxAge gives the same record.
func TestReplayedRequestIsTheSameLabel(t *testing.T) {
	for _, action := range []string{slacksink.ActionConfirm, slacksink.ActionFalsePositive, slacksink.ActionSilence} {
		b := newRecorder()
		c := slackCalls(noon, newClick(action).json())
		for range 3 {
			require.Equal(t, http.StatusOK, c.to(t, b.interactions(t)).Code)
		}
		require.Equal(t, []string{b.records[0], b.records[0], b.records[0]}, b.records)
	}
}

func TestOtherRequests(t *testing.T) {
	good := func() httpCall { return slackCalls(noon, newClick(slacksink.ActionConfirm).json()) }
	for name, c := range map[string]struct {
		change func(*httpCall)
		want   int
	}{
		"GET":               {func(c *httpCall) { c.method = http.MethodGet }, http.StatusMethodNotAllowed},
		"PUT":               {func(c *httpCall) { c.method = http.MethodPut }, http.StatusMethodNotAllowed},
		"OPTIONS":           {func(c *httpCall) { c.method = http.MethodOptions }, http.StatusMethodNotAllowed},
		"the root":          {func(c *httpCall) { c.path = "/" }, http.StatusNotFound},
		"below":             {func(c *httpCall) { c.path = Path + "/x" }, http.StatusNotFound},
		"with a slash":      {func(c *httpCall) { c.path = Path + "/" }, http.StatusNotFound},
		"metrics":           {func(c *httpCall) { c.path = "/metrics" }, http.StatusNotFound},
		"JSON":              {func(c *httpCall) { c.header.Set("Content-Type", "application/json") }, http.StatusUnsupportedMediaType},
		"no type":           {func(c *httpCall) { c.header.Del("Content-Type") }, http.StatusUnsupportedMediaType},
		"parts":             {func(c *httpCall) { c.header.Set("Content-Type", "multipart/form-data; boundary=x") }, http.StatusUnsupportedMediaType},
		"a broken type":     {func(c *httpCall) { c.header.Set("Content-Type", "a/b/c; ;") }, http.StatusUnsupportedMediaType},
		"compressed":        {func(c *httpCall) { c.header.Set("Content-Encoding", "gzip") }, http.StatusUnsupportedMediaType},
		"too long":          {func(c *httpCall) { *c = signedCall("1795262400", strings.Repeat("a", maxBody+1)) }, http.StatusRequestEntityTooLarge},
		"type with charset": {func(c *httpCall) { c.header.Set("Content-Type", formType+"; charset=utf-8") }, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			b, sent := newRecorder(), good()
			c.change(&sent)
			w := sent.to(t, b.interactions(t))
			require.Equal(t, c.want, w.Code)
			require.Equal(t, c.want == http.StatusOK, b.count() == 1)
			if c.want == http.StatusMethodNotAllowed {
				require.Equal(t, http.MethodPost, w.Header().Get("Allow"))
			}
		})
	}
	t.Run("too long without Content-Length", func(t *testing.T) {
		b, sent := newRecorder(), signedCall("1795262400", strings.Repeat("a", maxBody+1))
		req := httptest.NewRequestWithContext(t.Context(), sent.method, sent.path, io.MultiReader(strings.NewReader(sent.body)))
		req.Header, req.ContentLength = sent.header, -1
		w := httptest.NewRecorder()
		b.interactions(t).ServeHTTP(w, req)
		require.Equal(t, http.StatusRequestEntityTooLarge, w.Code)
		require.Zero(t, b.count())
	})
}

func TestInvalidSignedRequests(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want int
	}{
		"empty":             {"", http.StatusBadRequest},
		"no payload":        {"a=b", http.StatusBadRequest},
		"empty payload":     {"payload=", http.StatusBadRequest},
		"two payloads":      {"payload=%7B%7D&payload=%7B%7D", http.StatusBadRequest},
		"no JSON":           {"payload=hello", http.StatusBadRequest},
		"a list":            {"payload=%5B%5D", http.StatusBadRequest},
		"broken escape":     {"payload=%zz", http.StatusBadRequest},
		"semicolons":        {"payload=%7B%7D;a=b", http.StatusBadRequest},
		"null":              {"payload=null", http.StatusOK},
		"an object":         {"payload=%7B%7D", http.StatusOK},
		"actions null":      {"payload=" + url.QueryEscape(`{"type":"block_actions","actions":[null]}`), http.StatusOK},
		"actions of words":  {"payload=" + url.QueryEscape(`{"type":"block_actions","actions":["x"]}`), http.StatusBadRequest},
		"a link":            {"payload=" + url.QueryEscape(newClick(card.ActionTrace).json()), http.StatusOK},
		"a foreign value":   {"payload=" + url.QueryEscape(strings.ReplaceAll(newClick(slacksink.ActionConfirm).json(), incident, "x")), http.StatusBadRequest},
		"actions all wrong": {"payload=" + url.QueryEscape(`{"type":"block_actions","actions":[{"block_id":"b","action_id":"confab_confirm"}]}`), http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			b := newRecorder()
			w := signedCall("1795262400", c.body).to(t, b.interactions(t))
			require.Equal(t, c.want, w.Code)
			require.Empty(t, w.Body.String())
			require.Empty(t, b.records)
		})
	}
}

func TestUnwrittenClicksReturn503(t *testing.T) {
	b := newRecorder()
	b.fail = func(context.Context) error { return errors.New("no leader") }
	c := slackCalls(noon, newClick(slacksink.ActionConfirm).json())
	require.Equal(t, http.StatusServiceUnavailable, c.to(t, b.interactions(t)).Code)
	require.Empty(t, b.edits)
	b.fail = nil
	require.Equal(t, http.StatusOK, c.to(t, b.interactions(t)).Code)
	require.Len(t, b.records, 1)
}

// The answer is sent before the message is edited, also on a real connection.
func TestAnswerDoesNotWaitForEdit(t *testing.T) {
	b := newRecorder()
	answered, edited := make(chan struct{}), make(chan struct{})
	b.onEvent = func(what string) {
		if what == "shown" {
			<-answered
			close(edited)
		}
	}
	server := httptest.NewServer(b.interactions(t))
	defer server.Close()
	c := slackCalls(noon, newClick(slacksink.ActionConfirm).json())
	req, err := http.NewRequestWithContext(t.Context(), c.method, server.URL+c.path, strings.NewReader(c.body))
	require.NoError(t, err)
	req.Header = c.header
	resp, err := server.Client().Do(req)
	require.NoError(t, err)
	rest, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Empty(t, rest)
	require.Equal(t, http.StatusOK, resp.StatusCode)
	close(answered)
	<-edited
}

// Slack closes the connection after the answer; the message is still edited.
func TestEditOutlivesRequest(t *testing.T) {
	b := newRecorder()
	ctx, hangUp := context.WithCancel(t.Context())
	b.onEvent = func(string) { hangUp() }
	c := slackCalls(noon, newClick(slacksink.ActionConfirm).json())
	req := httptest.NewRequestWithContext(ctx, c.method, c.path, strings.NewReader(c.body))
	req.Header = c.header
	b.interactions(t).ServeHTTP(httptest.NewRecorder(), req)
	require.Len(t, b.edits, 1)
}

func TestSigningSecretIsChecked(t *testing.T) {
	for _, secret := range []redact.Secret{"", " ", "8f742231b10e8888 abcd", "8f742231b10e8888\n"} {
		_, err := NewHTTPHandler(HTTPOptions{Secret: secret})
		require.ErrorContains(t, err, "signing_secret")
		if len(secret) > 2 {
			requireNoSecrets(t, err.Error(), secret.Reveal())
		}
	}
	b := newRecorder()
	i := b.interactions(t)
	var printed bytes.Buffer
	_, _ = fmt.Fprintf(&printed, "%v %+v %#v", i, i, i)
	signedCall("1", "x").to(t, i)
	requireNoSecrets(t, printed.String()+b.log(), signingSecret)
}
