package alerting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// paper is a Log that keeps the bytes that a topic would.
type paper struct {
	mu      sync.Mutex
	journal []written // every record, in order
	state   map[string][]byte
	fail    func(entries []Entry) error
	onPut   func()
}

// written is a record of the log.
type written struct {
	key   string
	value []byte // nil: deleted
}

// newPaper makes an empty log.
func newPaper() *paper { return &paper{state: map[string][]byte{}} }

// Get implements the log.
func (p *paper) Get(key string) (schemas.AlertState, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	raw, ok := p.state[key]
	var s schemas.AlertState
	return s, ok && json.DecodeAlertState(raw, &s) == nil
}

// Put implements the log.
func (p *paper) Put(ctx context.Context, entries ...Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fail != nil {
		if err := p.fail(entries); err != nil {
			return err
		}
	}
	for _, e := range entries {
		w := written{key: e.Key}
		if e.State != nil {
			raw, err := json.AppendAlertState(nil, e.State)
			if err != nil {
				return err
			}
			w.value = raw
		}
		p.append(w)
	}
	return nil
}

// failing makes writes fail as f says.
func (p *paper) failing(f func(entries []Entry) error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fail = f
}

// append adds a record without asking anybody.
func (p *paper) append(w written) {
	p.journal = append(p.journal, w)
	if p.state[w.key] = w.value; w.value == nil {
		delete(p.state, w.key)
	}
	if p.onPut != nil {
		p.onPut()
	}
}

// records are those of the topic, in order: all of them, or what compaction has left.
func (p *paper) records() iter.Seq2[Entry, error] {
	p.mu.Lock()
	defer p.mu.Unlock()
	journal := slices.Clone(p.journal)
	if len(journal)%2 == 0 {
		last := make(map[string]int, len(p.state))
		for i, w := range journal {
			last[w.key] = i
		}
		journal = journal[:0]
		for i, w := range p.journal {
			if last[w.key] == i && w.value != nil {
				journal = append(journal, w)
			}
		}
	}
	return func(yield func(Entry, error) bool) {
		for _, w := range journal {
			e := Entry{Key: w.key}
			if w.value != nil {
				e.State = new(schemas.AlertState)
				if json.DecodeAlertState(w.value, e.State) != nil {
					continue
				}
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// wall is a sink that keeps what stands on it.
type wall struct {
	mu      sync.Mutex
	posts   []*pinned
	edits   int
	replies []schemas.Alert
	fail    func(op string, a *schemas.Alert) error // nil succeeds
	lose    func(a *schemas.Alert) error            // after it is posted
	blind   bool                                    // it cannot look for an earlier attempt
}

// pinned is a message that was posted.
type pinned struct {
	alert schemas.Alert // as it was last edited
	first schemas.Alert // as it was posted
	at    time.Time
	gone  bool
}

// Notify keeps the message.
func (w *wall) Notify(_ context.Context, a schemas.Alert) (schemas.Receipt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		if err := w.fail("post", &a); err != nil {
			return schemas.Receipt{}, err
		}
	}
	if a.MayRepeat && !w.blind {
		for i, s := range w.posts {
			if s.alert.Message == a.Message {
				found := receiptOf(i)
				found.Found = !s.alert.MayRepeat
				return found, nil
			}
		}
	}
	w.posts = append(w.posts, &pinned{alert: a, first: a, at: time.Now()})
	if w.lose != nil {
		if err := w.lose(&a); err != nil {
			return schemas.Receipt{}, err
		}
	}
	return receiptOf(len(w.posts) - 1), nil
}

func receiptOf(i int) schemas.Receipt {
	return schemas.Receipt{Channel: "C042", Timestamp: fmt.Sprintf("%d.0", i)}
}

// Edit changes a message that was posted.
func (w *wall) Edit(_ context.Context, a schemas.Alert, at schemas.Receipt) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		if err := w.fail("edit", &a); err != nil {
			return err
		}
	}
	var i int
	if _, err := fmt.Sscanf(at.Timestamp, "%d.0", &i); err != nil || i >= len(w.posts) || w.posts[i].gone {
		return &Error{Class: Operator, Reason: ReasonGone, Op: "edit", Detail: "no such message"}
	}
	w.posts[i].alert = a
	w.edits++
	return nil
}

// Reply keeps the details.
func (w *wall) Reply(_ context.Context, a schemas.Alert, _ schemas.Receipt) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replies = append(w.replies, a)
	if w.fail != nil {
		return w.fail("reply", &a)
	}
	return nil
}

// told sums what stands on the wall: of a message that stands there twice, marked, the last counts.
func (w *wall) told() (incidents int64, unmarked int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	last := map[string]int64{}
	for _, s := range w.posts {
		if s.gone {
			continue
		}
		if _, twice := last[s.alert.Message]; twice && !s.alert.MayRepeat {
			unmarked++
		}
		last[s.alert.Message] = s.alert.Count
	}
	for _, n := range last {
		incidents += n
	}
	return incidents, unmarked
}

