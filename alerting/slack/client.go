package slack

import (
	"context"
	"net/http"

	"github.com/slack-go/slack"

	"confab/alerting"
	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/schemas"
)

const opReplace = "show a click in Slack"

// NewHTTPClient returns a client for Slack with bounded replies, no redirects, and errors for Explain. The caller sets
// timeouts and rate limits. A nil transport is the default one.
func NewHTTPClient(transport http.RoundTripper) *http.Client {
	return httpsend.New(httpsend.Options{Transport: transport}, slackAdvice("")).HTTP
}

// Explain converts an error of the Slack library over a client of NewHTTPClient. It never quotes.
func Explain(op string, err error) *alerting.Error { return slackAdvice("").Explain(op, err) }

// CheckAPIURL checks a base URL of Slack's Web API, to which tokens will be sent. Errors use name, that of the setting.
func CheckAPIURL(name, url string) error { return httpsend.CheckURL(name, redact.Secret(url)) }

// Replace replaces text and blocks of the message at the receipt, and keeps its metadata. Text and blocks must be escaped,
// as Slack sends them. It tries once and fails as Notify does.
func (b *Bot) Replace(ctx context.Context, at schemas.Receipt, text string, blocks slack.Blocks) error {
	if err := checkReceipt(opReplace, at); err != nil {
		return err
	}
	return httpsend.Unambiguous(b.update(ctx, opReplace, message{text: text, blocks: blocks.BlockSet}, at))
}
