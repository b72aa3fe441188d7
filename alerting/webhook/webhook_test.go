package webhook

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/internal/golden"
	"confab/internal/redact"
	"confab/schemas"
	records "confab/schemas/json"
)

// TestSignatureVector: the published example of the libraries of Standard Webhooks.
func TestSignatureVector(t *testing.T) {
	s, err := newSigner("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "secrets")
	require.NoError(t, err)
	got := s.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", got)
}

func TestSecrets(t *testing.T) {
	key := func(n int) string {
		return "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", n)))
	}
	for name, tt := range map[string]struct {
		secrets string
		want    int // signatures; -1: refused
	}{
		"none": {"", 0}, "one": {key(32), 1}, "rotation": {key(32) + "\n" + key(24) + "\n", 2}, "longest": {key(64), 1},
		"short": {key(23), -1}, "long": {key(65), -1}, "no prefix": {strings.TrimPrefix(key(32), "whsec_"), -1},
		"not base64": {"whsec_!" + alerttest.Password, -1}, "second is bad": {key(32) + " " + alerttest.Password, -1},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := newSigner(redact.Secret(tt.secrets), "alerting.receivers[0].webhook.secrets_file (/s)")
			if tt.want < 0 {
				require.ErrorContains(t, err, "alerting.receivers[0].webhook.secrets_file (/s)")
				alerttest.RequireNoSecrets(t, err.Error())
				return
			}
			require.NoError(t, err)
			require.Len(t, strings.Fields(s.sign("id", time.Unix(1, 0), nil)), tt.want)
		})
	}
}

func newNotifier(t *testing.T, s *alerttest.FakeServer, opts Options) *Notifier {
	t.Helper()
	opts.URL, opts.Options, opts.Now = redact.Secret(s.URL+alerttest.HookPath), s.Options(), samples.Noon
	n, err := New(opts)
	require.NoError(t, err)
	t.Cleanup(n.Close)
	return n
}

// TestRequestsAreSigned: over id, time and the very bytes of the body, by every secret.
func TestRequestsAreSigned(t *testing.T) {
	s := alerttest.NewFakeServer(t)
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("o", 32)))
	n := newNotifier(t, s, Options{Secrets: redact.Secret(alerttest.SigningSecret + " " + other)})
	_, err := n.Notify(t.Context(), samples.RunningAlert())
	require.NoError(t, err)
	h := s.Posts[0].Header
	require.Equal(t, strconv.FormatInt(samples.Noon().Unix(), 10), h.Get("webhook-timestamp"))
	for i, secret := range []string{alerttest.SigningSecret, other} {
		one, err := newSigner(redact.Secret(secret), "")
		require.NoError(t, err)
		require.Equal(t, one.sign(h.Get("webhook-id"), samples.Noon(), []byte(s.Bodies[0])), strings.Fields(h.Get("webhook-signature"))[i])
	}
	require.NotContains(t, s.Bodies[0], "whsec_")
}

// TestRepetitionsHaveOneID: every attempt at a message, also in its minimal form; updates with other content and other
// messages have other ids.
func TestRepetitionsHaveOneID(t *testing.T) {
	s := alerttest.NewFakeServer(t, alerttest.Answer(500, ""), alerttest.Answer(400, ""), nil, nil, alerttest.Answer(500, ""))
	n := newNotifier(t, s, Options{})
	alert := samples.RunningAlert()
	_, err := n.Notify(t.Context(), alert)
	require.True(t, alerting.AsError(err).Ambiguous)
	alert.PossiblyDuplicated, alert.Count = true, 40
	at, err := n.Notify(t.Context(), alert) // refused, then minimal
	require.NoError(t, err)
	alert.Count = 41
	require.NoError(t, n.Edit(t.Context(), alert, at))
	require.Error(t, n.Edit(t.Context(), alert, at))
	require.NoError(t, n.Edit(t.Context(), alert, at))
	alert.Message = strings.Repeat("f", 32)
	_, err = n.Notify(t.Context(), alert)
	require.NoError(t, err)
	ids := map[string][]int{}
	for i, p := range s.Posts {
		ids[p.Header.Get("webhook-id")] = append(ids[p.Header.Get("webhook-id")], i)
		require.NotContains(t, p.Header.Get("webhook-id"), ".", "dots separate the signed parts")
		require.Empty(t, p.Header.Get("webhook-signature"), "no secret, no signature")
	}
	var groups [][]int
	for _, at := range ids {
		groups = append(groups, at)
	}
	require.ElementsMatch(t, [][]int{{0, 1, 2}, {3, 4, 5}, {6}}, groups)
	require.Contains(t, s.Bodies[2], `"possibly_duplicated":true`)
}

