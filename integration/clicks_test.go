//go:build integration

package integration_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// button is a button as it stands under a message.
type button struct {
	Type     string `json:"type"`
	ActionID string `json:"action_id"`
	Value    string `json:"value"`
	BlockID  string `json:"block_id"`
}

// button finds one under the message, as a user of the message does.
func (p slackPost) button(t *testing.T, action string) button {
	t.Helper()
	var blocks []struct {
		Type     string   `json:"type"`
		BlockID  string   `json:"block_id"`
		Elements []button `json:"elements"`
	}
	require.NoError(t, json.Unmarshal([]byte(p.Blocks), &blocks))
	for _, b := range blocks {
		for _, e := range b.Elements {
			if b.Type == "actions" && e.ActionID == action {
				e.BlockID = b.BlockID
				return e
			}
		}
	}
	t.Fatalf("no button %s under %q", action, p.Text)
	return button{}
}

// click is what Slack posts when the user presses the button.
func (p slackPost) click(t *testing.T, action, user string, at time.Time) string {
	t.Helper()
	b := p.button(t, action)
	var blocks json.RawMessage = []byte(p.Blocks)
	payload, err := json.Marshal(map[string]any{
		"type": "block_actions", "api_app_id": appID, "user": map[string]string{"id": user}, "team": map[string]string{"id": "T0TEAM"},
		"channel":   map[string]string{"id": slackChannel},
		"container": map[string]string{"type": "message", "channel_id": slackChannel, "message_ts": p.TS},
		"message":   map[string]any{"type": "message", "ts": p.TS, "text": p.Text, "blocks": blocks},
		"actions": []map[string]string{{
			"type": "button", "action_id": b.ActionID, "block_id": b.BlockID, "value": b.Value,
			"action_ts": strconv.FormatInt(at.Unix(), 10) + ".000100",
		}},
	})
	require.NoError(t, err)
	return string(payload)
}
