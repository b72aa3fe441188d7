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

	"confab/alerting"
	"confab/schemas"
	codec "confab/schemas/json"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	incident = "3f1c0c8d5f2b4e6a9b7d0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d"
	group    = "00112233445566778899aabbccddeeff"
	user     = "U024BE7LH"
	clicked  = "1795251780.000200" // 2026-11-21T09:03:00.0002Z
)

// value is what a button of ours carries.
func value() string {
	return alerting.ButtonValue{Incident: incident, Group: group, Detectors: []string{"citation", "facts"}}.String()
}

// pressed is Slack's payload of a click; the message under it is as small as ours get.
type pressed struct{ kind, action, value, user, at, blocks string }

func press(action string) pressed {
	return pressed{kind: "block_actions", action: action, value: value(), user: user, at: clicked}
}

func (p pressed) json() string {
	blocks := p.blocks
	if blocks == "" {
		blocks = `[{"type":"section","block_id":"s","text":{"type":"plain_text","text":"a &lt;b&gt; c"}},
			{"type":"actions","block_id":"confab_actions","elements":[
				{"type":"button","action_id":"confab_confirm","text":{"type":"plain_text","text":"Confirm"},"value":"` + value() + `"}]}]`
	}
	return fmt.Sprintf(`{"type":%s,"user":{"id":%s},"api_app_id":"A1","token":"deprecated","trigger_id":"1.2.3",
		"container":{"type":"message","message_ts":"1763.000100","channel_id":"C042"},
		"channel":{"id":"C042","name":"oncall"},
		"message":{"ts":"1763.000100","text":"Possible hallucination","blocks":%s},
		"actions":[{"type":"button","block_id":"confab_actions","action_id":%s,"value":%s,"action_ts":%s}]}`,
		quoted(p.kind), quoted(p.user), blocks, quoted(p.action), quoted(p.value), quoted(p.at))
}

func quoted(s string) []byte {
	raw, _ := json.Marshal(s)
	return raw
}

func (p pressed) callback(t testing.TB) *slack.InteractionCallback {
	t.Helper()
	var cb slack.InteractionCallback
	require.NoError(t, json.Unmarshal([]byte(p.json()), &cb))
	return &cb
}

// book is where clicks are written: records as they would be in Kafka.
type book struct {
	mu      sync.Mutex
	records []string
	shown   []shown
	lines   bytes.Buffer

	metrics *Metrics
	fail    func(context.Context) error // of writing, nil succeeds
	refuse  error                       // of editing
	order   func(what string)           // hears what happens, in order
}

type shown struct {
	at     schemas.Receipt
	text   string
	blocks string
}

func newBook() *book { return &book{metrics: NewMetrics(prometheus.NewRegistry())} }

func (b *book) write(ctx context.Context, key string, raw []byte) error {
	if b.fail != nil {
		if err := b.fail(ctx); err != nil {
			return err
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.records = append(b.records, key+" "+string(raw))
	b.tell("written")
	return nil
}

func (b *book) tell(what string) {
	if b.order != nil {
		b.order(what)
	}
}

func (b *book) publish(ctx context.Context, f schemas.Feedback) error {
	raw, err := codec.AppendFeedback(nil, &f)
	if err != nil {
		return err
	}
	return b.write(ctx, f.IncidentID[:8], raw)
}

func (b *book) silence(ctx context.Context, s schemas.Silence) error {
	raw, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return b.write(ctx, s.ID, raw)
}

// Replace makes the book an Editor.
func (b *book) Replace(ctx context.Context, at schemas.Receipt, text string, blocks slack.Blocks) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	raw, err := json.Marshal(blocks)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shown = append(b.shown, shown{at, text, string(raw)})
	b.tell("shown")
	return b.refuse
}

func (b *book) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.records)
}

func (b *book) clicks(action, outcome string) float64 {
	return testutil.ToFloat64(b.metrics.clicks.WithLabelValues(action, outcome))
}

// Write makes the book a place for log lines.
func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.Write(p)
}

func (b *book) log() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lines.String()
}

func (b *book) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (b *book) handler() *Handler {
	return NewHandler(HandlerOptions{Publish: b.publish, Silence: b.silence, Editor: b, Metrics: b.metrics, Logger: b.logger()})
}

// quietAbout holds that nothing printed shows a secret.
func quietAbout(t testing.TB, printed string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		require.NotContains(t, printed, s, "a secret was printed")
	}
}
