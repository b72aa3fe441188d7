package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

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
	code    string
	nothing bool // the response has no text to check, such as a call of a tool
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

// checkAnswer checks each choice of a response, or a stream of events, and returns the strictest verdict. The error is a
// *checkFailure.
func (c *checker) checkAnswer(ctx context.Context, request, response []byte, stream bool) (strictest verdict, err error) {
	choices := [][]byte{response}
	if stream {
		if choices[0], err = json.Marshal(string(response)); err != nil {
			return strictest, &checkFailure{code: "syntax"}
		}
	} else {
		choices = splitChoices(response)
	}
	checked := false
	for _, choice := range choices {
		v, err := c.checkOne(ctx, request, choice)
		if failure, ok := errors.AsType[*checkFailure](err); ok && failure.nothing && len(choices) > 1 {
			continue
		}
		if err != nil {
			return strictest, err
		}
		if !checked || v.rank() > strictest.rank() {
			strictest, checked = v, true
		}
		if v.blocked {
			break
		}
	}
	if !checked {
		return strictest, &checkFailure{code: "missing_answer", nothing: true}
	}
	return strictest, nil
}

// rank orders verdicts by their strictness.
func (v *verdict) rank() int {
	switch {
	case v.blocked:
		return 3
	case v.headers["X-Confab-Checked"] == "false":
		return 2
	}
	return slices.Index([]string{"allow", "block"}, v.headers["X-Confab-Recommendation"])
}

func (c *checker) checkOne(ctx context.Context, request, response []byte) (v verdict, err error) {
	body, err := json.Marshal(map[string]json.RawMessage{"request": request, "response": response})
	if err != nil { // one of them is not JSON
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

// readVerdict returns the verdict of a reply; the error is a refusal to check.
func readVerdict(reply *http.Response, text []byte) (v verdict, err error) {
	v.headers = map[string]string{}
	for name := range reply.Header {
		if strings.HasPrefix(name, "X-Confab-") {
			v.headers[name] = reply.Header.Get(name)
		}
	}
	if reply.StatusCode == http.StatusOK {
		return v, nil
	}
	code := errorCode(text)
	if reply.StatusCode == http.StatusForbidden && code == "blocked_by_policy" {
		v.blocked, v.body = true, text
		return v, nil
	}
	return v, &checkFailure{code: code, nothing: reply.StatusCode == http.StatusBadRequest && (code == "missing_answer" || code == "unmapped")}
}

// errorCode is the code of an error of confab serve.
func errorCode(body []byte) string {
	var reply struct{ Error struct{ Code string } }
	if json.Unmarshal(body, &reply) != nil || reply.Error.Code == "" {
		return "unknown_reply"
	}
	return reply.Error.Code
}

// splitChoices returns a response once for each of its choices, with that one alone.
func splitChoices(response []byte) [][]byte {
	var members map[string]json.RawMessage
	var choices []json.RawMessage
	if json.Unmarshal(response, &members) != nil || json.Unmarshal(members["choices"], &choices) != nil || len(choices) < 2 {
		return [][]byte{response}
	}
	var all [][]byte
	for _, choice := range choices {
		members["choices"] = slices.Concat([]byte("["), choice, []byte("]"))
		one, err := json.Marshal(members)
		if err != nil {
			return [][]byte{response}
		}
		all = append(all, one)
	}
	return all
}
