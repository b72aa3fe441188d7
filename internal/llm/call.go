package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"confab/internal/retry"
)

// apiCall is one call of the endpoint.
type apiCall struct {
	op    string
	send  func(ctx context.Context, via openai.HTTPDoer) error // sends one request with via
	amend func(body []byte) ([]byte, error)                    // rewrites the body; nil: unchanged
	read  func(reply []byte) error                             // parses a reply; an error means that it is invalid

	refused func(body []byte) bool // reports that the next request does without what a refusal names; nil: none does
}

const maxRetryAfter = time.Minute

// call makes a call with retries, and returns the number of attempts.
func (c *Client) call(ctx context.Context, job apiCall) (attempts int, failure *Error) {
	for failed := 0; ; {
		attempts++
		var body []byte
		if body, failure = c.attemptOnce(ctx, job); failure == nil {
			return attempts, nil
		}
		if failure.isOfParameters() && job.refused != nil && job.refused(body) {
			continue
		}
		failed++
		if !failure.shouldRetry(failed) || failed > c.retries || !deadlineAllows(ctx, failure.wait) {
			break
		}
		// The jitter is added to Retry-After, so that clients with the same value do not return together.
		if err := retry.Sleep(ctx, failure.wait+retryBackoff().Wait(failed-1, rand.Float64())); err != nil {
			failure = canceledError(job.op, err)
			break
		}
	}
	return attempts, failure
}

func retryBackoff() retry.Backoff { return retry.Backoff{Initial: time.Second, Max: 30 * time.Second} }

// deadlineAllows reports whether a wait ends before the caller's deadline; if not, the error is returned at once.
func deadlineAllows(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

// attemptOnce waits for a slot, sends one request and reads its reply.
func (c *Client) attemptOnce(ctx context.Context, job apiCall) ([]byte, *Error) {
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return nil, canceledError(job.op, err)
	}
	defer c.slots.Release(1)
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	begin := time.Now()
	w := &httpAttempt{client: c.http, amend: job.amend}
	err := job.send(limited, w)
	failure := w.outcome(job, err)
	if failure != nil && w.incomplete() {
		if ctx.Err() != nil {
			failure = canceledError(job.op, ctx.Err())
		} else if limited.Err() != nil {
			failure = &Error{Op: job.op, Class: Timeout, Detail: "no complete reply within " + c.timeout.String(), code: codeTimeout}
		}
	}
	end := time.Now()
	if failure != nil && w.header != nil {
		failure.wait, _ = retry.ParseAfter(w.header.Get("Retry-After"), w.header.Get("Date"), end, maxRetryAfter)
	}
	c.metrics.observe(ctx, c.model, failure, end.Sub(begin))
	return w.body, failure
}

// httpAttempt is one attempt, as go-openai's HTTP client. It keeps the reply and returns an empty success to the library,
// which would lose whole replies and quote them in errors.
type httpAttempt struct {
	client *http.Client
	amend  func([]byte) ([]byte, error)

	sent   bool // false: the request could not be built
	status int
	header http.Header
	body   []byte
	err    error // of sending, or of reading the body
}

var errTooLong = errors.New("longer than allowed")

// Do sends the request and reads the whole reply.
func (w *httpAttempt) Do(req *http.Request) (*http.Response, error) {
	if err := w.amendBody(req); err != nil {
		return nil, err
	}
	w.sent = true
	resp, err := w.client.Do(req)
	if err != nil {
		w.err = err
		return nil, err
	}
	defer resp.Body.Close()
	w.status, w.header = resp.StatusCode, resp.Header
	if w.body, w.err = io.ReadAll(io.LimitReader(resp.Body, maxReply+1)); w.err == nil && len(w.body) > maxReply {
		w.body, w.err = nil, errTooLong
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

func (w *httpAttempt) amendBody(req *http.Request) error {
	if w.amend == nil {
		return nil
	}
	built, err := io.ReadAll(req.Body)
	if err != nil {
		return err
	}
	body, err := w.amend(built)
	if err != nil {
		return err
	}
	req.ContentLength = int64(len(body))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	req.Body, err = req.GetBody()
	return err
}

func (w *httpAttempt) success() bool { return w.status >= 200 && w.status <= 299 }

// incomplete reports that neither a refusal nor a complete reply arrived.
func (w *httpAttempt) incomplete() bool {
	return w.err != nil && !errors.Is(w.err, errTooLong) && (w.status == 0 || w.success())
}

// outcome classifies the attempt; nil is success. err is the error of building or sending the request.
func (w *httpAttempt) outcome(job apiCall, err error) *Error {
	op := job.op
	switch {
	case !w.sent:
		return &Error{Op: op, Class: Refused, Detail: "the request could not be built; please report it", code: codeOther}
	case w.status == 0:
		return connectionError(op, err)
	case !w.success(): // a truncated body of a refusal is enough
		return statusError(op, w.status, refusalText(w.body))
	case errors.Is(w.err, errTooLong):
		return badReplyError(op, "the reply is longer than allowed; ask for fewer tokens, choices or top_logprobs at a time")
	case w.err != nil:
		return connectionError(op, w.err)
	}
	if err := job.read(w.body); err != nil { // the error may quote the server
		detail := "the reply is not what the API promises; check that base_url leads to such a server"
		if errors.Is(err, errVerdict) || errors.Is(err, errLabels) {
			detail = "the reply lacks " + err.Error() + "; check that base_url leads to a server of llm.verifier.kind"
		}
		failure := badReplyError(op, detail)
		failure.reply = new(string(w.body))
		return failure
	}
	return nil
}
