package interactions

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	slacksink "confab/alerting/slack"
)

// clickAs sends an envelope with an altered payload in it.
func (s *session) clickAs(id, payload string) {
	s.send(fmt.Sprintf(`{"envelope_id":%q,"type":"interactive","accepts_response_payload":true,"payload":%s}`, id, payload))
}

// TestSocketForgedEnvelopes: records depend on button, user and time only. Other claims of an envelope have no effect, and
// a payload of another app writes nothing.
func TestSocketForgedEnvelopes(t *testing.T) {
	replace := func(old, by string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, by, 1) }
	}
	for name, tt := range map[string]struct {
		forge  func(payload string) string
		writes bool
	}{
		"as it is":             {func(s string) string { return s }, true},
		"another channel":      {replace(`"channel":{"id":"C042"`, `"channel":{"id":"C999"`), true},
		"channels that differ": {replace(`"channel_id":"C042"`, `"channel_id":"C999"`), true},
		"another workspace":    {replace(`"api_app_id"`, `"team":{"id":"T999","domain":"other"},"api_app_id"`), true},
		"another enterprise":   {replace(`"api_app_id"`, `"enterprise":{"id":"E999"},"is_enterprise_install":true,"api_app_id"`), true},
		"an address to answer": {replace(`"api_app_id"`, `"response_url":"http://127.0.0.1/api/stolen","api_app_id"`), true},
		"another app":          {replace(`"api_app_id":"A1"`, `"api_app_id":"A2"`), false},
		"no app":               {replace(`"api_app_id":"A1",`, ``), false},
		"another app's name":   {replace(`"api_app_id":"A1"`, `"api_app_id":"a1"`), false},
		"a bot":                {replace(user, "B024BE7LH"), false},
		"no user":              {replace(user, ""), false},
		"a group's name":       {replace(group+":", "acme:"), false},
		"a path":               {replace(incident, "../"+incident[3:]), false},
		"another block":        {replace(`"block_id":"confab_actions","action_id"`, `"block_id":"x","action_id"`), true},
	} {
		for _, action := range []string{slacksink.ActionWrong, slacksink.ActionSilence} {
			t.Run(name+"/"+action, func(t *testing.T) {
				runConnected(t, func(t *testing.T, b *recorder, s *fakeSlack) {
					honest := newRecorder()
					_, err := honest.handler().Handle(t.Context(), newClick(action).callback(t))
					require.NoError(t, err)
					p := newClick(action)
					p.blocks = "[]"
					live := <-s.sessions
					live.clickAs("forged", tt.forge(p.json()))
					advanceTime(time.Second)
					s.set(func() { require.Len(t, s.opened, 1, "no other request") })
					if tt.writes {
						require.Equal(t, "forged", <-live.acks)
						require.Equal(t, honest.records, b.records)
						return
					}
					require.Empty(t, live.acks, "the user sees a warning")
					require.Zero(t, b.count())
					require.Empty(t, b.edits)
					invalid := b.clicks(unknownAction, outcomeInvalid) + b.clicks(actionLabel(action), outcomeInvalid)
					require.InDelta(t, 1, invalid, 0)
				})
			})
		}
	}
}

// TestSocketReplays: a replayed envelope or payload gives the same record, also over another connection a day later: one
// label, one silence that is not extended.
func TestSocketReplays(t *testing.T) {
	for _, action := range []string{slacksink.ActionWrong, slacksink.ActionFine, slacksink.ActionSilence} {
		t.Run(action, func(t *testing.T) {
			runConnected(t, func(t *testing.T, b *recorder, s *fakeSlack) {
				live := <-s.sessions
				for _, id := range []string{"e1", "e1", "e2", "e3"} {
					live.click(id, newClick(action))
					require.Equal(t, id, <-live.acks)
				}
				advanceTime(24 * time.Hour)
				live.hangUp()
				live = <-s.sessions
				live.click("e1", newClick(action))
				require.Equal(t, "e1", <-live.acks)
				require.Len(t, b.records, 5)
				for _, r := range b.records {
					require.Equal(t, b.records[0], r)
				}
			})
		})
	}
}

// TestSocketAcknowledgementUnread: a server that does not read acknowledgements blocks no shutdown and loses no click: a
// click that is delivered again over the next connection is the same record.
func TestSocketAcknowledgementUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := newRecorder(), newFakeSlack(t)
		s.raw = func(conn net.Conn) {
			for i := range 3 * maxConcurrentClicks {
				envelope := fmt.Sprintf(`{"envelope_id":"e%d","type":"interactive","payload":%s}`, i, newClick(slacksink.ActionWrong).json())
				if i == 0 {
					envelope = hello
				}
				if _, err := io.WriteString(conn, textFrame(envelope)); err != nil {
					return
				}
			}
			<-time.After(5 * time.Minute) // without reading
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		socket := b.socket(t, s)
		go func() { done <- socket.Run(ctx) }()
		advanceTime(3 * time.Minute)
		require.Positive(t, b.count(), "durable before it is acknowledged")
		s.set(func() { s.raw = nil })
		live := <-s.sessions
		live.click("e1", newClick(slacksink.ActionWrong))
		require.Equal(t, "e1", <-live.acks)
		for _, r := range b.records {
			require.Equal(t, b.records[0], r)
		}
		begin := time.Now()
		cancel()
		require.NoError(t, <-done)
		require.LessOrEqual(t, time.Since(begin), editTimeout)
		advanceTime(5 * time.Minute) // until the servers close
		requireNoSecrets(t, b.log(), appToken, ticket)
	})
}
