package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Class says what a failed call means for its caller.
type Class string

// The classes.
const (
	Retryable Class = "retryable" // the server is busy or away, and was so through every retry; later may be better
	Timeout   Class = "timeout"   // no complete reply in time
	Refused   Class = "refused"   // the server will not do this: the address, the model or a parameter is wrong
	TooLarge  Class = "too_large" // the text is longer than the server takes
	Auth      Class = "auth"      // the key or the account is refused: a person must act
	BadReply  Class = "bad_reply" // the server answered with something that is no reply
	Canceled  Class = "canceled"  // the caller has given up
)

// Error is a failed call. It holds words of our own only: no body, prompt, address or key.
type Error struct {
	Op     string // chat, embed or classify
	Class  Class
	Status int // of HTTP; 0 where no reply came
	Detail string

	code  string        // the label of the metric
	wait  time.Duration // what the server asks for
	cause error         // of the caller's context only: every other error quotes something
}

// Error is one line with the remedy, where there is one.
func (e *Error) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("%s: %s: %s", e.Op, e.Class, e.Detail)
	}
	return fmt.Sprintf("%s: %s: %s (HTTP status %d)", e.Op, e.Class, e.Detail, e.Status)
}

// Unwrap is the error of the caller's context where that ended the call.
func (e *Error) Unwrap() error { return e.cause }

// ClassOf is the class of an error of this package, "" of any other.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// shouldRetry says whether the same request may fare better in a moment. A server too slow for a reply is asked once more only:
// it works, and may charge, for every one of them.
func (e *Error) shouldRetry(attempts int) bool {
	return e.cause == nil && (e.Class == Retryable || e.Class == Timeout && attempts == 1)
}

// canceledError is a call that its caller's context has ended.
func canceledError(op string, cause error) *Error {
	e := &Error{Op: op, Class: Canceled, Detail: "the caller has given up", code: "canceled", cause: cause}
	if errors.Is(cause, context.DeadlineExceeded) {
		e.Class, e.Detail, e.code = Timeout, "the caller's time is over", "timeout"
	}
	return e
}

func badReplyError(op, detail string) *Error {
	return &Error{Op: op, Class: BadReply, Detail: detail, code: "bad_reply"}
}

// connectionError explains an attempt that ended below HTTP.
func connectionError(op string, err error) *Error {
	e := &Error{Op: op, Class: Retryable, Detail: "no connection, or it broke; check address, network and proxy", code: "connection"}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		e.Class, e.Detail = Refused, "the server's certificate is not trusted; give its authority under tls"
	}
	return e
}

// statusError explains a reply whose status is no success. Of its body only the names of known causes count.
func statusError(op string, status int, said apiRefusal) *Error {
	e := &Error{Op: op, Class: Refused, Status: status, Detail: "the server refuses the request", code: strconv.Itoa(status)}
	switch {
	case status == http.StatusRequestEntityTooLarge, said.tooLong():
		e.Class, e.Detail = TooLarge, "the text is longer than the server takes"
	case said.quotaExhausted():
		e.Class, e.Detail = Auth, "the account's quota is used up; see the provider's billing page"
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		e.Class, e.Detail = Auth, "the key is not accepted; set a valid one for this endpoint"
	case status == http.StatusNotFound:
		e.Detail = "nothing is served here; check base_url and the model's name"
	case status == http.StatusNotImplemented:
		e.Detail = "the server does not offer this; start it with what is needed, or use another"
	case status == http.StatusTooManyRequests:
		e.Class, e.Detail = Retryable, "too many requests"
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= http.StatusInternalServerError:
		e.Class, e.Detail = Retryable, "the server cannot answer now"
	case status >= 300 && status < 400:
		e.Detail = "the server redirects, which is not followed; set base_url to where it points"
	}
	return e
}

// tooLong recognizes the ways in which servers say that a request does not fit; status codes for it differ.
func (c apiRefusal) tooLong() bool {
	if strings.Contains(c.kind, "context_length") || strings.Contains(c.kind, "context_size") {
		return true
	}
	for _, phrase := range []string{"maximum context length", "context size", "context window", "too large to process", "input is too long"} {
		if strings.Contains(c.message, phrase) {
			return true
		}
	}
	return false
}

// quotaExhausted recognizes a quota that no waiting refills; it comes under status 429 as well.
func (c apiRefusal) quotaExhausted() bool { return strings.Contains(c.kind, "insufficient_quota") }
