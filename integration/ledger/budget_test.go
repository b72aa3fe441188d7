package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka/embedded"
	"confab/sampling"
)

var (
	budgetEvents  = flag.Int("budget.events", 10_000, "records that ask for tokens")
	budgetKills   = flag.Int("budget.kills", 20, "SIGKILLs of spenders")
	budgetZombies = flag.Int("budget.zombies", 5, "SIGSTOPs of spenders past the session")
)

const (
	spendPartitions = 4
	spendTokens     = 400 // a call, at most
	spendPace       = 100 // calls from one fault to the next
)

// meter stands where the language model is. What it counts is what would be paid.
type meter struct {
	mu    sync.Mutex
	more  sync.Cond
	upTo  int              // calls are answered up to this number, later ones wait
	spent map[string]int64 // by tenant
	calls int
	byPID map[int]int
}

func newMeter() *meter {
	m := &meter{upTo: spendPace, spent: make(map[string]int64), byPID: make(map[int]int)}
	m.more.L = &m.mu
	return m
}

// answer lets calls up to a number have their answers.
func (m *meter) answer(upTo int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.upTo = upTo
	m.more.Broadcast()
}

// ServeHTTP uses a part of the tokens that it may, and counts them before it answers.
func (m *meter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	tokens, _ := strconv.ParseInt(q.Get("tokens"), 10, 64)
	pid, _ := strconv.Atoi(q.Get("pid"))
	m.mu.Lock()
	m.calls++
	m.byPID[pid]++
	used := tokens * int64(1+m.calls%4) / 4
	m.spent[q.Get("tenant")] += used
	for number := m.calls; number > m.upTo; {
		m.more.Wait()
	}
	m.mu.Unlock()
	fmt.Fprint(w, used)
}

func (m *meter) total() (calls int, spent int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.spent {
		spent += n
	}
	return m.calls, spent
}

func (m *meter) heardOf(pid int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.byPID[pid] > 0
}

// TestBudget lets spenders be killed and frozen while they spend, and holds what a server was asked for against the limit.
func TestBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("the budget's ledger takes half a minute")
	}
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{
		topicSampled: spendPartitions, topicBudget: spendPartitions, topicDLQ: 1,
	}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	m := newMeter()
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	t.Cleanup(func() { m.answer(math.MaxInt) })
	budget := sampling.BudgetOptions{Window: 8784 * time.Hour, TokensPerWindow: 1_000_000, TokensPerTenant: 700_000, BlockTokens: 5000}

	demand(t, c.Seeds())
	f := startProcesses(t, workers, func(slot int, _ string) *exec.Cmd {
		config, _ := json.Marshal(spenderConfig{c.Seeds(), slot, spendPartitions, server.URL, budget})
		cmd := exec.Command(os.Args[0]) //nolint:noctx // the fleet ends it
		cmd.Env = append(os.Environ(), spenderEnv+"="+string(config))
		return cmd
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	hit := strikeSpenders(ctx, t, f, m)
	drained(ctx, t, c.Seeds())
	exits := f.stop(t)

	calls, spent := m.total()
	left := budget.TokensPerWindow - spent
	t.Logf("%d records ask for up to %d tokens each, limit %d; %d SIGKILLs and SIGSTOPs while tokens were spent (seed %d): "+
		"%d calls, %d tokens spent by tenant %v, %d forfeited or too few for a call; ends by themselves: %v",
		*budgetEvents, spendTokens, budget.TokensPerWindow, hit, *seed, calls, spent, m.spent, left, exits)
	require.LessOrEqual(t, spent, budget.TokensPerWindow)
	for tenant, n := range m.spent {
		require.LessOrEqual(t, n, budget.TokensPerTenant, tenant)
	}
	require.GreaterOrEqual(t, hit*10, (*budgetKills+*budgetZombies)*9, "the run is void: it was over before the faults hit")
	// A process owns two of four partitions at most while all three are there, and all of them for a moment; each fault may
	// cost every one of these a block and the call in hand.
	lost := int64(hit) * spendPartitions * (budget.BlockTokens + spendTokens)
	require.LessOrEqual(t, left, lost+spendPartitions*spendTokens, "more is forfeited than a block per partition and fault")
}

// demand writes the records: two tenants, one of which wants more than it may have.
func demand(t *testing.T, seeds []string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.DefaultProduceTopic(topicSampled), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	records := make([]*kgo.Record, 0, *budgetEvents)
	for i := range *budgetEvents {
		tenant := "modest"
		if i%5 != 0 {
			tenant = "greedy"
		}
		records = append(records, &kgo.Record{
			Partition: int32(i % spendPartitions), Key: []byte(tenant), Value: []byte(strconv.Itoa(spendTokens)),
		})
	}
	require.NoError(t, cl.ProduceSync(t.Context(), records...).FirstErr())
}

// strikeSpenders kills and freezes processes that are spending, one after the other, and returns how often it hit one.
func strikeSpenders(ctx context.Context, t *testing.T, f *fleet, m *meter) (hit int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(*seed, 3))
	faults := make([]syscall.Signal, *budgetKills+*budgetZombies)
	for i, at := range rng.Perm(len(faults)) {
		faults[at] = syscall.SIGKILL
		if i < *budgetZombies {
			faults[at] = syscall.SIGSTOP
		}
	}
	defer m.answer(math.MaxInt)
	last := 0
	for _, sig := range faults {
		var s *slot
		wait, cancel := context.WithTimeout(ctx, 20*time.Second)
		err := await(wait, "somebody spends", func() (bool, error) {
			calls, _ := m.total()
			s = f.slots[rng.IntN(len(f.slots))]
			return calls >= last+spendPace/2 && m.heardOf(s.pid()), nil
		})
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return hit
		}
		require.NoError(t, err)
		last, _ = m.total()
		m.answer(last + spendPace)
		require.NoError(t, s.send(sig))
		hit++
		if sig == syscall.SIGSTOP {
			hold(ctx, session*3/2)
			require.NoError(t, s.send(syscall.SIGCONT))
		}
	}
	return hit
}

// pid is the slot's process, 0 between two.
func (s *slot) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil {
		return 0
	}
	return s.proc.Pid
}

// drained returns when every record is dealt with.
func drained(ctx context.Context, t *testing.T, seeds []string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(seeds...))
	require.NoError(t, err)
	defer cl.Close()
	require.NoError(t, await(ctx, "every record is dealt with", func() (bool, error) {
		n, err := lag(ctx, cl, spendGroup, topicSampled)
		return err == nil && n == 0, err
	}))
}
