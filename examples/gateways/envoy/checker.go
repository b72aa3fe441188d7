package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// checkedHeader is in every reply to a check: full, partial or none.
const checkedHeader = "X-Confab-Checked"

// maxReply limits what is read of a reply of confab serve.
const maxReply = 16 << 20

// verdict is the reply of confab serve to an answer.
type verdict struct {
	blocked bool
	headers map[string]string // X-Confab-…
	body    []byte            // the error of a blocked answer
}

// checkFailure is the reason why an answer was not checked.
type checkFailure struct {
	code   string
	status int    // above 0: confab serve refuses the answer or the request, whatever -on-failure says
	body   []byte // its error
}

// Error implements error.
func (f *checkFailure) Error() string { return "the answer was not checked: " + f.code }

// checker asks confab serve.
type checker struct {
	client  http.Client
	url     string
	headers http.Header
}

func newChecker(s settings, token string) (*checker, error) {
	base, err := url.Parse(s.confab)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, fmt.Errorf("-confab is %q: set a URL such as http://localhost:9470", s.confab)
	}
	c := &checker{url: base.JoinPath("v1/check/chat").String(), headers: http.Header{"Content-Type": {"application/json"}}}
	c.client = http.Client{Timeout: s.timeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if token != "" {
		c.headers.Set("Authorization", "Bearer "+token)
	}
	if s.tenant != "" {
		c.headers.Set("X-Confab-Tenant", s.tenant)
	}
	return c, nil
}

// checkAnswer asks for the verdict on a response, or on a stream of events. The error is a *checkFailure.
func (c *checker) checkAnswer(ctx context.Context, request, response []byte, stream bool) (v verdict, err error) {
	answer := json.RawMessage(response)
	if stream {
		if answer, err = json.Marshal(string(response)); err != nil {
			return v, &checkFailure{code: "syntax"}
		}
	}
	body, err := json.Marshal(map[string]json.RawMessage{"request": request, "response": answer})
	if err != nil { // the response is not JSON
		return v, &checkFailure{code: "syntax"}
	}
	call, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return v, &checkFailure{code: "internal"}
	}
	call.Header = c.headers
	reply, err := c.client.Do(call)
	if err != nil {
		return v, &checkFailure{code: "unreachable"}
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxReply+1))
	if err != nil || len(text) > maxReply {
		return v, &checkFailure{code: "unreachable"}
	}
	return readVerdict(reply, text)
}

// readVerdict returns the verdict of a reply. A refusal of the request, and of an answer that was not measured, is final; other
// failures follow -on-failure.
func readVerdict(reply *http.Response, text []byte) (v verdict, err error) {
	v.headers = map[string]string{}
	for name := range reply.Header {
		if strings.HasPrefix(name, "X-Confab-") {
			v.headers[name] = reply.Header.Get(name)
		}
	}
	code := errorCode(text)
	switch {
	case reply.StatusCode == http.StatusOK && v.headers[checkedHeader] != "":
		return v, nil
	case code == "unknown_reply":
		return v, &checkFailure{code: code}
	case reply.StatusCode == http.StatusForbidden && code == "blocked_by_policy":
		v.blocked, v.body = true, text
		return v, nil
	case reply.StatusCode < http.StatusInternalServerError || v.headers[checkedHeader] != "":
		return v, &checkFailure{code: code, status: reply.StatusCode, body: text}
	}
	return v, &checkFailure{code: code}
}

// errorCode is the code of an error of confab serve.
func errorCode(body []byte) string {
	var reply struct{ Error struct{ Code string } }
	if json.Unmarshal(body, &reply) != nil || reply.Error.Code == "" {
		return "unknown_reply"
	}
	return reply.Error.Code
}
