package alerting

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/slack-go/slack"

	"confab/internal/redact"
	"confab/schemas"
)

const (
	metadataEvent = "confab_alert" // event_type of our messages' metadata
	metadataID    = "incident_id"
	historyLimit  = 100 // messages searched for an earlier attempt; one page

	opPost    = "post to Slack"
	opHistory = "read the Slack channel's history"

	defaultAPI = "https://slack.com/api/"

	renewToken  = "install the Slack app again and set alerting.slack.bot_token"
	addScope    = "give the Slack app the scope chat:write, install it again and set alerting.slack.bot_token"
	joinChannel = "invite the Slack app to the channel, or correct the channel; its id (C…) is safer than its name"
	openChannel = "the channel is archived or restricted: restore it, or configure another one"
)

// BotOptions configure a Bot.
type BotOptions struct {
	Token redact.Secret
	// Channel for alerts that name none. The id (C…) also lets an earlier attempt be found again after a restart, which a
	// name does not.
	Channel string
	// APIURL overrides Slack's Web API, for tests.
	APIURL string
	SendOptions
}

// Bot tells alerts with a Slack bot token (scope chat:write; with channels:history or groups:history too, an earlier
// attempt whose reply was lost is found instead of repeated).
type Bot struct {
	api     func() *slack.Client // a function, so that printing the value shows no secret
	channel string
	send    *sender

	ids sync.Map // channel as configured → id as Slack answered; only ids have a history
}

// NewBot checks the options; it makes no request.
func NewBot(opts BotOptions) (*Bot, error) {
	if t := opts.Token.Reveal(); t == "" || strings.ContainsAny(t, " \t\r\n") {
		return nil, errors.New("alerting.slack.bot_token is empty or has white space in it; use the token that begins with xoxb")
	}
	if opts.Channel == "" {
		return nil, errors.New("alerting.slack.channel is missing; a bot token needs the channel to post to, best by its id (C…)")
	}
	base := cmp.Or(opts.APIURL, defaultAPI)
	if err := endpoint("alerting.slack.api_url", redact.Secret(base)); err != nil {
		return nil, err
	}
	send := newSender(opts.SendOptions)
	api := slack.New(opts.Token.Reveal(),
		slack.OptionHTTPClient(send.client), slack.OptionAPIURL(strings.TrimSuffix(base, "/")+"/"))
	return &Bot{api: func() *slack.Client { return api }, channel: opts.Channel, send: send}, nil
}

// Notify posts the alert. When it may have been posted before, the channel's recent history is searched for it first; if
// it is there, nothing is posted. A message that Slack cannot show is posted again in its minimal form.
func (b *Bot) Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error) {
	channel := cmp.Or(alert.Channel, b.channel)
	if alert.MayRepeat {
		receipt, err := b.find(ctx, channel, alert.Flag.IncidentID)
		if err != nil || receipt.Timestamp != "" {
			return receipt, err
		}
	}
	full := render(&alert, b.send.look)
	receipt, err := b.post(ctx, channel, alert.Flag.IncidentID, full)
	if refused(err) {
		receipt, err = b.post(ctx, channel, alert.Flag.IncidentID, full.minimal())
	}
	return receipt, err
}

// Close ends idle connections.
func (b *Bot) Close() { b.send.close() }

func (b *Bot) post(ctx context.Context, channel, incident string, m message) (schemas.Receipt, error) {
	opts := []slack.MsgOption{
		slack.MsgOptionText(m.text, false), // escaped already
		slack.MsgOptionDisableMarkdown(),
		slack.MsgOptionDisableLinkUnfurl(),
		slack.MsgOptionDisableMediaUnfurl(),
		slack.MsgOptionMetadata(slack.SlackMetadata{
			EventType: metadataEvent, EventPayload: map[string]any{metadataID: incident},
		}),
	}
	if len(m.blocks) > 0 {
		opts = append(opts, slack.MsgOptionBlocks(m.blocks...))
	}
	var receipt schemas.Receipt
	err := b.send.call(ctx, opPost, channel, func(ctx context.Context) error {
		id, ts, err := b.api().PostMessageContext(ctx, channel, opts...)
		if err == nil && ts == "" { // the library takes a reply without "ok" and without an error for a success
			return errors.New("the reply names no message")
		}
		receipt = schemas.Receipt{Channel: id, Timestamp: ts}
		return err
	})
	if err != nil {
		return schemas.Receipt{}, err
	}
	b.ids.Store(channel, receipt.Channel)
	return receipt, nil
}

// find looks for an earlier message about the incident. A history that cannot be read finds nothing, because a message
// that repeats is better than none; only a rate limit is worth waiting for.
func (b *Bot) find(ctx context.Context, channel, incident string) (schemas.Receipt, error) {
	if id, ok := b.ids.Load(channel); ok {
		channel, _ = id.(string)
	}
	var page *slack.GetConversationHistoryResponse
	err := b.send.call(ctx, opHistory, opHistory+channel, func(ctx context.Context) (err error) {
		page, err = b.api().GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
			ChannelID: channel, Limit: historyLimit, IncludeAllMetadata: true,
		})
		return err
	})
	if e, ok := errors.AsType[*Error](err); ok {
		if e.Reason == ReasonRateLimited {
			return schemas.Receipt{}, e
		}
		return schemas.Receipt{}, nil
	}
	if err != nil {
		return schemas.Receipt{}, err
	}
	for i := range page.Messages {
		m := &page.Messages[i]
		if m.Metadata.EventType == metadataEvent && m.Metadata.EventPayload[metadataID] == incident {
			return schemas.Receipt{Channel: channel, Timestamp: m.Timestamp}, nil
		}
	}
	return schemas.Receipt{}, nil
}

// apiError is what an error code of the Web API means to us.
type apiError struct {
	class  Class
	reason Reason
	remedy string
}

// apiErrors knows the codes of chat.postMessage and conversations.history that we branch on.
func apiErrors(code string) (apiError, bool) {
	switch code {
	case "ratelimited", "rate_limited", "message_limit_exceeded":
		return apiError{class: Retryable, reason: ReasonRateLimited}, true
	case "internal_error", "fatal_error", "service_unavailable", "team_added_to_org", "request_timeout":
		return apiError{class: Retryable, reason: ReasonServer}, true
	case "invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "org_login_required",
		"ekm_access_denied", "enterprise_is_restricted", "team_access_not_granted", "accesslimited":
		return apiError{Operator, ReasonAuth, renewToken}, true
	case "missing_scope", "no_permission", "not_allowed_token_type", "invalid_scope":
		return apiError{Operator, ReasonAuth, addScope}, true
	case "channel_not_found", "not_in_channel":
		return apiError{Operator, ReasonNotFound, joinChannel}, true
	case "is_archived", "restricted_action", "restricted_action_read_only_channel",
		"restricted_action_thread_only_channel", "restricted_action_non_threadable_channel", "posting_to_general_channel_denied":
		return apiError{Operator, ReasonNotFound, openChannel}, true
	case "invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long", "no_text", "invalid_arguments",
		"metadata_too_large", "invalid_metadata_format", "invalid_metadata_schema", "metadata_must_be_sent_from_app":
		return apiError{Operator, ReasonRefused, "the message was not accepted; report it with this line"}, true
	}
	return apiError{}, false
}
