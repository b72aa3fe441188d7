package slack

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"confab/alerting/httpsend"
)

const opCheck = "ask Slack who the bot token is"

// Identity is what Slack knows of a bot token.
type Identity struct {
	Team, User string
	Scopes     []string  // nil when Slack does not say
	Clock      time.Time // of Slack's server, to the second; zero when it does not say
}

// Check asks Slack whether the token is valid. Nothing is posted, so whether the app is in its channel stays unknown.
func (b *Bot) Check(ctx context.Context) (Identity, error) {
	var who *slack.AuthTestResponse
	err := b.send.Call(ctx, opCheck, httpsend.Limit{Key: opCheck}, func(ctx context.Context) (err error) {
		who, err = b.api().AuthTestContext(ctx)
		return err
	})
	if err != nil {
		return Identity{}, err
	}
	id := Identity{Team: who.Team, User: who.User}
	for scope := range strings.SplitSeq(who.Header.Get("X-OAuth-Scopes"), ",") {
		if scope = strings.TrimSpace(scope); scope != "" {
			id.Scopes = append(id.Scopes, scope)
		}
	}
	if at, err := http.ParseTime(who.Header.Get("Date")); err == nil {
		id.Clock = at
	}
	return id, nil
}
