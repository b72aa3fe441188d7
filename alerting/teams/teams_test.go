package teams

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/internal/golden"
	"confab/internal/redact"
	"confab/schemas"
)

func TestCardGolden(t *testing.T) {
	for name, alert := range map[string]schemas.Alert{"group": samples.RunningAlert(), "digest": samples.StaleDigest(), "broken": samples.RunningBroken()} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.MarshalIndent(newMessage(&alert, alerttest.RenderAll()), "", "  ")
			require.NoError(t, err)
			golden.Equal(t, "testdata/"+name+".json", append(raw, '\n'))
		})
	}
}

// TestCardsStayInert: hostile text in every field is text of a RichTextBlock, which parses no Markdown, within the size limit.
func TestCardsStayInert(t *testing.T) {
	for _, field := range samples.TextFields() {
		t.Run(field.Name, func(t *testing.T) {
			for i, text := range samples.HostileTexts() {
				if i%10 > 0 {
					continue // all of them are tested in all fields at once
				}
				for _, alert := range samples.Alerts() {
					field.Put(&alert, text)
					requireInert(t, &alert)
				}
			}
		})
	}
	for _, text := range append(samples.HostileTexts(), strings.Repeat("a", 200_000), strings.Repeat("語", 70_000), strings.Repeat("{{DATE(", 9), "<at>all</at>", "${x}", "[a](https://evil.example)") {
		for _, alert := range samples.Alerts() {
			for _, field := range samples.TextFields() {
				field.Put(&alert, text)
			}
			requireInert(t, &alert)
		}
	}
}

// requireInert checks the elements of both forms, as decoded JSON.
func requireInert(t *testing.T, alert *schemas.Alert) {
	t.Helper()
	for _, m := range []message{newMessage(alert, card.RenderOptions{}), minimal(alert, card.RenderOptions{})} {
		raw, err := httpsend.EncodeBody("test", m)
		require.NoError(t, err)
		var decoded map[string]any
		require.NoError(t, json.Unmarshal(raw, &decoded))
		content := m.Attachments[0].Content
		require.NotEmpty(t, content.Body)
		require.Empty(t, content.Actions, "untrusted text makes no link")
		require.NotContains(t, content.MSTeams, "entities")
		texts := []string{content.FallbackText}
		for _, p := range content.Body {
			require.Equal(t, "RichTextBlock", p.Type)
			require.NotEmpty(t, p.Inlines)
			for _, r := range p.Inlines {
				require.Equal(t, "TextRun", r.Type)
				texts = append(texts, r.Text)
			}
		}
		for _, text := range texts {
			samples.RequireInert(t, text)
			for _, active := range []string{"<", "@", "{", "}"} {
				require.NotContains(t, text, active)
			}
		}
	}
	small, err := httpsend.EncodeBody("test", minimal(alert, card.RenderOptions{}))
	require.NoError(t, err)
	require.Less(t, len(small), 4<<10)
}

// TestLargeCardsAreCut: what does not fit into a message of Teams is sent in its minimal form.
func TestLargeCardsAreCut(t *testing.T) {
	s := alerttest.NewFakeServer(t)
	n, err := New(Options{URL: redact.Secret(s.URL + alerttest.HookPath), Options: s.Options(), RenderOptions: card.RenderOptions{
		TraceURL: "https://traces.example/{trace_id}/" + strings.Repeat("a", 2_900), RunbookURL: "https://wiki.example/" + strings.Repeat("b", 2_900),
	}})
	require.NoError(t, err)
	defer n.Close()
	for _, text := range []string{"short", strings.Repeat("🚨語", 70_000)} {
		for _, alert := range samples.Alerts() {
			for _, field := range samples.TextFields() {
				if field.Name != "Flag.TraceID" {
					field.Put(&alert, text)
				}
			}
			_, err := n.Notify(t.Context(), alert)
			require.NoError(t, err)
		}
	}
	for _, body := range s.Bodies {
		require.Less(t, len(body), 28_000)
	}
	full := newMessage(new(samples.RunningAlert()), card.RenderOptions{})
	require.Greater(t, len(full.Attachments[0].Content.Body), 1)
}

func TestExcerptsAreHidden(t *testing.T) {
	alert := samples.RunningAlert()
	for hide, want := range map[bool]bool{false: true, true: false} {
		raw, err := json.Marshal(newMessage(&alert, card.RenderOptions{HideExcerpts: hide}))
		require.NoError(t, err)
		require.Equal(t, want, strings.Contains(string(raw), "bridge"))
	}
}

// TestErrorsNameTheCredential: where it is configured, never what it is.
func TestErrorsNameTheCredential(t *testing.T) {
	const source = "alerting.receivers[1].teams.webhook_url_file (/run/secrets/teams)"
	for _, status := range []int{http.StatusUnauthorized, http.StatusNotFound, http.StatusTemporaryRedirect} {
		s := alerttest.NewFakeServer(t, alerttest.Answer(status, alerttest.EchoedSecrets))
		opts := Options{URL: redact.Secret(s.URL + alerttest.HookPath), Options: s.Options()}
		opts.Credential = source
		n, err := New(opts)
		require.NoError(t, err)
		defer n.Close()
		_, err = n.Notify(t.Context(), samples.MinimalAlert())
		require.ErrorContains(t, err, source)
		alerttest.RequireNoSecrets(t, err.Error())
	}
	_, err := New(Options{URL: "http://x.example" + alerttest.HookPath})
	require.ErrorContains(t, err, "https")
	alerttest.RequireNoSecrets(t, err.Error())
}

// FuzzCard: any text in every field gives an inert card.
func FuzzCard(f *testing.F) {
	for i, text := range samples.HostileTexts() {
		if i%20 == 0 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, alert := range samples.Alerts() {
			for _, field := range samples.TextFields() {
				field.Put(&alert, text)
			}
			requireInert(t, &alert)
		}
	})
}
