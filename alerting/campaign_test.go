package alerting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/schemas"
)

// unreliable is a Slack that fails half of the time, before or after it has accepted a message, and remembers what it
// accepted.
type unreliable struct {
	mu       sync.Mutex
	random   *rand.Rand
	accepted map[string][]bool // incident → for each accepted message, whether it is marked
	lost     map[string]int    // incident → replies lost after accepting
	history  []string
}

func (u *unreliable) serve(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if strings.HasSuffix(r.URL.Path, "conversations.history") {
		_, _ = fmt.Fprintf(w, `{"ok":true,"messages":[%s]}`, strings.Join(u.history, ","))
		return
	}
	body, _ := io.ReadAll(r.Body)
	fault := u.random.IntN(8)
	switch fault {
	case 0:
		answer(http.StatusTooManyRequests, "")(w, r)
		return
	case 1:
		answer(http.StatusInternalServerError, string(body))(w, r)
		return
	}
	id := u.accept(string(body), strings.HasPrefix(r.URL.Path, "/api"))
	switch fault {
	case 2:
		u.lost[id]++
		breakOff(w, r)
	case 3:
		u.lost[id]++
		answer(http.StatusBadGateway, string(body))(w, r)
	default:
		_, _ = fmt.Fprintf(w, `{"ok":true,"channel":"C042","ts":"%d.0"}`, len(u.history))
	}
}

func (u *unreliable) accept(body string, form bool) string {
	text := body
	if form {
		v, _ := url.ParseQuery(body)
		text = v.Get("text")
		var m struct {
			Payload map[string]string `json:"event_payload"`
		}
		_ = json.Unmarshal([]byte(v.Get("metadata")), &m)
		u.history = append([]string{told(metadataEvent, m.Payload[metadataID], fmt.Sprintf("%d.0", len(u.history)+1))}, u.history...)
		u.history = u.history[:min(len(u.history), historyLimit)]
	}
	id := regexp.MustCompile(`incident (id-\d+)`).FindStringSubmatch(text)[1]
	u.accepted[id] = append(u.accepted[id], strings.Contains(text, "may repeat"))
	return id
}

// TestTellThroughAnUnreliableSlack: every incident arrives; a second message exists only where a reply was lost, and is
// marked; where the history can be read there is none at all. Logs show neither secrets nor text.
func TestTellThroughAnUnreliableSlack(t *testing.T) {
	const incidents, partitions = 200, 4
	for _, sink := range []string{"webhook", "bot"} {
		t.Run(sink, func(t *testing.T) {
			u := &unreliable{random: rand.New(rand.NewPCG(7, 11)), accepted: map[string][]bool{}, lost: map[string]int{}}
			server := httptest.NewServer(http.HandlerFunc(u.serve))
			defer server.Close()
			send := SendOptions{Interval: -1, Transport: &http.Transport{DisableKeepAlives: true}}
			n, logs := unreliableNotifier(t, sink, server.URL, send), new(bytes.Buffer)
			teller := NewTeller(TellerOptions{
				Notifier: n, Sink: sink, Metrics: NewMetrics(prometheus.NewRegistry()),
				Logger: slog.New(slog.NewTextHandler(logs, nil)), Jitter: func() float64 { return 0 },
			})
			state := newMemory()
			var wg sync.WaitGroup
			for p := range partitions {
				wg.Go(func() {
					for i := p; i < incidents; i += partitions {
						f := sample()
						f.IncidentID = fmt.Sprintf("id-%03d", i)
						_, _ = teller.Tell(t.Context(), &f, state)
					}
				})
			}
			wg.Wait()
			require.Len(t, u.accepted, incidents, "none is missed")
			repeated := 0
			for id, marks := range u.accepted {
				repeated += len(marks) - 1
				if sink == "bot" {
					require.Len(t, marks, 1, "%s was found again, not repeated", id)
				}
				require.LessOrEqual(t, len(marks), 1+u.lost[id], "%s repeats only where a reply was lost", id)
				for _, marked := range marks[1:] {
					require.True(t, marked, "%s repeats without the mark", id)
				}
				s, _ := state.Get(id)
				require.Equal(t, schemas.AlertSent, s.Status)
			}
			require.NotEmpty(t, u.lost, "the test has lost replies")
			require.Equal(t, sink == "webhook", repeated > 0)
			secretFree(t, logs.String())
			require.NotEmpty(t, logs.String())
		})
	}
}

func unreliableNotifier(t *testing.T, sink, base string, send SendOptions) Notifier {
	t.Helper()
	if sink == "webhook" {
		w, err := NewWebhook(WebhookOptions{URL: redact.Secret(base + hookPath), SendOptions: send})
		require.NoError(t, err)
		return w
	}
	b, err := NewBot(BotOptions{Token: token, Channel: "C042", APIURL: base + "/api", SendOptions: send})
	require.NoError(t, err)
	return b
}
