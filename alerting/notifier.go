// Package alerting decides which flags become alerts.
//
// It holds the alert policy (thresholds, severity, channels, recommendations) and the interfaces of sinks with their errors.
// Sinks, the content of alerts (card) and dispatch, which groups flags into messages, are packages below it. It imports no
// sink and no Kafka client.
package alerting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"confab/schemas"
)

// Notifier sends one alert to a sink. A nil error means that the sink has accepted the message; every other outcome is
// an [*Error], or the context's error when ctx ended first. A notifier tries once: the caller retries. It is safe
// for concurrent use, keeps no reference to the alert and never puts a secret or an interaction's text into an error.
type Notifier interface {
	Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error)
}

// Editor is a Notifier whose messages can change. Edit replaces the content of the message at the receipt. It is
// idempotent, so its failures are never ambiguous. It fails as Notify does.
type Editor interface {
	Edit(ctx context.Context, alert schemas.Alert, at schemas.Receipt) error
}

// Class says whether a failure can end without a person.
type Class string

// The classes of a sink's failure.
const (
	Retryable Class = "retryable" // retry after the delay
	Operator  Class = "operator"  // a person must change something; retry slowly
)

// Reason is the cause of a failure, one of few values: it is a metric label.
type Reason string

// The reasons for which a sink fails.
const (
	ReasonRateLimited Reason = "rate_limited"
	ReasonTimeout     Reason = "timeout"
	ReasonConnection  Reason = "connection"
	ReasonServer      Reason = "server_error"
	ReasonAuth        Reason = "auth"
	ReasonNotFound    Reason = "not_found"
	ReasonRefused     Reason = "refused"
	ReasonGone        Reason = "gone" // the message to edit or to reply to does not exist any more
	ReasonWrite       Reason = "write"
	ReasonUnknown     Reason = "unknown"
)

// Reasons lists every reason.
func Reasons() []Reason {
	return []Reason{
		ReasonRateLimited, ReasonTimeout, ReasonConnection, ReasonServer, ReasonAuth,
		ReasonNotFound, ReasonRefused, ReasonGone, ReasonWrite, ReasonUnknown,
	}
}

// Error is the failure of a sink. It holds nothing of the request, the reply or the library's error, because a webhook's
// URL and a bot's token are secrets and a reply may echo the message.
type Error struct {
	Class     Class
	Reason    Reason
	Op        string        // what was attempted, such as "post to the Slack webhook"
	Detail    string        // what happened
	Remedy    string        // what a person can do, "" for nothing
	After     time.Duration // the delay that the sink requested, 0 for none
	Ambiguous bool          // the sink may have accepted the message all the same
}

// Error describes the failure and, where there is one, its remedy.
func (e *Error) Error() string {
	s := e.Op + ": " + e.Detail
	if e.After > 0 {
		s += fmt.Sprintf(" (retry after %s)", e.After)
	}
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// AsError returns err as an Error. An unknown error is retryable, and the sink may have accepted the message.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{
		Class: Retryable, Reason: ReasonUnknown, Op: "notify", Ambiguous: true,
		Detail: "the sink failed in an unknown way",
	}
}
