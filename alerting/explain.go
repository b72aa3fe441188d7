package alerting

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"
)

const checkConnection = "check the network, the proxy and the name resolution of this host"

// reportLine is the remedy for a message that the sink does not accept.
const reportLine = "the message was not accepted; report it with this line"

// advice is what a sink's operator can do about an HTTP status.
type advice struct {
	auth     string // 401, 403
	missing  string // 404, 410
	refused  string // any other 4xx
	redirect string // 3xx, which is never followed

	// reply explains an error of the sink's client library in e and reports whether it knows it; nil knows none.
	reply func(e *Error, err error) bool
}

// statusError is a reply of a sink that is no Slack.
type statusError struct {
	code  int
	after time.Duration // what a Retry-After asked for
}

// Error is for the library between us and the transport; nobody prints it.
func (statusError) Error() string { return "unexpected status" }

// explain puts a library's error into our own words. It never quotes: a transport's error holds the webhook's URL, and a
// reply may hold anything.
func (a advice) explain(op string, err error) *Error {
	e := &Error{Class: Retryable, Reason: ReasonUnknown, Op: op, Detail: "the reply could not be understood", Ambiguous: true}
	if a.reply != nil && a.reply(e, err) {
		return e
	}
	if status, ok := errors.AsType[statusError](err); ok {
		a.markStatus(e, status.code)
		if e.Class == Retryable {
			e.After = status.after
		}
	} else if wire, ok := errors.AsType[*wireError](err); ok {
		markWire(e, wire)
	} else if errors.Is(err, context.DeadlineExceeded) {
		e.Reason, e.Detail = ReasonTimeout, "the reply did not end in time"
	}
	return e
}

// markRateLimited makes the failure one of too many messages.
func markRateLimited(e *Error, after time.Duration) {
	e.Reason, e.Ambiguous, e.After = ReasonRateLimited, false, after // the transport has bounded it
	e.Detail = "too many messages"
}

// markOperator makes the failure one that a person must end.
func markOperator(e *Error, reason Reason, remedy string) {
	e.Class, e.Reason, e.Remedy, e.Ambiguous = Operator, reason, remedy, false
}

// markStatus explains an HTTP status, the only thing a webhook tells us.
func (a advice) markStatus(e *Error, code int) {
	e.Detail = "HTTP status " + strconv.Itoa(code)
	switch {
	case code == http.StatusTooManyRequests:
		markRateLimited(e, 0)
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		markOperator(e, ReasonAuth, a.auth)
	case code == http.StatusNotFound, code == http.StatusGone:
		markOperator(e, ReasonNotFound, a.missing)
	case code == http.StatusRequestTimeout:
		e.Reason = ReasonTimeout
	case code >= http.StatusInternalServerError:
		e.Reason = ReasonServer
	case code >= http.StatusBadRequest:
		markOperator(e, ReasonRefused, a.refused)
	case code >= http.StatusMultipleChoices:
		markOperator(e, ReasonNotFound, a.redirect)
	}
}

// markWire explains a failure below HTTP.
func markWire(e *Error, w *wireError) {
	e.Reason, e.Ambiguous, e.Remedy = ReasonConnection, w.sent, checkConnection
	var timeout interface{ Timeout() bool }
	var dns *net.DNSError
	switch {
	case errors.As(w.cause, &dns):
		e.Detail = "the host name does not resolve"
	case errors.Is(w.cause, syscall.ECONNREFUSED):
		e.Detail = "the connection was refused"
	case errors.Is(w.cause, context.DeadlineExceeded), errors.As(w.cause, &timeout) && timeout.Timeout():
		e.Reason, e.Detail = ReasonTimeout, "no reply in time"
	case w.sent:
		e.Detail = "the connection broke before the reply"
	default:
		e.Detail = "no connection"
	}
}

// settled says that the failed request may be made again without a second effect, so that nothing is ambiguous.
func settled(err error) error {
	if e, ok := errors.AsType[*Error](err); ok {
		e.Ambiguous = false
	}
	return err
}

// refused reports that the sink will never accept this message as it is.
func refused(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Reason == ReasonRefused
}
