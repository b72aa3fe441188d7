package slack

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"confab/alerting"
	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

const (
	opPost = "post to Slack"
	opEdit = "edit the Slack message"

	defaultAPI = "https://slack.com/api/"

	// Slack allows 50 edits a minute per method and workspace, so all channels share one limiter.
	editInterval = 1200 * time.Millisecond
)

// BotOptions configure a Bot.
type BotOptions struct {
	Token redact.Secret
	// Channel for alerts without one. Only with an id (C…) can an earlier attempt be found after a restart.
	Channel string
	// APIURL overrides Slack's Web API, for tests.
	APIURL string
	httpsend.Options
	// RenderOptions say what messages show.
	card.RenderOptions
}

// Bot sends alerts with a Slack bot token of scope chat:write. It can edit its messages. With
// the scope channels:history or groups:history it finds an earlier attempt whose reply was lost instead of repeating it.
type Bot struct {
	api     func() *slack.Client // a function, so that printing the value shows no secret
	channel string
	send    *httpsend.Sender
	render  card.RenderOptions

	channelIDs      sync.Map // configured channel → id in the reply; history needs the id
	historyFailures sync.Map // message → failed reads of the channel's history
}

// NewBot checks the options; it makes no request.
func NewBot(opts BotOptions) (*Bot, error) {
	if t := opts.Token.Reveal(); t == "" || strings.ContainsAny(t, " \t\r\n") {
		return nil, errors.New(cmp.Or(opts.Credential, section+".bot_token") + " is empty or has white space in it; use the token that begins with xoxb")
	}
	if opts.Channel == "" {
		return nil, errors.New(section + ".channel is missing; a bot token needs the channel to post to, best by its id (C…)")
	}
	base := cmp.Or(opts.APIURL, defaultAPI)
	if err := httpsend.CheckURL(section+".api_url", redact.Secret(base)); err != nil {
		return nil, err
	}
	send := httpsend.New(opts.Options, slackAdvice(opts.Credential))
	api := slack.New(opts.Token.Reveal(),
		slack.OptionHTTPClient(send.HTTP), slack.OptionAPIURL(strings.TrimSuffix(base, "/")+"/"))
	return &Bot{api: func() *slack.Client { return api }, channel: opts.Channel, send: send, render: opts.RenderOptions}, nil
}

// Notify posts the alert. When it may have been posted before, Notify searches the channel's recent history first and
// posts nothing if it is there. A message that Slack rejects is posted again in its minimal form.
func (b *Bot) Notify(ctx context.Context, alert schemas.Alert) (schemas.Receipt, error) {
	channel := cmp.Or(alert.Channel, b.channel)
	if alert.PossiblyDuplicated {
		receipt, err := b.findEarlier(ctx, channel, &alert)
		if err != nil || receipt.Timestamp != "" {
			return receipt, err
		}
	}
	full := renderAlert(&alert, b.render)
	meta := messageMetadata(&alert)
	receipt, err := b.post(ctx, opPost, channel, messageOptions(full), meta)
	if httpsend.IsRefused(err) {
		receipt, err = b.post(ctx, opPost, channel, messageOptions(full.minimal()), meta)
	}
	return receipt, err
}

// Edit replaces the content of the message at the receipt. A message that does not exist, or cannot be edited any more,
// gives [alerting.ReasonGone].
func (b *Bot) Edit(ctx context.Context, alert schemas.Alert, at schemas.Receipt) error {
	if err := checkReceipt(opEdit, at); err != nil {
		return err
	}
	full := renderAlert(&alert, b.render)
	meta := messageMetadata(&alert)
	err := b.update(ctx, opEdit, full, at, meta)
	if httpsend.IsRefused(err) {
		err = b.update(ctx, opEdit, full.minimal(), at, meta)
	}
	return httpsend.Unambiguous(err)
}

// Close ends idle connections.
func (b *Bot) Close() { b.send.Close() }

// checkReceipt fails for a receipt of another sink.
func checkReceipt(op string, at schemas.Receipt) error {
	if at.Channel != "" && at.Timestamp != "" {
		return nil
	}
	return &alerting.Error{Class: alerting.Operator, Reason: alerting.ReasonGone, Op: op, Detail: "the message was sent by another sink", Remedy: postedAgain}
}

// messageOptions returns the message without links, mentions and previews.
func messageOptions(m message) slack.MsgOption {
	opts := []slack.MsgOption{
		slack.MsgOptionText(m.text, false), // escaped already
		slack.MsgOptionDisableMarkdown(),
		slack.MsgOptionDisableLinkUnfurl(),
		slack.MsgOptionDisableMediaUnfurl(),
	}
	if len(m.blocks) > 0 {
		opts = append(opts, slack.MsgOptionBlocks(m.blocks...))
	}
	return slack.MsgOptionCompose(opts...)
}

func (b *Bot) post(ctx context.Context, op, channel string, opts ...slack.MsgOption) (schemas.Receipt, error) {
	var receipt schemas.Receipt
	err := b.send.Call(ctx, op, httpsend.Limit{Key: channel}, func(ctx context.Context) error {
		id, ts, err := b.api().PostMessageContext(ctx, channel, opts...)
		if err == nil && ts == "" { // the library takes a reply without "ok" and "error" for a success
			return errors.New("the reply names no message")
		}
		receipt = schemas.Receipt{Channel: id, Timestamp: ts}
		return err
	})
	if err != nil {
		return schemas.Receipt{}, err
	}
	b.channelIDs.Store(channel, receipt.Channel)
	b.send.ShareLimit(channel, receipt.Channel)
	return receipt, nil
}

// update replaces the content of the message at the receipt; opts may add metadata.
func (b *Bot) update(ctx context.Context, op string, m message, at schemas.Receipt, opts ...slack.MsgOption) error {
	opts = append(opts, messageOptions(m), slack.MsgOptionParse(false)) // by default, an edit parses names and links in the text
	if len(m.blocks) == 0 {
		opts = append(opts, slack.MsgOptionBlocks()) // without it Slack keeps the old blocks
	}
	return b.send.Call(ctx, op, httpsend.Limit{Key: opEdit, Interval: editInterval}, func(ctx context.Context) error {
		_, ts, _, err := b.api().UpdateMessageContext(ctx, at.Channel, at.Timestamp, opts...)
		if err == nil && ts == "" {
			return errors.New("the reply names no message")
		}
		return err
	})
}
