// Package alerting decides which flags become alerts and what an alert says.
//
// It holds the alert policy (thresholds, severity, quiet hours, channels, recommendations), the firing rates of detectors,
// the content of an alert as text, and the interfaces of sinks with their errors. Sinks are packages below it, as is
// dispatch, which turns a stream of repeated, reordered flags into one message per problem.
//
// It imports no sink and no Kafka client, and never sees the text of an interaction: only the redacted excerpts of a flag.
// Text that a producer or a model wrote is untrusted: a card holds it stripped and clamped.
package alerting

import (
	"context"
	"errors"
	"fmt"
	"time"

	"confab/schemas"
)

// Notifier tells one alert to a sink. A nil error means that the sink has accepted the message; every other outcome is
// an [*Error], or the context's error when ctx ended first. A notifier tries once: whoever calls it retries. It is safe
// for concurrent use, keeps no reference to the alert and never puts a secret or an interaction's text into an error.
type Notifier interface {
	Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error)
}

// Editor is a Notifier whose messages can change. Edit shows the alert in place of what the message at the receipt said;
// an edit that is repeated changes nothing, so its failures are never ambiguous. It fails as Notify does.
type Editor interface {
	Edit(ctx context.Context, alert schemas.Alert, at schemas.Receipt) error
}

// Replier is a Notifier that can add what the message has no room for, out of the way. It fails as Notify does.
type Replier interface {
	Reply(ctx context.Context, alert schemas.Alert, at schemas.Receipt) error
}

// Class says who can end a failure.
type Class string

// The classes of a sink's failure.
const (
	Retryable Class = "retryable" // time heals it: try again after the delay
	Operator  Class = "operator"  // a person must change something: try again, slowly
)

// Reason is a bounded name for a failure, fit for a metric label.
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
	ReasonGone        Reason = "gone" // the message to edit or to reply to is no more: tell it anew
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

// Error is a sink's failure in our own words: nothing of the request, the reply or the library's error is kept, because
// a webhook's URL and a bot's token are secrets and a reply may echo the message.
type Error struct {
	Class     Class
	Reason    Reason
	Op        string        // what was attempted, such as "post to the Slack webhook"
	Detail    string        // what happened
	Remedy    string        // what a person can do, "" when nothing
	After     time.Duration // the delay that the sink asked for, 0 for none
	Ambiguous bool          // the sink may have accepted the message all the same
}

// Error describes the failure and, where there is one, its remedy.
func (e *Error) Error() string {
	s := e.Op + ": " + e.Detail
	if e.After > 0 {
		s += fmt.Sprintf(" (asked to wait %s)", e.After)
	}
	if e.Remedy != "" {
		s += "; " + e.Remedy
	}
	return s
}

// AsError reads err as a sink's failure; an error of no known kind is retryable and may have been told.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{
		Class: Retryable, Reason: ReasonUnknown, Op: "notify", Ambiguous: true,
		Detail: "the sink failed in an unknown way",
	}
}
