package slack

import (
	"cmp"
	"errors"

	"github.com/slack-go/slack"

	"confab/alerting"
	"confab/alerting/httpsend"
)

// section is the configuration path of the sink.
const section = "alerting.slack"

const (
	renewToken  = "install the Slack app again"
	addScope    = "give the Slack app the scope chat:write, install it again"
	joinChannel = "invite the Slack app to the channel, or correct the channel; its id (C…) is safer than its name"
	openChannel = "the channel is archived or restricted: restore it, or configure another one"
	postedAgain = "no action needed: a new message follows"
)

// apiError is the meaning of an error code of the Web API.
type apiError struct {
	class  alerting.Class
	reason alerting.Reason
	remedy string
}

// apiErrors returns the meaning of codes of chat.postMessage, chat.update and conversations.history.
func apiErrors(code string) (apiError, bool) {
	switch code {
	case "ratelimited", "rate_limited", "message_limit_exceeded":
		return apiError{class: alerting.Retryable, reason: alerting.ReasonRateLimited}, true
	case "internal_error", "fatal_error", "service_unavailable", "team_added_to_org", "request_timeout", "update_failed":
		return apiError{class: alerting.Retryable, reason: alerting.ReasonServer}, true
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "org_login_required",
		"ekm_access_denied", "enterprise_is_restricted", "team_access_not_granted", "accesslimited":
		return apiError{alerting.Operator, alerting.ReasonAuth, renewToken}, true
	case "missing_scope", "no_permission", "not_allowed_token_type", "invalid_scope":
		return apiError{alerting.Operator, alerting.ReasonAuth, addScope}, true
	case "channel_not_found", "not_in_channel":
		return apiError{alerting.Operator, alerting.ReasonNotFound, joinChannel}, true
	case "is_archived", "restricted_action", "restricted_action_read_only_channel",
		"restricted_action_thread_only_channel", "restricted_action_non_threadable_channel", "posting_to_general_channel_denied":
		return apiError{alerting.Operator, alerting.ReasonNotFound, openChannel}, true
	case "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "no_text", "invalid_arguments",
		"metadata_too_large", "invalid_metadata_format", "invalid_metadata_schema", "metadata_must_be_sent_from_app":
		return apiError{alerting.Operator, alerting.ReasonRefused, httpsend.ReportRemedy}, true
	case "message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found", "cannot_reply_to_message":
		return apiError{alerting.Operator, alerting.ReasonGone, postedAgain}, true
	}
	return apiError{}, false
}

// slackAdvice returns the remedies for a Slack sink. The credential says where the token or URL was configured; it may be empty.
func slackAdvice(credential string) httpsend.Advice {
	renew := "renew the webhook URL or the bot token in Slack and set " + cmp.Or(credential, "it under "+section)
	advice := httpsend.Advice{
		Auth:     renew,
		Missing:  "the webhook or its channel is gone: " + renew,
		Refused:  httpsend.ReportRemedy,
		Redirect: "redirects are not followed: correct the URL under " + section,
	}
	status := advice.MarkStatus
	advice.Reply = func(e *alerting.Error, err error) bool {
		if limited, ok := errors.AsType[*slack.RateLimitedError](err); ok {
			httpsend.MarkRateLimited(e, limited.RetryAfter)
			return true
		}
		if reply, ok := errors.AsType[slack.StatusCodeError](err); ok {
			status(e, reply.Code)
			return true
		}
		if reply, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
			explainCode(e, reply.Err, credential)
			return true
		}
		return false
	}
	return advice
}

// explainCode explains the error code of a reply of the Web API.
func explainCode(e *alerting.Error, code, credential string) {
	known, ok := apiErrors(code)
	if !ok {
		e.Detail = "Slack answered with an unknown error"
		return
	}
	e.Detail = "Slack answered " + code
	switch {
	case known.reason == alerting.ReasonAuth:
		httpsend.MarkOperator(e, known.reason, known.remedy+" and set "+cmp.Or(credential, section+".bot_token"))
	case known.class == alerting.Operator:
		httpsend.MarkOperator(e, known.reason, known.remedy)
	case known.reason == alerting.ReasonRateLimited:
		httpsend.MarkRateLimited(e, 0)
	default:
		e.Reason = known.reason
	}
}
