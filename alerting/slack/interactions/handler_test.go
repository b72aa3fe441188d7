package interactions

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/card"
	slacksink "confab/alerting/slack"
	"confab/schemas"
)

func TestClicksAreWritten(t *testing.T) {
	for action, want := range map[string]string{
		slacksink.ActionWrong: `3f1c0c8d {"incident_id":"` + incident + `","verdict":"wrong","detectors":["citation","facts"],` +
			`"user":"U024BE7LH","source":"slack","at":"2026-11-21T09:03:00.0002Z"}`,
		slacksink.ActionFine: `3f1c0c8d {"incident_id":"` + incident + `","verdict":"fine","detectors":["citation","facts"],` +
			`"user":"U024BE7LH","source":"slack","at":"2026-11-21T09:03:00.0002Z"}`,
		slacksink.ActionSilence: `SILENCE {"id":"SILENCE","group":"` + group + `","user":"U024BE7LH",` +
			`"from":"2026-11-21T09:03:00.0002Z","until":"2026-11-21T10:03:00.0002Z"}`,
	} {
		t.Run(action, func(t *testing.T) {
			b := newRecorder()
			cb := newClick(action).callback(t)
			for range 2 { // delivered again to another replica
				_, err := b.handler().Handle(t.Context(), cb)
				require.NoError(t, err)
				require.Empty(t, b.edits, "the message is edited after the answer")
			}
			want = strings.ReplaceAll(want, "SILENCE", silenceID(group, user, clickTime))
			require.Equal(t, []string{want, want}, b.records)
			require.InDelta(t, 2, b.clicks(actionLabel(action), outcomeOK), 0)
		})
	}
}

// The id depends on group, user and time.
func TestSilenceIDsAreUnique(t *testing.T) {
	ids := map[string]bool{
		silenceID(group, user, clickTime):                   true,
		silenceID(group, user, clickTime[:16]+"1"):          true,
		silenceID(group, "U1", clickTime):                   true,
		silenceID(strings.Repeat("a", 32), user, clickTime): true,
	}
	require.Len(t, ids, 4)
	for id := range ids {
		require.Len(t, id, 32)
	}
}

func TestClicksAreShown(t *testing.T) {
	for action, want := range map[string]string{
		slacksink.ActionWrong:   "wrong by U024BE7LH at ",
		slacksink.ActionFine:    "fine by U024BE7LH at ",
		slacksink.ActionSilence: "silenced by U024BE7LH until 10:03 UTC",
	} {
		t.Run(action, func(t *testing.T) {
			b := newRecorder()
			show, err := b.handler().Handle(t.Context(), newClick(action).callback(t))
			require.NoError(t, err)
			show(t.Context())
			require.Len(t, b.edits, 1)
			got := b.edits[0]
			require.Equal(t, schemas.Receipt{Channel: "C042", Timestamp: "1763.000100"}, got.at)
			require.Equal(t, "Possible hallucination", got.text)
			require.Contains(t, readLines(got.blocks), want)
			require.Contains(t, got.blocks, `a \u0026lt;b\u0026gt; c`, "the rest of the message stays, escaped as it was")
			require.Contains(t, got.blocks, buttonValue(), "the buttons stay")

			// A second click by the same person on the message that shows the first.
			again := newClick(action)
			again.at, again.blocks = "1795251781.000000", got.blocks
			show, err = b.handler().Handle(t.Context(), again.callback(t))
			require.NoError(t, err)
			show(t.Context())
			require.Len(t, b.edits, 1, "nothing new to show")
			require.Len(t, b.records, 2)

			// The click of another user is added.
			other := newClick(slacksink.ActionFine)
			other.user, other.blocks = "W42", got.blocks
			show, err = b.handler().Handle(t.Context(), other.callback(t))
			require.NoError(t, err)
			show(t.Context())
			require.Len(t, b.edits, 2)
			require.Contains(t, readLines(b.edits[1].blocks), want)
			require.Contains(t, b.edits[1].blocks, "W42")
		})
	}
}

