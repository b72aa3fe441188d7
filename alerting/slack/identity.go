package slack

import (
	"context"
	"strings"

	"github.com/slack-go/slack"

	"confab/alerting/httpsend"
)

const opCheck = "check the Slack bot token"

// Identity describes a bot token.
type Identity struct {
	Team, User string
	Scopes     []string // nil when unknown
}

// Check asks Slack whether the token is valid. It posts nothing, so it does not check access to the channel.
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
	return id, nil
}
