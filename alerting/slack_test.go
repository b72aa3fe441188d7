package alerting

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// outcome is what a fault must become.
type outcome struct {
	class     Class // "" for success
	reason    Reason
	after     time.Duration
	ambiguous bool
	posts     int
}

var errNone = outcome{posts: 1}

func faults(now time.Time) []struct {
	name         string
	do           []http.HandlerFunc
	short        bool // with a short timeout
	webhook, bot outcome
} {
	date := now.Add(90 * time.Second).UTC().Format(http.TimeFormat)
	api := func(code string) []http.HandlerFunc {
		return []http.HandlerFunc{answer(http.StatusOK, `{"ok":false,"error":"`+code+`"}`)}
	}
	limited := func(after time.Duration) outcome { return outcome{Retryable, ReasonRateLimited, after, false, 1} }
	same := func(o outcome) [2]outcome { return [2]outcome{o, o} }
	type row = struct {
		name         string
		do           []http.HandlerFunc
		short        bool
		webhook, bot outcome
	}
	var rows []row
	http1 := func(name string, status int, o outcome, headers ...string) {
		both := same(o)
		rows = append(rows, row{name, []http.HandlerFunc{answer(status, echo, headers...)}, false, both[0], both[1]})
	}
	http1("429 with seconds", 429, limited(30*time.Second), "Retry-After", "30")
	http1("429 with a date", 429, limited(90*time.Second), "Retry-After", date, "Date", now.UTC().Format(http.TimeFormat))
	http1("429 with a date gone by", 429, limited(0), "Retry-After", date, "Date", now.Add(time.Hour).UTC().Format(http.TimeFormat))
	http1("429 without", 429, limited(0))
	http1("429 with nonsense", 429, limited(0), "Retry-After", "soon "+echo)
	http1("429 with too much", 429, limited(maxRetryAfter), "Retry-After", "99999999")
	http1("429 with more than a number holds", 429, limited(0), "Retry-After", "99999999999999999999")
	http1("429 with less than nothing", 429, limited(0), "Retry-After", "-5")
	http1("500", 500, outcome{Retryable, ReasonServer, 0, true, 1})
	http1("503", 503, outcome{Retryable, ReasonServer, 0, true, 1})
	http1("408", 408, outcome{Retryable, ReasonTimeout, 0, true, 1})
	http1("401", 401, outcome{Operator, ReasonAuth, 0, false, 1})
	http1("403", 403, outcome{Operator, ReasonAuth, 0, false, 1})
	http1("404", 404, outcome{Operator, ReasonNotFound, 0, false, 1})
	http1("410", 410, outcome{Operator, ReasonNotFound, 0, false, 1})
	http1("307 is not followed", 307, outcome{Operator, ReasonNotFound, 0, false, 1}, "Location", "/elsewhere")
	http1("400 once, then the minimal form is taken", 400, outcome{posts: 2})
	rows = append(rows,
		row{"fine", nil, false, errNone, errNone},
		row{
			"400 for the minimal form too",
			[]http.HandlerFunc{answer(400, echo), answer(400, echo)},
			false,
			outcome{Operator, ReasonRefused, 0, false, 2},
			outcome{Operator, ReasonRefused, 0, false, 2},
		},
		row{"hang", []http.HandlerFunc{hang}, true, outcome{Retryable, ReasonTimeout, 0, true, 1}, outcome{Retryable, ReasonTimeout, 0, true, 1}},
		row{
			"reset after accept",
			[]http.HandlerFunc{breakOff},
			false,
			outcome{Retryable, ReasonConnection, 0, true, 1},
			outcome{Retryable, ReasonConnection, 0, true, 1},
		},
		row{"half a reply", []http.HandlerFunc{halfReply}, false, errNone, outcome{Retryable, ReasonUnknown, 0, true, 1}},
		row{"no content", []http.HandlerFunc{answer(204, "")}, false, errNone, outcome{Retryable, ReasonUnknown, 0, true, 1}},
	)
	for _, c := range []struct {
		code string
		want outcome
	}{
		{"invalid_auth", outcome{Operator, ReasonAuth, 0, false, 1}},
		{"token_revoked", outcome{Operator, ReasonAuth, 0, false, 1}},
		{"missing_scope", outcome{Operator, ReasonAuth, 0, false, 1}},
		{"channel_not_found", outcome{Operator, ReasonNotFound, 0, false, 1}},
		{"is_archived", outcome{Operator, ReasonNotFound, 0, false, 1}},
		{"ratelimited", limited(0)},
		{"fatal_error", outcome{Retryable, ReasonServer, 0, true, 1}},
		{"invalid_blocks", outcome{posts: 2}},
		{"msg_blocks_too_long", outcome{posts: 2}},
		{"a code of next year", outcome{Retryable, ReasonUnknown, 0, true, 1}},
		{"", outcome{Retryable, ReasonUnknown, 0, true, 1}}, // the library calls this a success
	} {
		rows = append(rows, row{"reply " + c.code, api(c.code), false, errNone, c.want})
	}
	return rows
}

