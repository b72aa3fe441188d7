package llm

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/sashabaranov/go-openai"

	"confab/internal/retry"
)

// apiCall is one thing to ask of the endpoint.
type apiCall struct {
	op    string
	send  func(ctx context.Context, via openai.HTTPDoer) error // makes one request through via
	amend func(body []byte) ([]byte, error)                    // the body as it leaves; nil: as it was built
	read  func(reply []byte) error                             // takes what is wanted out of a reply; an error: it is none
}

// attemptOnce makes one request, when it is its turn, and reads its reply.
func (c *Client) attemptOnce(ctx context.Context, job apiCall) ([]byte, *Error) {
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return nil, canceledError(job.op, err)
	}
	defer c.slots.Release(1)
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	begin := c.now()
	w := &httpAttempt{client: c.http, amend: job.amend, max: c.maxReply}
	err := job.send(limited, w)
	failure := w.outcome(job, err)
	if failure != nil && w.incomplete() {
		if ctx.Err() != nil {
			failure = canceledError(job.op, ctx.Err())
		} else if limited.Err() != nil {
			failure = &Error{Op: job.op, Class: Timeout, Detail: "no complete reply within " + c.timeout.String(), code: "timeout"}
		}
	}
	end := c.now()
	if failure != nil && w.header != nil {
		failure.wait, _ = retry.ParseAfter(w.header.Get("Retry-After"), w.header.Get("Date"), end, maxRetryAfter)
	}
	c.metrics.observe(c.model, failure, end.Sub(begin))
	return w.body, failure
}

// httpAttempt is one attempt as go-openai's HTTP client. It keeps the reply to itself and shows the library an empty success:
// the library's way of reading loses whole replies and quotes them in errors.
type httpAttempt struct {
	client *http.Client
	amend  func([]byte) ([]byte, error)
	max    int64

	sent   bool // false: the request could not even be made
	status int
	header http.Header
	body   []byte
	err    error // while sending, or reading the body
}

var errTooLong = errors.New("longer than allowed")

// Do makes the request and reads all of the reply.
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
	if w.body, w.err = io.ReadAll(io.LimitReader(resp.Body, w.max+1)); w.err == nil && int64(len(w.body)) > w.max {
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

// success says that the server means to give what was asked for.
func (w *httpAttempt) success() bool { return w.status >= 200 && w.status <= 299 }

// incomplete says that neither a refusal nor a complete reply came.
func (w *httpAttempt) incomplete() bool {
	return w.err != nil && !errors.Is(w.err, errTooLong) && (w.status == 0 || w.success())
}

// outcome says what became of the attempt; nil is success. err is what building the request or sending it said.
func (w *httpAttempt) outcome(job apiCall, err error) *Error {
	op := job.op
	switch {
	case !w.sent:
		return &Error{Op: op, Class: Refused, Detail: "the request could not be built; please report it", code: "other"}
	case w.status == 0:
		return connectionError(op, err)
	case !w.success(): // what could be read of a refusal is enough
		return statusError(op, w.status, parseRefusal(w.body))
	case errors.Is(w.err, errTooLong):
		return badReplyError(op, "the reply is longer than allowed; ask for fewer tokens, choices or top_logprobs at a time")
	case w.err != nil:
		return connectionError(op, w.err)
	}
	if job.read(w.body) != nil { // its words may be the server's
		return badReplyError(op, "the reply is not what the API promises; check that base_url leads to such a server")
	}
	return nil
}
