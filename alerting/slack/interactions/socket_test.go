package interactions

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/alerting/card"
	slacksink "confab/alerting/slack"
)

// advanceTime advances virtual time by d.
func advanceTime(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func TestSocketAcknowledgesAfterWriting(t *testing.T) {
	runConnected(t, func(t *testing.T, b *recorder, s *fakeSlack) {
		var order []string
		b.onEvent = func(what string) { order = append(order, what) } // while the recorder is locked
		live := <-s.sessions
		live.click("e1", newClick(slacksink.ActionWrong))
		require.Equal(t, "e1", <-live.acks)
		require.Equal(t, 1, b.count(), "written before it is acknowledged")
		synctest.Wait()
		require.Equal(t, []string{"written", "shown"}, order)
		require.InDelta(t, 1, testutil.ToFloat64(b.metrics.connected), 0)
	})
}

// Slack warns after three seconds without an acknowledgement, and may deliver the envelope again.
func TestSocketDoesNotAcknowledgeUnwrittenClicks(t *testing.T) {
	runConnected(t, func(t *testing.T, b *recorder, s *fakeSlack) {
		b.fail = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		live := <-s.sessions
		live.click("e1", newClick(slacksink.ActionWrong))
		advanceTime(3 * time.Second)
		require.InDelta(t, 1, b.clicks("wrong", outcomePublishFailed), 0)
		require.Empty(t, live.acks)
		require.Zero(t, b.count())
		require.Empty(t, b.edits)

		b.fail = nil
		for range 2 { // the second time because the acknowledgement was lost
			live.click("e1", newClick(slacksink.ActionWrong))
			require.Equal(t, "e1", <-live.acks)
		}
		require.Equal(t, b.records[0], b.records[1], "the same label for each delivery")
	})
}

// A click that waits for the brokers does not block others.
func TestSocketHandlesClicksConcurrently(t *testing.T) {
	runConnected(t, func(t *testing.T, b *recorder, s *fakeSlack) {
		first := make(chan struct{}, 1)
		first <- struct{}{}
		b.fail = func(ctx context.Context) error {
			select {
			case <-first:
				<-ctx.Done()
				return ctx.Err()
			default:
				return nil
			}
		}
		live := <-s.sessions
		start := time.Now()
		live.click("slow", newClick(slacksink.ActionWrong))
		synctest.Wait()
		live.click("quick", newClick(slacksink.ActionFine))
		require.Equal(t, "quick", <-live.acks)
		require.Zero(t, time.Since(start))
	})
}

func TestSocketRejectsAndIgnores(t *testing.T) {
	runConnected(t, func(t *testing.T, b *recorder, s *fakeSlack) {
		live := <-s.sessions
		foreign := newClick(slacksink.ActionWrong)
		foreign.value = "approve"
		live.click("foreign", foreign)
		synctest.Wait()
		require.Empty(t, live.acks, "the user sees a warning")
		for id, envelope := range map[string]string{
			"link":    `{"envelope_id":"link","type":"interactive","payload":` + newClick(card.ActionTrace).json() + `}`,
			"dialog":  `{"envelope_id":"dialog","type":"interactive","payload":{"type":"view_submission"}}`,
			"command": `{"envelope_id":"command","type":"slash_commands","payload":{"command":"/x"}}`,
		} {
			live.send(envelope)
			require.Equal(t, id, <-live.acks, "or Slack would send it again")
		}
		require.Zero(t, b.count())
		require.Empty(t, b.edits)
	})
}

// After a malformed envelope the next click is served over the same connection.
func TestSocketSurvivesMalformedEnvelopes(t *testing.T) {
	for name, envelope := range map[string]string{
		"no JSON":            `hello`,
		"cut":                `{"envelope_id":"x","type":"inter`,
		"empty":              ``,
		"a list":             `[]`,
		"a number":           `42`,
		"null":               `null`,
		"an object":          `{}`,
		"unknown type":       `{"envelope_id":"x","type":"surprise","payload":{}}`,
		"type is a number":   `{"envelope_id":"x","type":7}`,
		"no payload":         `{"envelope_id":"x","type":"interactive"}`,
		"payload null":       `{"envelope_id":"x","type":"interactive","payload":null}`,
		"payload of words":   `{"envelope_id":"x","type":"interactive","payload":"click"}`,
		"payload of a list":  `{"envelope_id":"x","type":"interactive","payload":[]}`,
		"actions of words":   `{"envelope_id":"x","type":"interactive","payload":{"type":"block_actions","actions":["x"]}}`,
		"actions null":       `{"envelope_id":"x","type":"interactive","payload":{"type":"block_actions","actions":[null]}}`,
		"id is a number":     `{"envelope_id":9,"type":"interactive","payload":{}}`,
		"blocks of nonsense": `{"envelope_id":"x","type":"interactive","payload":{"type":"block_actions","message":{"blocks":7}}}`,
		"deep":               `{"type":` + strings.Repeat(`[`, 20_000) + strings.Repeat(`]`, 20_000) + `}`,
		"hello again":        `{"type":"hello","num_connections":2}`,
	} {
		t.Run(name, func(t *testing.T) {
			runConnected(t, func(t *testing.T, b *recorder, s *fakeSlack) {
				live := <-s.sessions
				live.send(envelope)
				synctest.Wait()
				require.Zero(t, b.count())
				for len(live.acks) > 0 {
					<-live.acks
				}
				live.click("good", newClick(slacksink.ActionWrong))
				require.Equal(t, "good", <-live.acks)
				require.Equal(t, 1, b.count())
				require.Empty(t, s.sessions, "the connection is kept")
			})
		})
	}
}

// After the end of a connection clicks are served over the next one.
func TestSocketConnectsAgain(t *testing.T) {
	for name, end := range map[string]func(s *fakeSlack, live *session){
		"warning": func(_ *fakeSlack, live *session) {
			live.send(`{"type":"disconnect","reason":"warning","debug_info":{"host":"applink"}}`)
		},
		"refresh": func(_ *fakeSlack, live *session) {
			live.send(`{"type":"disconnect","reason":"refresh_requested","debug_info":{"host":"applink"}}`)
		},
		"switched off and on": func(_ *fakeSlack, live *session) { live.send(`{"type":"disconnect","reason":"link_disabled"}`) },
		"connection lost":     func(_ *fakeSlack, live *session) { live.hangUp() },
		"envelope too large":  func(_ *fakeSlack, live *session) { live.send(`"` + strings.Repeat("a", maxEnvelope) + `"`) },
		"Slack fails to give an address": func(s *fakeSlack, live *session) {
			s.answer(`{"ok":false,"error":"internal_error"}`, `no JSON`, `{"ok":true,"url":"ws://127.0.0.1/gone?ticket=`+ticket+`"}`,
				`{"ok":true,"url":"::`+ticket+`"}`, `{"ok":true}`)
			live.hangUp()
		},
	} {
		t.Run(name, func(t *testing.T) {
			runConnected(t, func(t *testing.T, b *recorder, s *fakeSlack) {
				live := <-s.sessions
				live.click("e1", newClick(slacksink.ActionWrong))
				require.Equal(t, "e1", <-live.acks)
				end(s, live)
				next := <-s.sessions
				<-live.gone
				next.click("e2", newClick(slacksink.ActionFine))
				require.Equal(t, "e2", <-next.acks)
				require.Equal(t, 2, b.count())
				require.InDelta(t, 1, testutil.ToFloat64(b.metrics.connected), 0)
			})
		})
	}
}

// A connection without pings is closed: Slack pings every few seconds.
func TestSocketClosesSilentConnection(t *testing.T) {
	runConnected(t, func(t *testing.T, b *recorder, s *fakeSlack) {
		live := <-s.sessions
		advanceTime(10 * time.Minute)
		require.Empty(t, s.sessions, "kept with pings")
		live.click("e1", newClick(slacksink.ActionWrong))
		require.Equal(t, "e1", <-live.acks)

		s.set(func() { s.noPings = true })
		live.hangUp()
		start := time.Now()
		<-s.sessions
		s.set(func() { s.noPings = false })
		next := <-s.sessions
		require.Equal(t, 30*time.Second, time.Since(start).Truncate(time.Second))
		next.click("e2", newClick(slacksink.ActionWrong))
		require.Equal(t, "e2", <-next.acks)
	})
}

// Reconnects are limited when every connection is closed at once.
func TestSocketLimitsReconnects(t *testing.T) {
	runConnected(t, func(t *testing.T, _ *recorder, s *fakeSlack) {
		live := <-s.sessions
		s.set(func() { s.hangUp, s.opened = true, nil })
		live.hangUp()
		advanceTime(10 * time.Minute)
		s.set(func() {
			require.InDelta(t, 60, len(s.opened), 5)
			s.hangUp = false
		})
		<-s.sessions
	})
}

// A failure that a person must end is logged once a minute with its remedy, and ends without a restart.
func TestSocketWaitsForOperator(t *testing.T) {
	for _, code := range []string{"invalid_auth", "token_revoked", "account_inactive", "missing_scope", "not_allowed_token_type"} {
		t.Run(code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, s := newRecorder(), newFakeSlack(t)
				for range 1000 {
					s.answer(`{"ok":false,"error":"` + code + `"}`)
				}
				b.run(t, s)
				advanceTime(10*time.Minute + time.Second)
				logged := strings.Count(b.log(), "connections:write")
				require.True(t, logged >= 2 && logged <= 11, "%d lines in ten minutes", logged)
				require.Contains(t, b.log(), code)
				require.InDelta(t, 0, testutil.ToFloat64(b.metrics.connected), 0)
				s.set(func() { s.script = nil })
				live := <-s.sessions
				live.click("e1", newClick(slacksink.ActionWrong))
				require.Equal(t, "e1", <-live.acks)
				requireNoSecrets(t, b.log(), appToken, ticket)
			})
		})
	}
}
