package interactions

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	slacksink "confab/alerting/slack"
	"confab/internal/redact"
)

// Slack delivers each click to one connection of an app. Every replica can serve it.
func TestTwoSockets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeSlack(t)
		recorders := []*recorder{newRecorder(), newRecorder()}
		var live []*session
		for _, b := range recorders {
			b.run(t, s)
			live = append(live, <-s.sessions)
		}
		for i := range 20 {
			live[i%2].click(fmt.Sprint(i), newClick(slacksink.ActionWrong))
			require.Equal(t, fmt.Sprint(i), <-live[i%2].acks)
		}
		// The first replica dies with an unfinished click; Slack delivers it to the other.
		recorders[0].fail = func(context.Context) error { return errors.New("killed") }
		live[0].click("moved", newClick(slacksink.ActionSilence))
		synctest.Wait()
		require.Empty(t, live[0].acks)
		live[1].click("moved", newClick(slacksink.ActionSilence))
		require.Equal(t, "moved", <-live[1].acks)
		require.Equal(t, 10, recorders[0].count())
		require.Equal(t, 11, recorders[1].count())
		require.Equal(t, recorders[0].records[:10], recorders[1].records[:10], "replicas write the same records")
	})
}

func TestSocketEndsWithItsContext(t *testing.T) {
	for name, begin := range map[string]func(b *recorder, s *fakeSlack){
		"idle":            func(_ *recorder, s *fakeSlack) { <-s.sessions },
		"connecting":      func(_ *recorder, s *fakeSlack) { s.answer(`{"ok":false,"error":"internal_error"}`) },
		"without a token": func(_ *recorder, s *fakeSlack) { s.answer(`{"ok":false,"error":"invalid_auth"}`) },
		"with an unfinished click": func(b *recorder, s *fakeSlack) {
			b.fail = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
			(<-s.sessions).click("e1", newClick(slacksink.ActionWrong))
		},
		"with a hundred clicks": func(b *recorder, s *fakeSlack) {
			b.fail = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
			live := <-s.sessions
			go func() {
				for i := range 100 { // more than are handled concurrently
					live.click(fmt.Sprint(i), newClick(slacksink.ActionWrong))
				}
			}()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, s := newRecorder(), newFakeSlack(t)
				s.noPings = true // a ping that waits behind a full connection would stop the virtual clock
				socket := b.socket(t, s)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- socket.Run(ctx) }()
				begin(b, s)
				synctest.Wait()
				start := time.Now()
				cancel()
				require.NoError(t, <-done)
				require.Zero(t, time.Since(start))
			})
		})
	}
}

func TestAppTokenIsChecked(t *testing.T) {
	for _, token := range []redact.Secret{"", "xoxb-1-token-secret", "xapp-1-token secret", "xapp-1-token-secret\n"} {
		_, err := NewSocket(SocketOptions{AppToken: token})
		require.ErrorContains(t, err, "app_token")
		require.ErrorContains(t, err, "connections:write")
		require.NotContains(t, err.Error(), "secret")
	}
	_, err := NewSocket(SocketOptions{AppToken: appToken, APIURL: "http://slack.example/api"})
	require.ErrorContains(t, err, "api_url")
	socket, err := NewSocket(SocketOptions{AppToken: appToken})
	require.NoError(t, err)
	requireNoSecrets(t, fmt.Sprintf("%v %+v %#v", socket, socket, socket), appToken)
}

func TestSocketChecksItsToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, s := newRecorder(), newFakeSlack(t)
		socket := b.socket(t, s)
		require.NoError(t, socket.Check(t.Context()))
		require.Empty(t, s.sessions, "no socket was opened")
		for reply, want := range map[string]string{
			`{"ok":false,"error":"not_allowed_token_type"}`: "connections:write",
			`{"ok":false,"error":"internal_error"}`:         "internal_error",
			`{}`:                                            "could not be opened",
			`no JSON`:                                       "could not be opened",
		} {
			s.answer(reply)
			require.ErrorContains(t, socket.Check(t.Context()), want)
		}
		require.NoError(t, s.net.Close())
		s.web.CloseIdleConnections()
		require.ErrorContains(t, socket.Check(t.Context()), "check the network")
	})
}
