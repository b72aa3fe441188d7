package httpsend

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"confab/alerting"
)

const checkConnection = "check the network, the proxy and the name resolution of this host"

// ReportRemedy is the remedy for a message that the sink rejects.
const ReportRemedy = "the message was not accepted; report it with this line"

// Advice holds the remedies of a sink by HTTP status.
type Advice struct {
	Auth     string // 401, 403
	Missing  string // 404, 410
	Refused  string // any other 4xx
	Redirect string // 3xx, which is never followed

	// Reply explains an error of the sink's client library in e and reports whether it did. It may be nil.
	Reply func(e *alerting.Error, err error) bool
}

// StatusError is a reply with an error status.
type StatusError struct {
	code  int
	after time.Duration // of Retry-After
}

// Error is a placeholder; [Advice.Explain] replaces it.
func (StatusError) Error() string { return "unexpected status" }

// Explain converts the error of a client library. It never quotes: a transport's error holds the webhook's URL, and a
// reply may hold anything.
func (a Advice) Explain(op string, err error) *alerting.Error {
	e := &alerting.Error{Class: alerting.Retryable, Reason: alerting.ReasonUnknown, Op: op, Detail: "the reply could not be understood", Ambiguous: true}
	if a.Reply != nil && a.Reply(e, err) {
		return e
	}
	if status, ok := errors.AsType[StatusError](err); ok {
		a.MarkStatus(e, status.code)
		if e.Class == alerting.Retryable {
			e.After = status.after
		}
	} else if wire, ok := errors.AsType[*transportError](err); ok {
		markTransport(e, wire)
	} else if errors.Is(err, context.DeadlineExceeded) {
		e.Reason, e.Detail = alerting.ReasonTimeout, "the reply did not end in time"
	}
	return e
}

// MarkRateLimited makes e a rate limit, which ends after the delay.
func MarkRateLimited(e *alerting.Error, after time.Duration) {
	e.Reason, e.Ambiguous, e.After = alerting.ReasonRateLimited, false, after // bounded by the transport
	e.Detail = "too many messages"
}

// MarkOperator makes e a failure that a person must end.
func MarkOperator(e *alerting.Error, reason alerting.Reason, remedy string) {
	e.Class, e.Reason, e.Remedy, e.Ambiguous = alerting.Operator, reason, remedy, false
}

// MarkStatus explains an HTTP status in e.
func (a Advice) MarkStatus(e *alerting.Error, code int) {
	e.Detail = "HTTP status " + strconv.Itoa(code)
	switch {
	case code == http.StatusTooManyRequests:
		MarkRateLimited(e, 0)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		MarkOperator(e, alerting.ReasonAuth, a.Auth)
	case code == http.StatusNotFound, code == http.StatusGone:
		MarkOperator(e, alerting.ReasonNotFound, a.Missing)
	case code == http.StatusRequestTimeout:
		e.Reason = alerting.ReasonTimeout
	case code >= http.StatusInternalServerError:
		e.Reason = alerting.ReasonServer
	case code >= http.StatusBadRequest:
		MarkOperator(e, alerting.ReasonRefused, a.Refused)
	case code >= http.StatusMultipleChoices:
		MarkOperator(e, alerting.ReasonNotFound, a.Redirect)
	}
}

// markTransport explains a failure below HTTP.
func markTransport(e *alerting.Error, w *transportError) {
	e.Reason, e.Ambiguous, e.Remedy = alerting.ReasonConnection, w.sent, checkConnection
	var timeout interface{ Timeout() bool }
	var dns *net.DNSError
	switch {
	case errors.As(w.cause, &dns):
		e.Detail = "the host name does not resolve"
	case errors.Is(w.cause, syscall.ECONNREFUSED):
		e.Detail = "the connection was refused"
	case errors.Is(w.cause, context.DeadlineExceeded), errors.As(w.cause, &timeout) && timeout.Timeout():
		e.Reason, e.Detail = alerting.ReasonTimeout, "no reply in time"
	case w.sent:
		e.Detail = "the connection broke before the reply"
	default:
		e.Detail = "no connection"
	}
}

// Unambiguous marks the failure of an idempotent request: repeating it has no second effect.
func Unambiguous(err error) error {
	if e, ok := errors.AsType[*alerting.Error](err); ok {
		e.Ambiguous = false
	}
	return err
}

// IsRefused reports whether the sink rejected the content of the message.
func IsRefused(err error) bool {
	e, ok := errors.AsType[*alerting.Error](err)
	return ok && e.Reason == alerting.ReasonRefused
}
