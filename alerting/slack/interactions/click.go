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

	"confab/alerting/card"
	slacksink "confab/alerting/slack"
	"confab/schemas"
)

const (
	silenceFor  = time.Hour
	maxActions  = 8  // Slack sends one click at a time
	maxSeconds  = 10 // digits of a timestamp, until the year 2286; JSON can write such times
	microDigits = 6
)

// ErrInvalid means that the value, user or time of a click is not one that Slack sends for a button of Confab.
var ErrInvalid = errors.New("click is invalid; nothing was written")

// click is a click on a button. Exactly one of feedback and silence is set.
type click struct {
	action   string // metric label
	feedback *schemas.Feedback
	silence  *schemas.Silence
}

// readClicks returns the clicks of an interaction on buttons of Confab; action is the metric label of an error. It is
// deterministic, so a click that is delivered again gives the same records.
func readClicks(cb *slack.InteractionCallback) (clicks []click, action string, err error) {
	if cb.Type != slack.InteractionTypeBlockActions {
		return nil, "", nil
	}
	if len(cb.ActionCallback.BlockActions) > maxActions {
		return nil, unknownAction, fmt.Errorf("more than %d actions in one click: %w", maxActions, ErrInvalid)
	}
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

// readAction reads one click. Errors do not quote.
func readAction(action *slack.BlockAction, user string) (click, error) {
	value, err := card.ParseButtonValue(action.Value)
	if err != nil {
		return click{}, fmt.Errorf("%w (%w)", ErrInvalid, err)
	}
	if !card.IsSlackUser(user) {
		return click{}, fmt.Errorf("%w (not a Slack user)", ErrInvalid)
	}
	at, ok := slackTime(action.ActionTs)
	if !ok {
		return click{}, fmt.Errorf("%w (not a Slack timestamp)", ErrInvalid)
	}
	if action.ActionID != slacksink.ActionSilence {
		verdict := schemas.Wrong
		if action.ActionID == slacksink.ActionFine {
			verdict = schemas.Fine
		}
		return click{feedback: &schemas.Feedback{
			IncidentID: value.Incident, Verdict: verdict, Detectors: value.Detectors, Judge: value.Judge,
			User: user, Source: schemas.FromSlack, At: at,
		}}, nil
	}
	if value.Group == "" {
		return click{}, fmt.Errorf("%w (silence without a group)", ErrInvalid)
	}
	return click{silence: &schemas.Silence{
		ID: silenceID(value.Group, user, action.ActionTs), Group: value.Group,
		User: user, From: at, Until: at.Add(silenceFor),
	}}, nil
}

// silenceID derives the id from the click, so that a click that is delivered again is the same silence.
func silenceID(group, user, ts string) string {
	sum := sha256.Sum256([]byte("silence\n" + group + "\n" + user + "\n" + ts))
	return hex.EncodeToString(sum[:16])
}

// slackTime parses a Slack timestamp: seconds, a dot, microseconds.
func slackTime(ts string) (time.Time, bool) {
	seconds, micros, _ := strings.Cut(ts, ".")
	if !isDigits(seconds) || len(seconds) > maxSeconds || !isDigits(micros) || len(micros) != microDigits {
		return time.Time{}, false
	}
	at, err := strconv.ParseInt(seconds+micros, 10, 64)
	return time.UnixMicro(at).UTC(), err == nil
}

// isDigits reports whether s consists of one decimal digit or more.
func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