// alerts are all messages as they were last edited.
func (w *wall) alerts() []schemas.Alert {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make([]schemas.Alert, len(w.posts))
	for i, s := range w.posts {
		out[i] = s.alert
	}
	return out
}

// plainWall is a wall that can only be posted to, such as a webhook's.
type plainWall struct{ *wall }

// Edit hides that of the sink.
func (p plainWall) Edit() {}

// Reply hides that of the sink.
func (p plainWall) Reply() {}

// desk is a dispatcher with everything around it in sight. It lives in virtual time.
type desk struct {
	*Dispatcher
	t      *testing.T
	logs   []*paper
	wall   *wall
	output *bytes.Buffer
	stop   func()
	t0     time.Time
}

type deskOptions struct {
	partitions int
	own        []int32 // partitions of this process; nil: all
	groups     GroupOptions
	policy     *Policy
	sink       Notifier // nil: the wall
	threads    bool
	logs       []*paper // of an earlier life
	wall       *wall
}

func newDesk(t *testing.T, o deskOptions) *desk {
	t.Helper()
	if o.partitions == 0 {
		o.partitions = 1
	}
	if o.wall == nil {
		o.wall = &wall{}
	}
	if o.sink == nil {
		o.sink = o.wall
	}
	d := &desk{t: t, logs: o.logs, wall: o.wall, output: new(bytes.Buffer), t0: time.Now()}
	for len(d.logs) < o.partitions {
		d.logs = append(d.logs, newPaper())
	}
	d.Dispatcher = NewDispatcher(DispatcherOptions{
		Notifier: o.sink, Sink: "bot", Metrics: NewMetrics(prometheus.NewRegistry()),
		Logger: slog.New(slog.NewTextHandler(d.output, nil)), Jitter: func() float64 { return 1 },
		Groups: o.groups, Policy: o.policy, Partitions: o.partitions, Threads: o.threads,
	})
	if o.own == nil {
		for p := range o.partitions {
			o.own = append(o.own, int32(p))
		}
	}
	d.own(o.own...)
	return d
}

// own takes partitions over.
func (d *desk) own(partitions ...int32) {
	for _, p := range partitions {
		d.Assign(p)
	}
	for _, p := range partitions {
		require.NoError(d.t, d.Load(d.t.Context(), p, d.logs[p], d.logs[p].records()))
	}
}

// run tells until the test or the life ends.
func (d *desk) run() *desk {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	d.stop = sync.OnceFunc(func() {
		cancel()
		require.ErrorIs(d.t, <-done, context.Canceled)
	})
	d.t.Cleanup(d.stop)
	return d
}

func (d *desk) join(partition int32, f schemas.Flag) Outcome {
	d.t.Helper()
	out, err := d.Join(context.Background(), partition, &f)
	require.NoError(d.t, err)
	return out
}

func (d *desk) suppressed(s Suppression) int {
	return int(testutil.ToFloat64(d.Metrics.suppressed.WithLabelValues(string(s))))
}

func (d *desk) failures(r Reason) int {
	return int(testutil.ToFloat64(d.Metrics.failed.WithLabelValues(string(r))))
}

// alike is an incident of the group that n stands for; more of them differ in id.
func alike(n, id int) schemas.Flag {
	f := sample()
	f.IncidentID = fmt.Sprintf("%032x%032x", n, id)
	f.Service = fmt.Sprintf("service-%d", n)
	f.Recommendation = schemas.Recommend
	f.DetectedAt = time.Now()
	risk := 0.5
	f.Risk = &risk
	return f
}

// high is f with high severity.
func high(f schemas.Flag) schemas.Flag {
	f.Recommendation = schemas.Block
	return f
}

// deep is f from the deep pass.
func deep(f schemas.Flag) schemas.Flag {
	f.Pass = schemas.PassDeep
	return f
}

// errDown is the failure of a sink that is down.
var errDown = &Error{Class: Retryable, Reason: ReasonConnection, Op: "post to Slack", Detail: "the connection was refused"}

// errLost is the failure of a post whose reply is lost.
var errLost = &Error{Class: Retryable, Reason: ReasonConnection, Op: "post to Slack", Detail: "broke", Ambiguous: true}

// errPut is the failure of a log that cannot be written.
var errPut = errors.New("broker down")

// counts are the counts of the alerts, sorted.
func counts(alerts []schemas.Alert) []int64 {
	var out []int64
	for i := range alerts {
		out = append(out, alerts[i].Count)
	}
	slices.Sort(out)
	return out
}

// Limits of the alert state that tests reach.
const (
	listedGroups      = 10
	waitingReplies    = 100
	reservedForTenant = 20
	keptBytes         = 200
	keptIncidents     = 4096
)
