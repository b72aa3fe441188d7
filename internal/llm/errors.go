package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Class is what a failed call means for its caller.
type Class string

// The classes.
const (
	Retryable Class = "retryable" // the server is busy or unreachable after all retries; later calls may succeed
	Timeout   Class = "timeout"   // no complete reply in time
	Refused   Class = "refused"   // the address, the model or a parameter is wrong
	TooLarge  Class = "too_large" // the text exceeds the server's limit
	Auth      Class = "auth"      // the key or the account is refused: an operator must act
	BadReply  Class = "bad_reply" // the reply is invalid
	Canceled  Class = "canceled"  // the caller canceled the call
)

// Error is a failed call. Its text is fixed: no body, prompt, address or key.
type Error struct {
	Op     string // chat, embed or verify
	Class  Class
	Status int // of HTTP; 0 without a reply
	Detail string

	code  string        // metric label
	wait  time.Duration // Retry-After of the server
	cause error         // error of the caller's context; other causes may quote a text
	reply *string       // body of a BadReply; a pointer, so that no verb of fmt prints it
}

// Reply returns the body of a [BadReply], else "". It is untrusted, and only for the terminal of a person.
func (e *Error) Reply() string {
	if e.reply == nil {
		return ""
	}
	return *e.reply
}

// Error returns one line with the remedy, if there is one.
func (e *Error) Error() string {
	if e.Status == 0 {
		return fmt.Sprintf("%s: %s: %s", e.Op, e.Class, e.Detail)
	}
	return fmt.Sprintf("%s: %s: %s (HTTP status %d)", e.Op, e.Class, e.Detail, e.Status)
}

// Unwrap returns the error of the caller's context if that ended the call.
func (e *Error) Unwrap() error { return e.cause }

// ClassOf returns the class of an error of this package, "" of any other.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// shouldRetry reports whether a retry may succeed. A timeout is retried only once: the server works on, and may charge
// for, each attempt.
func (e *Error) shouldRetry(attempts int) bool {
	return e.cause == nil && (e.Class == Retryable || e.Class == Timeout && attempts == 1)
}

// isOfParameters reports a refusal that may be about a parameter.
func (e *Error) isOfParameters() bool {
	return e.Class == Refused && (e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity)
}

// canceledError is the error of a call whose caller's context ended.
func canceledError(op string, cause error) *Error {
	e := &Error{Op: op, Class: Canceled, Detail: "canceled by the caller", code: codeCanceled, cause: cause}
	if errors.Is(cause, context.DeadlineExceeded) {
		e.Class, e.Detail, e.code = Timeout, "the deadline of the caller passed", codeTimeout
	}
	return e
}

func badReplyError(op, detail string) *Error {
	return &Error{Op: op, Class: BadReply, Detail: detail, code: codeBadReply}
}

// connectionError is the error of an attempt that failed below HTTP.
func connectionError(op string, err error) *Error {
	e := &Error{Op: op, Class: Retryable, Detail: "no connection, or it broke; check address, network and proxy", code: codeConnection}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		e.Class, e.Detail = Refused, "the server's certificate is not trusted; give its authority under tls"
	}
	return e
}

// statusError is the error of a reply without a success status. Only names of known causes are taken from its body.
func statusError(op string, status int, said string) *Error {
	e := &Error{Op: op, Class: Refused, Status: status, Detail: "the server refuses the request", code: strconv.Itoa(status)}
	switch {
	case status == http.StatusRequestEntityTooLarge, isTooLong(said):
		e.Class, e.Detail = TooLarge, "the text is longer than the server takes"
	case strings.Contains(said, "insufficient_quota"):
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

// refusalText is the beginning of a refusal's body in lower case. It is matched and never passed on.
func refusalText(body []byte) string {
	return strings.ToLower(string(body[:min(len(body), maxRefusal)]))
}

const maxRefusal = 4096

// isTooLong recognizes requests that exceed the context; servers use different status codes for it.
func isTooLong(said string) bool {
	return slices.ContainsFunc([]string{
		"context_length", "context_size", "maximum context length", "context size", "context window", "too large to process", "input is too long",
	}, func(phrase string) bool { return strings.Contains(said, phrase) })
}
