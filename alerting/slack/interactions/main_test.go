package interactions

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/alerting/card"
	"confab/schemas"
	codec "confab/schemas/json"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	incident  = "3f1c0c8d5f2b4e6a9b7d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d"
	group     = "00112233445566778899aabbccddeeff"
	user      = "U024BE7LH"
	clickTime = "1795251780.000200" // 2026-11-21T09:03:00.0002Z
)

// buttonValue is the value of a valid button.
func buttonValue() string {
	return card.ButtonValue{Incident: incident, Group: group, Detectors: []string{"citation", "facts"}}.String()
}

// clickPayload is Slack's payload of a click on a small message.
type clickPayload struct{ kind, action, value, user, at, blocks string }

func newClick(action string) clickPayload {
	return clickPayload{kind: "block_actions", action: action, value: buttonValue(), user: user, at: clickTime}
}

func (p clickPayload) json() string {
	blocks := p.blocks
	if blocks == "" {
		blocks = `[{"type":"section","block_id":"s","text":{"type":"plain_text","text":"a &lt;b&gt; c"}},
			{"type":"actions","block_id":"confab_actions","elements":[
				{"type":"button","action_id":"confab_wrong","text":{"type":"plain_text","text":"Answer is wrong"},"value":"` + buttonValue() + `"}]}]`
	}
	return fmt.Sprintf(`{"type":%s,"user":{"id":%s},"api_app_id":"A1","token":"deprecated","trigger_id":"1.2.3",
		"container":{"type":"message","message_ts":"1763.000100","channel_id":"C042"},
		"channel":{"id":"C042","name":"oncall"},
		"message":{"ts":"1763.000100","text":"Possible hallucination","blocks":%s},
		"actions":[{"type":"button","block_id":"confab_actions","action_id":%s,"value":%s,"action_ts":%s}]}`,
		quoteJSON(p.kind), quoteJSON(p.user), blocks, quoteJSON(p.action), quoteJSON(p.value), quoteJSON(p.at))
}

func quoteJSON(s string) []byte {
	raw, _ := json.Marshal(s)
	return raw
}

func (p clickPayload) callback(t testing.TB) *slack.InteractionCallback {
	t.Helper()
	var cb slack.InteractionCallback
	require.NoError(t, json.Unmarshal([]byte(p.json()), &cb))
	return &cb
}

// recorder records what a Handler writes, edits and logs.
type recorder struct {
	mu      sync.Mutex
	records []string
	edits   []editedMessage
	lines   bytes.Buffer

	metrics *Metrics
	fail    func(context.Context) error // of writing, nil succeeds
	refuse  error                       // of editing
	onEvent func(what string)           // called with "written" or "shown", in order
}

type editedMessage struct {
	at     schemas.Receipt
	text   string
	blocks string
}

func newRecorder() *recorder { return &recorder{metrics: NewMetrics(prometheus.NewRegistry())} }

func (b *recorder) write(ctx context.Context, key string, raw []byte) error {
	if b.fail != nil {
		if err := b.fail(ctx); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records = append(b.records, key+" "+string(raw))
	b.notify("written")
	return nil
}

func (b *recorder) notify(what string) {
	if b.onEvent != nil {
		b.onEvent(what)
	}
}

func (b *recorder) publish(ctx context.Context, f schemas.Feedback) error {
	raw, err := codec.AppendFeedback(nil, &f)
	if err != nil {
		return err
	}
	return b.write(ctx, f.IncidentID[:8], raw)
}

func (b *recorder) silence(ctx context.Context, s schemas.Silence) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return b.write(ctx, s.ID, raw)
}

// Replace records an edit.
func (b *recorder) Replace(ctx context.Context, at schemas.Receipt, text string, blocks slack.Blocks) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	raw, err := json.Marshal(blocks)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.edits = append(b.edits, editedMessage{at, text, string(raw)})
	b.notify("shown")
	return b.refuse
}

func (b *recorder) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.records)
}

func (b *recorder) clicks(action, outcome string) float64 {
	return testutil.ToFloat64(b.metrics.clicks.WithLabelValues(action, outcome))
}

// Write records log lines.
func (b *recorder) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.Write(p)
}

func (b *recorder) log() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.String()
}

func (b *recorder) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (b *recorder) handler() *Handler {
	return NewHandler(HandlerOptions{Publish: b.publish, Silence: b.silence, Editor: b, Metrics: b.metrics, Logger: b.logger()})
}

// requireNoSecrets requires that printed holds none of the secrets.
func requireNoSecrets(t testing.TB, printed string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		require.NotContains(t, printed, s, "a secret was printed")
	}
}