func TestInvalidClicksAreRejected(t *testing.T) {
	long := strings.Repeat("a", 3000)
	for name, change := range map[string]func(*clickPayload){
		"empty value":              func(p *clickPayload) { p.value = "" },
		"value of another app":     func(p *clickPayload) { p.value = "approve" },
		"value with a path":        func(p *clickPayload) { p.value = "1:../../etc/passwd::" },
		"another version":          func(p *clickPayload) { p.value = "2" + buttonValue()[1:] },
		"long value":               func(p *clickPayload) { p.value = buttonValue() + long },
		"long detector":            func(p *clickPayload) { p.value = buttonValue() + "," + long },
		"incident not hexadecimal": func(p *clickPayload) { p.value = "1:" + strings.Repeat("g", 64) + ":" + group + ":facts" },
		"incident in capitals":     func(p *clickPayload) { p.value = "1:" + strings.ToUpper(incident) + ":" + group + ":facts" },
		"incident too short":       func(p *clickPayload) { p.value = "1:" + incident[1:] + ":" + group + ":facts" },
		"group too long":           func(p *clickPayload) { p.value = "1:" + incident + ":" + group + "0:facts" },
		"detectors out of order":   func(p *clickPayload) { p.value = "1:" + incident + ":" + group + ":facts,citation" },
		"detector with a mention":  func(p *clickPayload) { p.value = "1:" + incident + ":" + group + ":<!channel>" },
		"white space":              func(p *clickPayload) { p.value = buttonValue() + "\n" },
		"NUL":                      func(p *clickPayload) { p.value = buttonValue() + "\x00" },
		"no user":                  func(p *clickPayload) { p.user = "" },
		"user in small letters":    func(p *clickPayload) { p.user = "u024be7lh" },
		"user with a mention":      func(p *clickPayload) { p.user = "U1><!channel>" },
		"user of digits":           func(p *clickPayload) { p.user = "12345" },
		"long user":                func(p *clickPayload) { p.user = "U" + strings.Repeat("A", 40) },
		"bot":                      func(p *clickPayload) { p.user = "B024BE7LH" },
		"no time":                  func(p *clickPayload) { p.at = "" },
		"time without a fraction":  func(p *clickPayload) { p.at = "1795251780" },
		"negative time":            func(p *clickPayload) { p.at = "-1795251780.000200" },
		"time of another age":      func(p *clickPayload) { p.at = "99999999999.000200" },
		"time with an exponent":    func(p *clickPayload) { p.at = "1e9.000200" },
		"long fraction":            func(p *clickPayload) { p.at = "1795251780.0002000" },
		"time in words":            func(p *clickPayload) { p.at = "now.please" },
	} {
		for _, action := range []string{slacksink.ActionWrong, slacksink.ActionFine, slacksink.ActionSilence} {
			t.Run(name+"/"+action, func(t *testing.T) {
				b, p := newRecorder(), newClick(action)
				change(&p)
				show, err := b.handler().Handle(t.Context(), p.callback(t))
				require.ErrorIs(t, err, ErrInvalid)
				show(t.Context())
				require.Empty(t, b.records)
				require.Empty(t, b.edits)
				require.InDelta(t, 1, b.clicks(actionLabel(action), outcomeInvalid), 0)
				if len(p.value) > 20 {
					requireNoSecrets(t, b.log()+err.Error(), p.value)
				}
			})
		}
	}
	t.Run("silence without a group", func(t *testing.T) {
		b, p := newRecorder(), newClick(slacksink.ActionSilence)
		p.value = card.ButtonValue{Incident: incident}.String()
		_, err := b.handler().Handle(t.Context(), p.callback(t))
		require.ErrorIs(t, err, ErrInvalid)
		require.Empty(t, b.records)
	})
	t.Run("one bad action among good ones", func(t *testing.T) {
		b, cb := newRecorder(), newClick(slacksink.ActionWrong).callback(t)
		bad := *cb.ActionCallback.BlockActions[0]
		bad.Value = "x"
		cb.ActionCallback.BlockActions = append(cb.ActionCallback.BlockActions, &bad)
		_, err := b.handler().Handle(t.Context(), cb)
		require.ErrorIs(t, err, ErrInvalid)
		require.Empty(t, b.records, "all or nothing")
	})
	t.Run("a flood in one click", func(t *testing.T) {
		b, cb := newRecorder(), newClick(slacksink.ActionWrong).callback(t)
		for range maxActions {
			cb.ActionCallback.BlockActions = append(cb.ActionCallback.BlockActions, cb.ActionCallback.BlockActions[0])
		}
		_, err := b.handler().Handle(t.Context(), cb)
		require.ErrorIs(t, err, ErrInvalid)
		require.Empty(t, b.records)
		require.InDelta(t, 1, b.clicks(unknownAction, outcomeInvalid), 0)
	})
}

