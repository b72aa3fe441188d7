package alerting

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestSlackCodes: what an error code of Slack's Web API becomes, for everything that a bot does.
func TestSlackCodes(t *testing.T) {
	auth := outcome{class: Operator, reason: ReasonAuth, ambiguous: false, posts: 1}
	missing := outcome{class: Operator, reason: ReasonNotFound, ambiguous: false, posts: 1}
	gone := outcome{class: Operator, reason: ReasonGone, ambiguous: false, posts: 1}
	server := outcome{class: Retryable, reason: ReasonServer, ambiguous: true, posts: 1}
	unknown := outcome{class: Retryable, reason: ReasonUnknown, ambiguous: true, posts: 1}
	minimal := outcome{posts: 2}
	for code, want := range map[string]outcome{
		"invalid_auth": auth, "not_authed": auth, "account_inactive": auth, "token_revoked": auth, "token_expired": auth,
		"missing_scope": auth, "not_allowed_token_type": auth,
		"channel_not_found": missing, "not_in_channel": missing, "is_archived": missing, "restricted_action": missing,
		"ratelimited": limited(0), "rate_limited": limited(0), "message_limit_exceeded": limited(0),
		"fatal_error": server, "internal_error": server, "service_unavailable": server, "update_failed": server,
		"invalid_blocks": minimal, "invalid_blocks_format": minimal, "msg_blocks_too_long": minimal, "msg_too_long": minimal,
		"no_text": minimal, "metadata_too_large": minimal,
		"message_not_found": gone, "cant_update_message": gone, "edit_window_closed": gone, "thread_not_found": gone,
		"a code of next year": unknown, strings.ToUpper("ratelimited"): unknown,
		"": unknown, // the library calls this a success
	} {
		s := newFakeSlack(t)
		bot := sink{name: "bot"}
		for i := range acts(openBot(t, s, s.options()), bot) {
			a := acts(openBot(t, s, s.options()), bot)[i]
			t.Run(code+"/"+a.name, func(t *testing.T) {
				s := newFakeSlack(t, answer(http.StatusOK, `{"ok":false,"error":"`+code+`"}`))
				a, want := acts(openBot(t, s, s.options()), bot)[i], want
				want.ambiguous = want.ambiguous && !a.safe
				conforms(t, want, schemas.Receipt{}, a.do(t.Context(), anAlert()))
				require.Equal(t, want.posts, s.count())
			})
		}
	}
}

func TestConsoleFailures(t *testing.T) {
	for _, n := range []int{0, 5} {
		c := NewConsole(ConsoleOptions{Writer: brokenWriter(n)})
		_, err := c.Notify(t.Context(), anAlert())
		conforms(t, outcome{class: Retryable, reason: ReasonWrite, ambiguous: n > 0}, schemas.Receipt{}, err)
	}
}

// brokenWriter fails after so many bytes.
type brokenWriter int

// Write fails.
func (w brokenWriter) Write([]byte) (int, error) { return int(w), errors.New("broken: " + echo) }
