package slack

import (
	"context"
	"errors"
	"net/http"

	"github.com/slack-go/slack"

	"confab/alerting"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

const opReplace = "show a click in Slack"

// NewHTTPClient is the client by which everything of ours speaks to Slack: bounded replies, no redirects, and errors that
// Explain understands. The timeout of an attempt and its pacing are the caller's. A nil transport is the default one.
func NewHTTPClient(transport http.RoundTripper) *http.Client {
	return httpsend.New(httpsend.Options{Transport: transport}, slackAdvice()).HTTP
}

// Explain puts an error of the Slack library, over a client of NewHTTPClient, into our own words. It never quotes.
func Explain(op string, err error) *alerting.Error { return slackAdvice().Explain(op, err) }

// CheckAPIURL checks a base URL of Slack's Web API, to which tokens will be sent; name is that of the setting.
func CheckAPIURL(name, url string) error { return httpsend.CheckURL(name, redact.Secret(url)) }

// Replace shows the blocks, and text as their fallback, in place of those of the message at the receipt; its metadata
// stays. Text and blocks must be as Slack gave them, that is, escaped already. It tries once and fails as Notify does.
func (b *Bot) Replace(ctx context.Context, at schemas.Receipt, text string, blocks slack.Blocks) error {
	if err := checkReceipt(opReplace, at); err != nil {
		return err
	}
	return httpsend.Unambiguous(b.send.Call(ctx, opReplace, httpsend.Limit{Key: opEdit, Interval: editInterval}, func(ctx context.Context) error {
		_, ts, _, err := b.api().UpdateMessageContext(ctx, at.Channel, at.Timestamp,
			messageOptions(message{text: text, blocks: blocks.BlockSet}),
			slack.MsgOptionParse(false)) // unlike a post, an edit parses names and links in the text unless told not to
		if err == nil && ts == "" { // the library takes a reply without "ok" and without an error for a success
			return errors.New("the reply names no message")
		}
		return err
	}))
}
