package alerting

import (
	"net/http"
	"strings"
	"time"
)

// fault is what the other side does, and what it must become.
type fault struct {
	name string
	do   []http.HandlerFunc
	want outcome
	read *outcome // for sinks that read their replies, where that makes a difference
}

// limited is the outcome of a sink that has had too many messages.
func limited(after time.Duration) outcome {
	return outcome{Retryable, ReasonRateLimited, after, false, 1}
}

func faults(now time.Time) []fault {
	status := func(name string, code int, o outcome, headers ...string) fault {
		return fault{name: name, do: []http.HandlerFunc{answer(code, echo, headers...)}, want: o}
	}
	until := now.Add(90 * time.Second).UTC().Format(http.TimeFormat)
	at := func(d time.Duration) string { return now.Add(d).UTC().Format(http.TimeFormat) }
	unread := &outcome{class: Retryable, reason: ReasonUnknown, ambiguous: true, posts: 1}
	refusal := answer(http.StatusBadRequest, echo)
	return []fault{
		{name: "fine", want: outcome{posts: 1}},
		status("429 with seconds", 429, limited(30*time.Second), "Retry-After", "30"),
		status("429 with a date", 429, limited(90*time.Second), "Retry-After", until, "Date", at(0)),
		status("429 with a date gone by", 429, limited(0), "Retry-After", until, "Date", at(time.Hour)),
		status("429 without", 429, limited(0)),
		status("429 with nonsense", 429, limited(0), "Retry-After", "soon "+echo),
		status("429 with too much", 429, limited(maxRetryAfter), "Retry-After", "99999999"),
		status("429 with more than a number holds", 429, limited(maxRetryAfter), "Retry-After", "99999999999999999999"),
		status("429 with less than nothing", 429, limited(0), "Retry-After", "-5"),
		status("500", 500, outcome{class: Retryable, reason: ReasonServer, ambiguous: true, posts: 1}),
		status("502", 502, outcome{class: Retryable, reason: ReasonServer, ambiguous: true, posts: 1}),
		status("503", 503, outcome{class: Retryable, reason: ReasonServer, ambiguous: true, posts: 1}),
		status("504", 504, outcome{class: Retryable, reason: ReasonServer, ambiguous: true, posts: 1}),
		status("408", 408, outcome{class: Retryable, reason: ReasonTimeout, ambiguous: true, posts: 1}),
		status("401", 401, outcome{class: Operator, reason: ReasonAuth, ambiguous: false, posts: 1}),
		status("403", 403, outcome{class: Operator, reason: ReasonAuth, ambiguous: false, posts: 1}),
		status("404", 404, outcome{class: Operator, reason: ReasonNotFound, ambiguous: false, posts: 1}),
		status("410", 410, outcome{class: Operator, reason: ReasonNotFound, ambiguous: false, posts: 1}),
		status("307 is not followed", 307, outcome{class: Operator, reason: ReasonNotFound, ambiguous: false, posts: 1}, "Location", "/elsewhere"),
		status("400 once, then the minimal form is taken", 400, outcome{posts: 2}),
		status("413 once, then the minimal form is taken", 413, outcome{posts: 2}),
		status("422 once, then the minimal form is taken", 422, outcome{posts: 2}),
		{name: "400 for the minimal form too", do: []http.HandlerFunc{refusal, refusal}, want: outcome{Operator, ReasonRefused, 0, false, 2}},
		{
			name: "500 for the minimal form", do: []http.HandlerFunc{refusal, answer(500, echo)},
			want: outcome{Retryable, ReasonServer, 0, true, 2},
		},
		{name: "reset after accept", do: []http.HandlerFunc{breakOff}, want: outcome{class: Retryable, reason: ReasonConnection, ambiguous: true, posts: 1}},
		{name: "half a reply", do: []http.HandlerFunc{halfReply}, want: outcome{posts: 1}, read: unread},
		{name: "no content", do: []http.HandlerFunc{answer(204, "")}, want: outcome{posts: 1}, read: unread},
		{name: "created", do: []http.HandlerFunc{answer(201, "")}, want: outcome{posts: 1}, read: unread},
		{name: "a page of a proxy", do: []http.HandlerFunc{answer(200, "<html>"+echo)}, want: outcome{posts: 1}, read: unread},
		{name: "10 MB", do: []http.HandlerFunc{answer(200, strings.Repeat("[", 10<<20))}, want: outcome{posts: 1}, read: unread},
	}
}
