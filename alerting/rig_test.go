package alerting

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// memory is a State that keeps everything it was given, and fails on demand.
type memory struct {
	mu    sync.Mutex
	now   map[string]schemas.AlertState
	log   []schemas.AlertState
	fail  func(s schemas.AlertState) error // nil succeeds
	order *[]string                        // shared with the notifier
}

func newMemory() *memory { return &memory{now: map[string]schemas.AlertState{}} }

func (m *memory) Get(key string) (schemas.AlertState, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.now[key]
	return s, ok
}

func (m *memory) Put(ctx context.Context, key string, s schemas.AlertState) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	if m.fail != nil {
		if err := m.fail(s); err != nil {
			return err
		}
	}
	m.now[key] = s
	m.log = append(m.log, s)
	if m.order != nil {
		*m.order = append(*m.order, string(s.Status))
	}
	return nil
}

// scripted is a Notifier that fails as told, then succeeds.
type scripted struct {
	mu    sync.Mutex
	fails []error
	got   []schemas.Alert
	at    []time.Duration
	start time.Time
	order *[]string
}

func (s *scripted) Notify(_ context.Context, a schemas.Alert) (schemas.Receipt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got, s.at = append(s.got, a), append(s.at, time.Since(s.start))
	if s.order != nil {
		*s.order = append(*s.order, "notify")
	}
	if n := len(s.got); n <= len(s.fails) && s.fails[n-1] != nil {
		return schemas.Receipt{}, s.fails[n-1]
	}
	return schemas.Receipt{Channel: "C042", Timestamp: fmt.Sprintf("%d.0", len(s.got))}, nil
}

// rig is a teller with everything around it in sight.
type rig struct {
	*Teller
	sink  *scripted
	state *memory
	logs  *bytes.Buffer
	beats int
}

func newRig(fails ...error) *rig {
	r := &rig{sink: &scripted{fails: fails, start: time.Now()}, state: newMemory(), logs: new(bytes.Buffer)}
	r.Teller = NewTeller(TellerOptions{
		Notifier: r.sink, Sink: "bot", Metrics: NewMetrics(prometheus.NewRegistry()),
		Logger: slog.New(slog.NewTextHandler(r.logs, nil)), Waiting: func() { r.beats++ },
		Channel: func(tenant string) string { return "for-" + tenant },
		Jitter:  func() float64 { return 1 },
	})
	return r
}

func (r *rig) tell(t require.TestingT, f schemas.Flag) Outcome {
	out, err := r.Tell(context.Background(), &f, r.state)
	require.NoError(t, err)
	return out
}

func (r *rig) suppressed(s Suppression) float64 {
	return testutil.ToFloat64(r.Metrics.suppressed.WithLabelValues(string(s)))
}

func (r *rig) failed(s Reason) float64 {
	return testutil.ToFloat64(r.Metrics.failed.WithLabelValues(string(s)))
}

func flagOf(pass schemas.Pass, alert bool) schemas.Flag {
	f := sample()
	f.Pass, f.Alert = pass, alert
	return f
}
