package interactions

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/slack-go/slack"
	"golang.org/x/time/rate"

	"confab/internal/redact"
)

// Path is the path of the request URL for interactions.
const Path = "/slack/interactions"

const (
	maxBody     = 1 << 20
	formType    = "application/x-www-form-urlencoded"
	formPayload = "payload"
)

// HTTPOptions configure an HTTPHandler.
type HTTPOptions struct {
	Handler *Handler
	Secret  redact.Secret // the app's signing secret
	Metrics *Metrics
	Logger  *slog.Logger
	Now     func() time.Time // default: time.Now
}

// HTTPHandler serves Slack's signed requests to [Path]. A request that is replayed within five minutes is accepted: it
// gives the same records, and a repeated label changes nothing.
type HTTPHandler struct {
	opts     HTTPOptions
	secret   func() string  // a function, so that printing the value shows no secret
	logLimit rate.Sometimes // for rejected requests, which anyone can send
}

// NewHTTPHandler checks the options.
func NewHTTPHandler(opts HTTPOptions) (*HTTPHandler, error) {
	if s := opts.Secret.Reveal(); s == "" || strings.ContainsAny(s, " \t\r\n") {
		return nil, errors.New("alerting.slack.signing_secret is empty or has white space in it; " +
			"use the signing secret on the Slack app's page Basic Information")
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	secret := opts.Secret.Reveal
	opts.Secret = ""
	return &HTTPHandler{opts: opts, secret: secret, logLimit: rate.Sometimes{Interval: time.Minute}}, nil
}

// ServeHTTP answers one request: 200 when its clicks are durable or there are none, 400 for an invalid signed request,
// 401 for a wrong signature or time, 404, 405, 413 and 415 for other requests, and 503 when the click could not be
// written. Slack shows the user a warning for every status but 200. The message is edited after the answer, before the
// handler returns.
func (i *HTTPHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if status := requestStatus(r); status != http.StatusOK {
		if status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", http.MethodPost)
		}
		w.WriteHeader(status)
		return
	}
	claimed, ok := parseSignedHeaders(r.Header, i.opts.Now())
	if !ok {
		i.reject(w, "its time or signature is missing, malformed, or more than five minutes from this machine's clock")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status := http.StatusBadRequest
		if _, tooLong := errors.AsType[*http.MaxBytesError](err); tooLong {
			status = http.StatusRequestEntityTooLarge
		}
		w.WriteHeader(status)
		return
	}
	if !claimed.matches(i.secret(), body) {
		i.reject(w, "signature does not match: set alerting.slack.signing_secret to that of this Slack app")
		return
	}
	i.serveSigned(w, r, body)
}

// requestStatus returns the error status of a request that is not an interaction, else 200.
func requestStatus(r *http.Request) int {
	switch {
	case r.URL.Path != Path:
		return http.StatusNotFound
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed
	case r.ContentLength > maxBody:
		return http.StatusRequestEntityTooLarge
	}
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != formType || r.Header.Get("Content-Encoding") != "" {
		return http.StatusUnsupportedMediaType
	}
	return http.StatusOK
}

func (i *HTTPHandler) reject(w http.ResponseWriter, why string) {
	i.opts.Metrics.count(unknownAction, outcomeUnauthorized)
	i.logLimit.Do(func() { i.opts.Logger.Warn("rejected Slack request", "reason", why) })
	w.WriteHeader(http.StatusUnauthorized)
}

// serveSigned serves a request with a valid signature.
func (i *HTTPHandler) serveSigned(w http.ResponseWriter, r *http.Request, body []byte) {
	cb, err := parsePayload(body)
	if err != nil {
		i.opts.Metrics.count(unknownAction, outcomeInvalid)
		i.opts.Logger.Warn("decode Slack interaction failed")
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	show, err := i.opts.Handler.Handle(r.Context(), cb)
	switch {
	case errors.Is(err, ErrInvalid):
		w.WriteHeader(http.StatusBadRequest)
		return
	case err != nil:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.Header().Set("Content-Length", "0") // the answer is complete once flushed, before the handler returns
	w.WriteHeader(http.StatusOK)
	if err := http.NewResponseController(w).Flush(); err != nil {
		i.opts.Logger.Debug("flush answer to Slack failed", "error", err)
	}
	show(context.WithoutCancel(r.Context())) // show has its own deadline
}

// parsePayload returns the interaction of a form.
func parsePayload(body []byte) (*slack.InteractionCallback, error) {
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, err
	}
	if len(form[formPayload]) != 1 {
		return nil, errors.New("form does not hold exactly one payload")
	}
	var cb slack.InteractionCallback
	if err := json.Unmarshal([]byte(form.Get(formPayload)), &cb); err != nil {
		return nil, err
	}
	return &cb, nil
}
