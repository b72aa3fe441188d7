package alerttest

import (
	"net/http"
	"strings"
	"time"

	"confab/alerting"
	"confab/alerting/httpsend"
)

// fault is a behavior of the server and its expected outcome.
type fault struct {
	name string
	do   []http.HandlerFunc
	want WantOutcome
	read *WantOutcome // for sinks that read replies, if different
}

func faultCases(now time.Time) []fault {
	status := func(name string, code int, o WantOutcome, headers ...string) fault {
		return fault{name: name, do: []http.HandlerFunc{Answer(code, EchoedSecrets, headers...)}, want: o}
	}
	until := now.Add(90 * time.Second).UTC().Format(http.TimeFormat)
	at := func(d time.Duration) string { return now.Add(d).UTC().Format(http.TimeFormat) }
	unread := &WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonUnknown, Ambiguous: true, Posts: 1}
	refusal := Answer(http.StatusBadRequest, EchoedSecrets)
	return []fault{
		{name: "fine", want: WantOutcome{Posts: 1}},
		status("429 with seconds", 429, RateLimited(30*time.Second), "Retry-After", "30"),
		status("429 with a date", 429, RateLimited(90*time.Second), "Retry-After", until, "Date", at(0)),
		status("429 with a date gone by", 429, RateLimited(0), "Retry-After", until, "Date", at(time.Hour)),
		status("429 without", 429, RateLimited(0)),
		status("429 with nonsense", 429, RateLimited(0), "Retry-After", "soon "+EchoedSecrets),
		status("429 with too much", 429, RateLimited(httpsend.MaxRetryAfter), "Retry-After", "99999999"),
		status("429 with more than a number holds", 429, RateLimited(httpsend.MaxRetryAfter), "Retry-After", "99999999999999999999"),
		status("429 with less than nothing", 429, RateLimited(0), "Retry-After", "-5"),
		status("500", 500, WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonServer, Ambiguous: true, Posts: 1}),
		status("502", 502, WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonServer, Ambiguous: true, Posts: 1}),
		status("503", 503, WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonServer, Ambiguous: true, Posts: 1}),
		status("504", 504, WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonServer, Ambiguous: true, Posts: 1}),
		status("408", 408, WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonTimeout, Ambiguous: true, Posts: 1}),
		status("401", 401, WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonAuth, Ambiguous: false, Posts: 1}),
		status("403", 403, WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonAuth, Ambiguous: false, Posts: 1}),
		status("404", 404, WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonNotFound, Ambiguous: false, Posts: 1}),
		status("410", 410, WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonNotFound, Ambiguous: false, Posts: 1}),
		status("307 is not followed", 307, WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonNotFound, Ambiguous: false, Posts: 1}, "Location", "/elsewhere"),
		status("400 once, then the minimal form is accepted", 400, WantOutcome{Posts: 2}),
		status("413 once, then the minimal form is accepted", 413, WantOutcome{Posts: 2}),
		status("422 once, then the minimal form is accepted", 422, WantOutcome{Posts: 2}),
		{name: "400 for the minimal form too", do: []http.HandlerFunc{refusal, refusal}, want: WantOutcome{alerting.Operator, alerting.ReasonRefused, 0, false, 2}},
		{
			name: "500 for the minimal form", do: []http.HandlerFunc{refusal, Answer(500, EchoedSecrets)},
			want: WantOutcome{alerting.Retryable, alerting.ReasonServer, 0, true, 2},
		},
		{name: "reset after accept", do: []http.HandlerFunc{BreakConnection}, want: WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonConnection, Ambiguous: true, Posts: 1}},
		{name: "half a reply", do: []http.HandlerFunc{TruncatedReply}, want: WantOutcome{Posts: 1}, read: unread},
		{name: "no content", do: []http.HandlerFunc{Answer(204, "")}, want: WantOutcome{Posts: 1}, read: unread},
		{name: "created", do: []http.HandlerFunc{Answer(201, "")}, want: WantOutcome{Posts: 1}, read: unread},
		{name: "a page of a proxy", do: []http.HandlerFunc{Answer(200, "<html>"+EchoedSecrets)}, want: WantOutcome{Posts: 1}, read: unread},
		{name: "10 MB", do: []http.HandlerFunc{Answer(200, strings.Repeat("[", 10<<20))}, want: WantOutcome{Posts: 1}, read: unread},
	}
}