// TestNotifierConformance holds every way of telling against one table: what a fault of the other side becomes.
func TestNotifierConformance(t *testing.T) {
	for _, tt := range faults(time.Now()) {
		for _, sink := range []string{"webhook", "bot"} {
			t.Run(tt.name+"/"+sink, func(t *testing.T) {
				t.Parallel()
				s := newFakeSlack(t, tt.do...)
				opts := s.options()
				if tt.short {
					opts.Timeout = 500 * time.Millisecond // the connection must be up by then
				}
				n, want := Notifier(s.webhook(t, opts)), tt.webhook
				if sink == "bot" {
					n, want = s.bot(t, opts), tt.bot
				}
				receipt, err := n.Notify(t.Context(), schemas.Alert{Flag: sample()})
				conforms(t, want, receipt, err)
				require.Equal(t, want.posts, s.count())
			})
		}
	}
	t.Run("console", func(t *testing.T) {
		var out strings.Builder
		receipt, err := NewConsole(ConsoleOptions{Writer: &out}).Notify(t.Context(), schemas.Alert{Flag: sample()})
		conforms(t, outcome{}, receipt, err)
		require.NotEmpty(t, out.String())
		for _, n := range []int{0, 5} {
			_, err = NewConsole(ConsoleOptions{Writer: brokenWriter(n)}).Notify(t.Context(), schemas.Alert{Flag: sample()})
			conforms(t, outcome{class: Retryable, reason: ReasonWrite, ambiguous: n > 0}, schemas.Receipt{}, err)
		}
	})
}

func conforms(t *testing.T, want outcome, receipt schemas.Receipt, err error) {
	t.Helper()
	if want.class == "" {
		require.NoError(t, err)
		return
	}
	require.Zero(t, receipt)
	e, ok := errors.AsType[*Error](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, want.class, e.Class, "%v", e)
	require.Equal(t, want.reason, e.Reason, "%v", e)
	require.Equal(t, want.after, e.After, "%v", e)
	require.Equal(t, want.ambiguous, e.Ambiguous, "%v", e)
	require.Contains(t, Reasons(), e.Reason)
	if e.Class == Operator {
		require.NotEmpty(t, e.Remedy, "an error for people names the remedy")
	}
	secretFree(t, fmt.Sprintf("%v %+v %#v", err, err, err))
}

type brokenWriter int

func (w brokenWriter) Write([]byte) (int, error) { return int(w), errors.New("broken: " + echo) }

// secretFree fails when s shows a secret or a part of the message.
func secretFree(t *testing.T, s string) {
	t.Helper()
	for _, secret := range []string{"hook-secret", "T000", token, "token-secret", "echoes", "bridge", "1937"} {
		require.NotContains(t, s, secret)
	}
}
