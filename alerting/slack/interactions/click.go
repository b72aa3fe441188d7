package interactions

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"confab/alerting"
	slacksink "confab/alerting/slack"
	"confab/schemas"
)

const (
	silenceFor = time.Hour
	maxActions = 8 // Slack sends one click at a time
	// Seconds of a timestamp have at most as many digits as those until the year 2286, which JSON can still write.
	maxSeconds  = 10
	microDigits = 6
)

// ErrInvalid says that a click is none of ours: a value, a user or a time that no button and no Slack would send.
var ErrInvalid = errors.New("the click is none of ours; nothing was written")

// click is what a person did: exactly one of the two is set.
type click struct {
	action   string // the metric's label
	feedback *schemas.Feedback
	silence  *schemas.Silence
}

// readClicks takes the clicks on buttons of ours out of an interaction; what is no button of ours is left out. It reads no
// clock and draws no chance, so a click that is delivered again gives the same records again.
func readClicks(cb *slack.InteractionCallback) ([]click, string, error) {
	if cb.Type != slack.InteractionTypeBlockActions {
		return nil, "", nil
	}
	if len(cb.ActionCallback.BlockActions) > maxActions {
		return nil, unknownAction, fmt.Errorf("more than %d actions in one click: %w", maxActions, ErrInvalid)
	}
	var clicks []click
	for _, action := range cb.ActionCallback.BlockActions {
		name := actionLabel(action.ActionID)
		if name == unknownAction {
			continue // a link, or another app's button
		}
		c, err := readAction(action, cb.User.ID)
		if err != nil {
			return nil, name, err
		}
		c.action = name
		clicks = append(clicks, c)
	}
	return clicks, "", nil
}

// readAction reads one click on a button of ours. Errors quote nothing.
func readAction(action *slack.BlockAction, user string) (click, error) {
	value, err := alerting.ParseButtonValue(action.Value)
	if err != nil {
		return click{}, fmt.Errorf("%w (%w)", ErrInvalid, err)
	}
	if !alerting.IsSlackUser(user) {
		return click{}, fmt.Errorf("%w (no user of Slack)", ErrInvalid)
	}
	at, ok := slackTime(action.ActionTs)
	if !ok {
		return click{}, fmt.Errorf("%w (no time of Slack)", ErrInvalid)
	}
	if action.ActionID != slacksink.ActionSilence {
		verdict := schemas.Confirmed
		if action.ActionID == slacksink.ActionFalsePositive {
			verdict = schemas.FalsePositive
		}
		return click{feedback: &schemas.Feedback{
			IncidentID: value.Incident, Verdict: verdict, Detectors: value.Detectors,
			User: user, Source: schemas.FromSlack, At: at,
		}}, nil
	}
	if value.Group == "" {
		return click{}, fmt.Errorf("%w (a silence without a group)", ErrInvalid)
	}
	return click{silence: &schemas.Silence{
		ID: silenceID(value.Group, user, action.ActionTs), Group: value.Group,
		User: user, From: at, Until: at.Add(silenceFor),
	}}, nil
}

// silenceID follows from the click, so that a click that is delivered again is the same silence.
func silenceID(group, user, ts string) string {
	sum := sha256.Sum256([]byte("silence\n" + group + "\n" + user + "\n" + ts))
	return hex.EncodeToString(sum[:16])
}

// slackTime reads Slack's timestamps: seconds, a dot, microseconds.
func slackTime(ts string) (time.Time, bool) {
	seconds, micros, _ := strings.Cut(ts, ".")
	if !isDigits(seconds) || len(seconds) > maxSeconds || !isDigits(micros) || len(micros) != microDigits {
		return time.Time{}, false
	}
	s, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	us, err := strconv.ParseInt(micros, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	return time.Unix(s, us*int64(time.Microsecond)).UTC(), true
}

// isDigits reports one decimal digit or more, and nothing else.
func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
