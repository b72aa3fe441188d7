package slack

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

// TestSlackCodes checks the errors of all error codes and methods.
func TestSlackCodes(t *testing.T) {
	auth := alerttest.WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonAuth, Ambiguous: false, Posts: 1}
	missing := alerttest.WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonNotFound, Ambiguous: false, Posts: 1}
	gone := alerttest.WantOutcome{Class: alerting.Operator, Reason: alerting.ReasonGone, Ambiguous: false, Posts: 1}
	server := alerttest.WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonServer, Ambiguous: true, Posts: 1}
	unknown := alerttest.WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonUnknown, Ambiguous: true, Posts: 1}
	minimal := alerttest.WantOutcome{Posts: 2}
	for code, want := range map[string]alerttest.WantOutcome{
		"invalid_auth": auth, "not_authed": auth, "account_inactive": auth, "token_revoked": auth, "token_expired": auth,
		"missing_scope": auth, "not_allowed_token_type": auth,
		"channel_not_found": missing, "not_in_channel": missing, "is_archived": missing, "restricted_action": missing,
		"ratelimited": alerttest.RateLimited(0), "rate_limited": alerttest.RateLimited(0), "message_limit_exceeded": alerttest.RateLimited(0),
		"fatal_error": server, "internal_error": server, "service_unavailable": server, "update_failed": server,
		"invalid_blocks": minimal, "invalid_blocks_format": minimal, "msg_blocks_too_long": minimal, "msg_too_long": minimal,
		"no_text": minimal, "metadata_too_large": minimal,
		"message_not_found": gone, "cant_update_message": gone, "edit_window_closed": gone, "thread_not_found": gone,
		"a code of next year": unknown, strings.ToUpper("ratelimited"): unknown,
		"": unknown, // a success for the library
	} {
		for name, do := range map[string]func(context.Context, *Bot) error{
			"notify": func(ctx context.Context, b *Bot) error { _, err := b.Notify(ctx, samples.MinimalAlert()); return err },
			"edit": func(ctx context.Context, b *Bot) error {
				return b.Edit(ctx, samples.MinimalAlert(), alerttest.PostedAt())
			},
		} {
			t.Run(code+"/"+name, func(t *testing.T) {
				s := alerttest.NewFakeServer(t, alerttest.Answer(http.StatusOK, `{"ok":false,"error":"`+code+`"}`))
				want := want
				want.Ambiguous = want.Ambiguous && name != "edit"
				alerttest.RequireOutcome(t, want, schemas.Receipt{}, do(t.Context(), openBot(t, s, s.Options())))
				require.Equal(t, want.Posts, s.Count())
			})
		}
	}
}
