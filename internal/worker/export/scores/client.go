package scores

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"confab/alerting"
	"confab/alerting/httpsend"
	"confab/internal/worker/export/delivery"
)

const maxReply = 1 << 20

// client makes the requests of a backend.
type client struct {
	url       string
	authorize func(*http.Request) // adds the credential; a function, so that printing the value shows no secret
	send      *httpsend.Sender
}

// request is one request and what its replies mean.
type request struct {
	op     string
	method string
	path   string
	body   any                      // encoded as JSON; nil for none
	read   func([]byte) error       // the body of a reply with a status of success
	absent func(reply []byte) error // the error that a reply of status 404 means; nil or a result of nil: a wrong address
}

func newClient(o *Connection, advice httpsend.Advice, authorize func(*http.Request)) *client {
	interval := o.Interval
	if interval == 0 {
		interval = -1
	}
	return &client{
		url: strings.TrimRight(o.URL, "/"), authorize: authorize,
		send: httpsend.New(httpsend.Options{Timeout: o.Timeout, Interval: interval, Transport: o.Transport}, advice),
	}
}

// call makes one attempt. Its error is a *refusedError, a *partialError or what absent returns; any other is temporary. No
// error quotes the reply.
func (c *client) call(ctx context.Context, r *request) error {
	var raw []byte
	if r.body != nil {
		var err error
		if raw, err = json.Marshal(r.body); err != nil {
			return &refusedError{fmt.Errorf("%s: %w", r.op, err)}
		}
	}
	var status int
	var reply []byte
	err := c.send.Call(ctx, r.op, httpsend.Limit{Key: "requests"}, func(ctx context.Context) (err error) {
		status, reply, err = c.attempt(ctx, r, raw)
		return err
	})
	if err == nil && status == http.StatusMultiStatus {
		return partialOf(reply)
	}
	return explainStatus(err, status, reply, r)
}

// explainStatus sorts the failure of an attempt.
func explainStatus(err error, status int, reply []byte, r *request) error {
	failure, ok := errors.AsType[*alerting.Error](err)
	if !ok {
		return err
	}
	if isRefusal(status) {
		return &refusedError{err}
	}
	if status == http.StatusNotFound && r.absent != nil {
		if missing := r.absent(reply); missing != nil {
			return missing
		}
	}
	if after := failure.After; after > 0 {
		plain := *failure
		plain.After = 0
		return &delivery.RetryAfterError{After: after, Err: &plain}
	}
	return err
}

func (c *client) attempt(ctx context.Context, r *request, body []byte) (status int, reply []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, r.method, c.url+r.path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	req.Header.Set("Accept", "application/json")
	c.authorize(req)
	resp, err := c.send.HTTP.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	if reply, err = io.ReadAll(io.LimitReader(resp.Body, maxReply)); err != nil {
		return 0, nil, err
	}
	switch {
	case resp.StatusCode/100 != http.StatusOK/100:
		return resp.StatusCode, reply, httpsend.StatusOf(resp)
	case resp.StatusCode == http.StatusMultiStatus:
		return resp.StatusCode, reply, notJSON(reply)
	default:
		return resp.StatusCode, reply, r.read(reply)
	}
}

// notJSON is an error for a body that is not JSON.
func notJSON(reply []byte) error {
	if json.Valid(reply) {
		return nil
	}
	return errOtherService
}