func TestMessageGolden(t *testing.T) {
	for name, alert := range map[string]schemas.Alert{"group": samples.RunningAlert(), "digest": samples.StaleDigest(), "notice": samples.Notice()} {
		t.Run(name, func(t *testing.T) {
			m, err := newMessage(typeFired, &alert, alerttest.RenderAll())
			require.NoError(t, err)
			raw, err := json.MarshalIndent(m, "", "  ")
			require.NoError(t, err)
			golden.Equal(t, "testdata/"+name+".json", append(raw, '\n'))
			if alert.Kind == schemas.AlertNotice {
				require.Empty(t, m.Data.Flag)
				return
			}
			var f schemas.Flag
			require.NoError(t, records.DecodeFlag(m.Data.Flag, &f))
			require.Equal(t, alert.Flag.IncidentID, f.IncidentID)
		})
	}
}

// TestHostileTexts: a body is JSON with the text as data, and the flag in it decodes.
func TestHostileTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	texts := append(samples.HostileTexts(), strings.Repeat("x", 20_000), "\u2028</script>")
	for i, text := range texts {
		for _, alert := range samples.Alerts() {
			for _, field := range samples.TextFields() {
				field.Put(&alert, text)
			}
			m, err := newMessage(typeFired, &alert, alerttest.RenderAll())
			require.NoError(t, err, "%d", i)
			raw, err := json.Marshal(m)
			require.NoError(t, err)
			var back message
			require.NoError(t, json.Unmarshal(raw, &back))
			require.Equal(t, typeFired, back.Type)
			for name, address := range back.Data.Links {
				require.Regexp(t, `^https://(wiki\.example/on-call#confab|traces\.example/t/[A-Za-z0-9._~%-]+\?view=spans)$`, address, name)
			}
			samples.RequireInert(t, back.Data.Title)
		}
	}
}

func TestExcerptsAreHidden(t *testing.T) {
	alert := samples.RunningAlert()
	alert.Riskiest = []schemas.Flag{samples.Flag()}
	alert.Flag.Question = "When did the bridge open?"
	alert.Flag.Grounding = &schemas.Grounding{UngroundedClaimList: []schemas.Claim{{Excerpt: "the bridge"}}}
	for hide, want := range map[bool]bool{false: true, true: false} {
		m, err := newMessage(typeFired, &alert, card.RenderOptions{HideExcerpts: hide})
		require.NoError(t, err)
		raw, err := json.Marshal(m)
		require.NoError(t, err)
		for _, text := range []string{"bridge", "1937", "1935"} {
			require.Equal(t, want, strings.Contains(string(raw), text), text)
		}
	}
}

// TestErrorsNameTheCredential: where it is configured, never what it is.
func TestErrorsNameTheCredential(t *testing.T) {
	s := alerttest.NewFakeServer(t, alerttest.Answer(http.StatusUnauthorized, alerttest.EchoedSecrets))
	opts := Options{URL: redact.Secret(s.URL + alerttest.HookPath), Secrets: alerttest.SigningSecret, Options: s.Options()}
	opts.Credential = "alerting.receivers[2].webhook.secrets_file (/run/secrets/hook)"
	n, err := New(opts)
	require.NoError(t, err)
	defer n.Close()
	_, err = n.Notify(t.Context(), samples.MinimalAlert())
	require.ErrorContains(t, err, "/run/secrets/hook")
	alerttest.RequireNoSecrets(t, err.Error())
	for _, address := range []redact.Secret{"", "hooks.example" + alerttest.HookPath, "http://hooks.example" + alerttest.HookPath, "ftp://hooks.example" + alerttest.HookPath, "https://%zz" + alerttest.HookPath} {
		_, err := New(Options{URL: address})
		require.Error(t, err)
		alerttest.RequireNoSecrets(t, err.Error())
	}
}

// FuzzMessage: any text in every field gives a body that decodes, with the text as data.
func FuzzMessage(f *testing.F) {
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
			m, err := newMessage(typeFired, &alert, card.RenderOptions{})
			require.NoError(t, err)
			raw, err := json.Marshal(m)
			require.NoError(t, err)
			var back message
			require.NoError(t, json.Unmarshal(raw, &back))
			require.Empty(t, back.Data.Links)
		}
	})
}

// FuzzSecrets: secrets that are accepted sign, and others are not quoted.
func FuzzSecrets(f *testing.F) {
	for _, seed := range []string{"", alerttest.SigningSecret, alerttest.SigningSecret + "\n" + alerttest.SigningSecret, "whsec_", "whsec_====", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := newSigner(redact.Secret(text), "source")
		if err != nil {
			require.ErrorContains(t, err, "source: secret number")
			return
		}
		require.Len(t, strings.Fields(s.sign("id", time.Unix(1, 0), nil)), len(strings.Fields(text)))
	})
}