func TestOtherInteractionsAreIgnored(t *testing.T) {
	for name, change := range map[string]func(*clickPayload){
		"a link":               func(p *clickPayload) { p.action = card.ActionTrace },
		"the runbook":          func(p *clickPayload) { p.action = card.ActionRunbook },
		"another app's button": func(p *clickPayload) { p.action = "approve" },
		"no action id":         func(p *clickPayload) { p.action = "" },
		"similar action id":    func(p *clickPayload) { p.action = "confab_wrong " },
		"a dialog":             func(p *clickPayload) { p.kind = "view_submission" },
		"an old button":        func(p *clickPayload) { p.kind = "interactive_message" },
		"no type":              func(p *clickPayload) { p.kind = "" },
	} {
		t.Run(name, func(t *testing.T) {
			b, p := newRecorder(), newClick(slacksink.ActionWrong)
			change(&p)
			show, err := b.handler().Handle(t.Context(), p.callback(t))
			require.NoError(t, err)
			show(t.Context())
			require.Empty(t, b.records)
			require.Empty(t, b.edits)
			require.Empty(t, b.log())
		})
	}
}

func TestUnwrittenClicks(t *testing.T) {
	t.Run("refused", func(t *testing.T) {
		b := newRecorder()
		b.fail = func(context.Context) error { return errors.New("no leader") }
		show, err := b.handler().Handle(t.Context(), newClick(slacksink.ActionSilence).callback(t))
		require.ErrorIs(t, err, ErrNotPublished)
		show(t.Context())
		require.Empty(t, b.edits, "the message stays as it was")
		require.InDelta(t, 1, b.clicks("silence", outcomePublishFailed), 0)
		require.InDelta(t, 0, b.clicks("silence", outcomeOK), 0)
		require.Contains(t, b.log(), "no leader")
	})
	t.Run("slow", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newRecorder()
			b.fail = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
			start := time.Now()
			_, err := b.handler().Handle(t.Context(), newClick(slacksink.ActionWrong).callback(t))
			require.ErrorIs(t, err, ErrNotPublished)
			require.Equal(t, 2500*time.Millisecond, time.Since(start), "Slack warns after 3 s")
		})
	})
}

func TestFailedEditKeepsLabel(t *testing.T) {
	b := newRecorder()
	b.refuse = &alerting.Error{Op: "show a click in Slack", Detail: "Slack answered cant_update_message"}
	show, err := b.handler().Handle(t.Context(), newClick(slacksink.ActionWrong).callback(t))
	require.NoError(t, err)
	show(t.Context())
	require.Len(t, b.records, 1)
	require.InDelta(t, 1, b.clicks("wrong", outcomeOK), 0)
	require.InDelta(t, 1, b.clicks("wrong", outcomeEditFailed), 0)
	require.Contains(t, b.log(), "cant_update_message")
}

func TestWithoutAnEditor(t *testing.T) {
	b := newRecorder()
	h := NewHandler(HandlerOptions{Publish: b.publish, Metrics: b.metrics, Logger: b.logger()})
	show, err := h.Handle(t.Context(), newClick(slacksink.ActionWrong).callback(t))
	require.NoError(t, err)
	show(t.Context())
	require.Len(t, b.records, 1)
}
