package slack

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/slack-go/slack"

	"confab/alerting/card"
	"confab/alerting/httpsend"
)

const (
	opName = "look up a Slack user"

	maxNames     = 1_000 // users remembered
	maxUserName  = 40
	nameTimeout  = 2 * time.Second // of all lookups of one message
	nameInterval = 600 * time.Millisecond
	nameKept     = 24 * time.Hour
	nameRetry    = time.Minute // after a failure
	scopeRetry   = time.Hour   // after the scope users:read was missing
)

// userNames remembers the names of users.
type userNames struct {
	mu      sync.Mutex
	known   *lru.Cache[string, knownName]
	blocked time.Time // until when nothing is asked
}

// knownName is the name of a user, "" after a failed lookup.
type knownName struct {
	name  string
	until time.Time
}

func newUserNames() (*userNames, error) {
	known, err := lru.New[string, knownName](maxNames)
	return &userNames{known: known}, err
}

// find returns the name if it is known, and whether to ask for it.
func (n *userNames) find(id string, now time.Time) (name string, ask bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if k, ok := n.known.Get(id); ok && now.Before(k.until) {
		return k.name, false
	}
	return "", !now.Before(n.blocked)
}

// keep remembers the result of a lookup.
func (n *userNames) keep(id, name string, err error, now time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if refused := (slack.SlackErrorResponse{}); errors.As(err, &refused) && refused.Err == "missing_scope" {
		n.blocked = now.Add(scopeRetry)
		return
	}
	kept := nameKept
	if err != nil {
		kept = nameRetry
	}
	n.known.Add(id, knownName{name, now.Add(kept)})
}

// UserNames returns a function that names users by id, for one message. It asks Slack once for each user, with the scope
// users:read, and returns "" where the name is not known in time.
func (b *Bot) UserNames(ctx context.Context) card.NameFunc {
	deadline := time.Now().Add(nameTimeout)
	return func(id string) string {
		if !card.IsSlackUser(id) {
			return ""
		}
		name, ask := b.names.find(id, time.Now())
		if !ask || time.Now().After(deadline) {
			return name
		}
		ctx, cancel := context.WithDeadline(ctx, deadline)
		defer cancel()
		var reply error // Call explains it
		err := b.send.Call(ctx, opName, httpsend.Limit{Key: opName, Interval: nameInterval}, func(ctx context.Context) error {
			user, err := b.api().GetUserInfoContext(ctx, id)
			if reply = err; err == nil {
				name = displayName(user)
			}
			return err
		})
		if reply == nil {
			reply = err
		}
		b.names.keep(id, name, reply, time.Now())
		return name
	}
}

// displayName returns the name that Slack shows, as letters, digits and a few signs that form no markup or mention.
func displayName(user *slack.User) string {
	for _, name := range []string{user.Profile.DisplayName, user.Profile.RealName, user.RealName, user.Name} {
		name = strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.L, unicode.M, unicode.N) || strings.ContainsRune(" -'", r) {
				return r
			}
			return ' '
		}, card.Clean(name, 4*maxUserName))
		if name = card.Clean(name, maxUserName); name != "" {
			return name
		}
	}
	return ""
}
