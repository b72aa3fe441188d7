package ledger

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka/embedded"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/json"
)

const (
	lookPace      = 20  // calls from one fault to the next
	lookMaxTokens = 100 // of one fresh answer
)

// chatMeter stands where the language model is and speaks as one. Every request is paid for when it comes, whether or not
// its answer arrives.
type chatMeter struct{ *meter }

// ServeHTTP answers each request with n texts, which use up to all of the tokens that they may.
func (m chatMeter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct {
		N         int
		MaxTokens int `json:"max_tokens"`
		Messages  []struct{ Content string }
	}
	if err := stdjson.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, "no chat", http.StatusBadRequest)
		return
	}
	prompt := 0
	for _, message := range in.Messages {
		prompt += len(message.Content)
	}
	tenant, _, _ := strings.Cut(in.Messages[len(in.Messages)-1].Content, ":")
	m.mu.Lock()
	m.calls++
	each := in.MaxTokens * (1 + m.calls%4) / 4
	m.spent[tenant] += int64(prompt + in.N*each)
	for number := m.calls; number > m.upTo; {
		m.more.Wait()
	}
	m.mu.Unlock()
	choices := make([]map[string]any, in.N)
	for i := range choices {
		choices[i] = map[string]any{"index": i, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": "The hall seats two hundred people in eleven rows."}}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = stdjson.NewEncoder(w).Encode(map[string]any{ // the worker may be gone
		"choices": choices, "usage": map[string]int{"prompt_tokens": prompt, "completion_tokens": in.N * each},
	})
}

// TestBudgetOfWorkers is TestBudget with the worker that users run: the role sample spends while it is killed and frozen.
func TestBudgetOfWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("the budget of workers takes a minute")
	}
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{
		topicSampled: spendPartitions, topicBudget: spendPartitions, topicIncidents: 3, topicDLQ: 1,
	}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	m := newMeter()
	m.answer(lookPace)
	server := httptest.NewServer(chatMeter{m})
	t.Cleanup(server.Close)
	t.Cleanup(func() { m.answer(math.MaxInt) })
	const limit, ofTenant, block = 300_000, 200_000, 2000

	copies(t, c.Seeds())
	bin, file := worker(t), filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `
kafka: {seed_brokers: [%s], session_timeout: %s, heartbeat_interval: 300ms, rebalance_timeout: 6s}
detectors: {consistency: {max_tokens: %d}}
llm:
  sampler: {base_url: "%s/v1", model: meter, max_concurrency: 32}
  budget: {window: 8784h, tokens_per_window: %d, tokens_per_tenant: %d, block_tokens: %d}
`, strings.Join(c.Seeds(), ", "), session, lookMaxTokens, server.URL, limit, ofTenant, block), 0o600))
	f := startProcesses(t, workers, func(slot int, admin string) *exec.Cmd {
		return exec.Command(bin, "run", "--config", file, "--roles", "sample", //nolint:noctx // the fleet ends it
			"--set", fmt.Sprintf("kafka.instance_id=sample-%d", slot), "--set", "admin.listen="+admin)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	hit := strikeLooks(ctx, t, f, m)
	drained(ctx, t, c.Seeds())
	exits := f.stop(t)

	calls, spent := m.total()
	flags, incidents := deepFlags(ctx, t, c.Seeds())
	t.Logf("%d copies, limit %d; %d SIGKILLs and SIGSTOPs while tokens were spent (seed %d): %d calls, %d tokens spent by tenant %v; "+
		"%d deep flags of %d incidents; ends by themselves: %v", *budgetEvents, limit, hit, *seed, calls, spent, m.spent, flags, incidents, exits)
	require.LessOrEqual(t, spent, int64(limit))
	for tenant, n := range m.spent {
		require.LessOrEqual(t, n, int64(ofTenant), tenant)
	}
	require.Equal(t, *budgetEvents, incidents, "every copy ends in a deep flag")
	require.GreaterOrEqual(t, hit*10, (*budgetKills+*budgetZombies)*9, "the run is void: it was over before the faults hit")
}

// copies writes what the detect role would have forwarded.
func copies(t *testing.T, seeds []string) {
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
		origin := schemas.Origin{Topic: topicIn, Offset: int64(i)}
		records = append(records, &kgo.Record{
			Partition: int32(i % spendPartitions), Key: []byte(strconv.Itoa(i)),
			Value: fmt.Appendf(nil, `{"interaction_id":"i-%d","messages":[{"role":"user","content":"%s: how many people does the hall seat?"}],`+
				`"answer":"The hall seats two hundred people in eleven rows."}`, i, tenant),
			Headers: []kgo.RecordHeader{
				{Key: sampling.HeaderReason, Value: []byte("high_stakes")},
				{Key: sampling.HeaderProbability, Value: []byte("0.01")},
				{Key: sampling.HeaderOrigin, Value: origin.Header(tenant)},
			},
		})
	}
	require.NoError(t, cl.ProduceSync(t.Context(), records...).FirstErr())
}

// strikeLooks kills and freezes workers while answers are outstanding, and returns how often it did.
func strikeLooks(ctx context.Context, t *testing.T, f *fleet, m *meter) (hit int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(*seed, 4))
	defer m.answer(math.MaxInt)
	last := 0
	for i := range *budgetKills + *budgetZombies {
		var s *slot
		wait, cancel := context.WithTimeout(ctx, 20*time.Second)
		err := await(wait, "somebody spends", func() (bool, error) {
			calls, _ := m.total()
			s = f.slots[rng.IntN(len(f.slots))]
			return calls >= last+lookPace/2 && s.pid() != 0, nil
		})
		cancel()
		if errors.Is(err, context.DeadlineExceeded) {
			return hit
		}
		require.NoError(t, err)
		last, _ = m.total()
		m.answer(last + lookPace)
		sig := syscall.SIGKILL
		if i%5 == 4 && i/5 < *budgetZombies {
			sig = syscall.SIGSTOP
		}
		require.NoError(t, s.send(sig))
		hit++
		if sig == syscall.SIGSTOP {
			hold(ctx, session*3/2)
			require.NoError(t, s.send(syscall.SIGCONT))
		}
	}
	return hit
}

// deepFlags counts the deep flags and their incidents.
func deepFlags(ctx context.Context, t *testing.T, seeds []string) (flags, incidents int) {
	t.Helper()
	records, err := readTopic(ctx, seeds, topicIncidents)
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, r := range records {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag(r.Value, &f))
		require.Equal(t, schemas.PassDeep, f.Pass)
		seen[f.IncidentID] = true
	}
	return len(records), len(seen)
}
