package slack

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

func TestUserNames(t *testing.T) {
	const reply = `{"ok":true,"user":{"id":"U1","name":"jane","profile":{"display_name":%q}}}`
	tests := []struct{ name, reply, want string }{
		{"known", fmt.Sprintf(reply, "Jane Doe"), "Jane Doe"},
		{"no display name", fmt.Sprintf(reply, ""), "jane"},
		{"a mention and markup", fmt.Sprintf(reply, "<!channel> *x* (U2) at 10:00 & www.evil.example"), "channel x U2 at 10 00 www evil example"},
		{"long", fmt.Sprintf(reply, strings.Repeat("x", 500)), strings.Repeat("x", maxUserName-1) + "…"},
		{"the scope is missing", `{"ok":false,"error":"missing_scope"}`, ""},
		{"unknown", `{"ok":false,"error":"user_not_found"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := alerttest.NewFakeServer(t)
			s.UserReply = tt.reply
			b := openBot(t, s, s.Options())
			for range 3 {
				require.Equal(t, tt.want, b.UserNames(t.Context())("U1"))
			}
			require.Empty(t, b.UserNames(t.Context())("jane"), "not an id")
			require.Equal(t, 1, s.UserLookups, "asked once")
		})
	}
}

// Without the scope, no user is asked for; after an hour, or a day for a name, Slack is asked again.
func TestNamesExpire(t *testing.T) {
	n, err := newUserNames()
	require.NoError(t, err)
	now := time.Unix(0, 0)
	n.keep("U1", "Jane", nil, now)
	n.keep("U2", "", errors.New("broken"), now)
	for _, tt := range []struct {
		id, name string
		ask      bool
		after    time.Duration
	}{
		{"U1", "Jane", false, nameKept - 1},
		{"U1", "", true, nameKept},
		{"U2", "", false, nameRetry - 1},
		{"U2", "", true, nameRetry},
		{"U3", "", true, 0},
	} {
		name, ask := n.find(tt.id, now.Add(tt.after))
		require.Equal(t, tt.name, name, tt)
		require.Equal(t, tt.ask, ask, tt)
	}
}

// A line with a name replaces one with the id, and the reverse; two users of one name have two lines.
func TestNamedLines(t *testing.T) {
	a := samples.SingleAlert()
	blocks := slackBlocks(t, renderAlert(&a, alerttest.RenderAll()))
	named := func(string) string { return "Jane Doe" }
	for i, names := range []func(string) string{nil, named, nil, named} {
		verdict := []schemas.HumanVerdict{schemas.Confirmed, schemas.FalsePositive}[i%2]
		after, changed := Acknowledge(blocks, newFeedback("U1", verdict, 1), names)
		require.True(t, changed)
		blocks = after
		require.Equal(t, 1, strings.Count(string(indentJSON(t, message{blocks: blocks.BlockSet})), "by "), "one line")
	}
	blocks, _ = Acknowledge(blocks, newFeedback("U2", schemas.Confirmed, 1), named)
	raw := string(indentJSON(t, message{blocks: blocks.BlockSet}))
	require.Contains(t, raw, "Jane Doe (U1)")
	require.Contains(t, raw, "Jane Doe (U2)")
}
