package integration

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka/embedded"
)

var (
	budgetEvents  = flag.Int("budget.events", 600, "interactions to evaluate deeply")
	budgetKills   = flag.Int("budget.kills", 3, "SIGKILLs of workers that spend")
	budgetZombies = flag.Int("budget.zombies", 1, "SIGSTOPs past the session of workers that spend")
)

const (
	topicBudget = "llm.budget"
	sampleGroup = "confab-sample"

	samplePartitions      = 6
	evaluationTokens      = 1600 // most tokens that an evaluation reserves: four replies of 100 tokens and their prompt, twice
	tokensPerInteraction  = 200  // tokens per interaction: about half of what an evaluation uses
	interactionsPerAnswer = 200  // one of this many interactions is answered between two faults
)

// TestBudget runs deep evaluations while workers are killed and frozen, and compares what the model server charged with
// the limit, and the output of every interaction with the required one. The server is down for a while, too.
func TestBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("the budget's ledger takes half a minute")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	r := newBudgetRun(t)
	some := *budgetEvents / 20
	alive := r.detected(ctx, some)
	r.drained(ctx, sampleGroup, topicSampled)
	dead := r.withoutServer(ctx, some)
	hit := r.injectFaults(ctx)
	r.drained(ctx, group, topicIn)
	r.drained(ctx, sampleGroup, topicSampled)
	exits := r.fleet.stop(t)

	_, result := r.audit(t, &loadRun{acked: r.acked})
	records, err := ReadRecords(ctx, r.seeds, topicIncidents)
	require.NoError(t, err)
	l, err := auditDeepFlags(records)
	require.NoError(t, err)
	calls, refused, spent := r.model.total()
	t.Logf("%d interactions to evaluate deeply, limit %d; %d × SIGKILL, %d × SIGSTOP past the session (%d under load and with a charged call in flight), "+
		"seed %d: %d calls, %d tokens spent by tenant %v; %d evaluations judged, not judged %v, %d deep flags for %d incidents; %s; %s; commit %s",
		*budgetEvents, r.limit, *budgetKills, *budgetZombies, hit, *seed, calls, spent, r.model.spent, l.judged, l.notJudged,
		l.flags, l.judged+l.notJudged["budget"], result, r.name, commitHash(t))
	t.Logf("%d interactions through detect in %.2f s, in %.2f s while the server was dead (%d requests refused) and %d evaluations waited; ends by themselves: %v",
		some, alive.Seconds(), dead.Seconds(), refused, some, exits)

	require.NoError(t, result.Err())
	require.LessOrEqual(t, spent, r.limit, "more was spent than the limit")
	for tenant, n := range r.model.spent {
		require.LessOrEqual(t, n, r.ofTenant, tenant)
	}
	require.Len(t, r.model.spent, 2)
	require.Equal(t, *budgetEvents, l.judged+l.notJudged["budget"], "the budget is the only reason: a short outage loses no verdict")
	require.LessOrEqual(t, l.judged, calls)
	require.Positive(t, l.notJudged["budget"], "the run is void: the limit was not reached")
	require.GreaterOrEqual(t, hit*10, (*budgetKills+*budgetZombies)*9, "the run is void: it was over before the faults hit")
	// Each fault may cost every partition what it has in hand, since one process owns all of them for moments;
	// so may a refused request. In the end each tenant lacks less than an evaluation per partition.
	lost := int64(hit)*samplePartitions*evaluationTokens + int64(refused)*evaluationTokens + 2*samplePartitions*evaluationTokens
	require.LessOrEqual(t, r.limit-spent, lost, "more is forfeited than an evaluation per partition and fault")
}

// budgetRun is a run of workers that evaluate deeply.
type budgetRun struct {
	brokerTier
	t               *testing.T
	limit, ofTenant int64
	model           *meteredModel
	fleet           *workerFleet
	client          *kgo.Client
	inputs          []Input // that are not written yet
	acked           map[RecordPosition]bool
}

func newBudgetRun(t *testing.T) *budgetRun {
	t.Helper()
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{
		topicIn: 6, topicSampled: samplePartitions, topicBudget: samplePartitions, topicIncidents: 3, topicDLQ: 1,
	}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	limit := int64(*budgetEvents) * tokensPerInteraction
	r := &budgetRun{
		brokerTier: brokerTier{
			name: "tier A (in-memory broker)", seeds: c.Seeds(), session: session, passes: []string{deep},
			deaths: *budgetKills + *budgetZombies + 1,
		},
		t: t, limit: limit, ofTenant: limit * 7 / 10, model: newMeteredModel(), acked: map[RecordPosition]bool{},
	}
	r.client, err = kgo.NewClient(kgo.SeedBrokers(r.seeds...))
	require.NoError(t, err)
	t.Cleanup(r.client.Close)
	r.inputs, err = budgetInputs(*budgetEvents)
	require.NoError(t, err)
	server := httptest.NewServer(r.model)
	t.Cleanup(server.Close)

	bin, file := workerBinary(t), filepath.Join(t.TempDir(), "confab.yaml")
	config := strings.Replace(r.config(), "kafka:", "kafka:\n  inputs: [{topic: "+topicIn+", tenant_from: payload}]", 1)
	require.NoError(t, os.WriteFile(file, []byte(config+fmt.Sprintf(`
sampling: {rate: 1, tags: [medical], salt: ledger}
detectors: {consistency: {max_tokens: 100}}
llm:
  sampler: {base_url: "%s/v1"}
  max_concurrency: 32
  budget: {window: 8784h, tokens_per_window: %d, tokens_per_tenant: %d}
`, server.URL, r.limit, r.ofTenant)), 0o600))
	r.fleet = startProcesses(t, workers, func(slot int, admin string) *exec.Cmd {
		return exec.Command(bin, "run", "--config", file, "--roles", "detect,sample", "--emit", "all", //nolint:noctx // the fleet ends it
			"--set", "llm.sampler.model="+modelName(slot),
			"--set", fmt.Sprintf("kafka.instance_id=ledger-%d", slot), "--set", "admin.listen="+admin)
	})
	for n := range workers {
		require.NoError(t, r.fleet.ready(t.Context(), n))
	}
	return r
}

// modelName returns the model name that a slot's process requests, which identifies it to the server.
func modelName(slot int) string { return fmt.Sprintf("slot-%d", slot) }

// budgetInputs returns interactions of two tenants, all of which are sampled: one tenant exceeds its share of the budget.
func budgetInputs(n int) ([]Input, error) {
	var list []Input
	for i := range n {
		tenant := "modest"
		if i%5 != 0 {
			tenant = "greedy"
		}
		value, err := json.Marshal(interaction{
			ID: fmt.Sprintf("demand-%06d", i), Tenant: tenant, Tags: []string{"medical"},
			Messages: []chatMessage{{"user", tenant + ": how many people does the hall seat?"}},
			Answer:   "The hall seats two hundred people in eleven rows.",
		})
		if err != nil {
			return nil, err
		}
		list = append(list, Input{Kind: Named, Key: fmt.Sprintf("key-%06d", i), Value: value})
	}
	return list, nil
}

// write starts writing the next n interactions.
func (r *budgetRun) write(ctx context.Context, n int, sequences ...*faultSequence) *loadRun {
	l := startLoad(ctx, r.seeds, perTick, r.inputs[:n], sequences...)
	r.inputs = r.inputs[n:]
	return l
}

// written waits until all are written.
func (r *budgetRun) written(l *loadRun) {
	r.t.Helper()
	<-l.done
	require.NoError(r.t, l.err)
	maps.Copy(r.acked, l.acked)
}

// detected writes n interactions and returns the time until detect has processed them.
func (r *budgetRun) detected(ctx context.Context, n int) time.Duration {
	r.t.Helper()
	began := time.Now()
	r.written(r.write(ctx, n))
	r.drained(ctx, group, topicIn)
	return time.Since(began)
}

// withoutServer does the same while the server is down: detect processes all, sample nothing.
func (r *budgetRun) withoutServer(ctx context.Context, n int) time.Duration {
	r.t.Helper()
	r.model.setDown(true)
	defer r.model.setDown(false)
	took := r.detected(ctx, n)
	require.NoError(r.t, awaitTrue(ctx, "requests wait and are refused", func() (bool, error) {
		_, refused, _ := r.model.total()
		return refused > 0 && r.model.waitingRequests("") > 0, nil
	}))
	waiting, err := GroupLag(ctx, r.client, sampleGroup, topicSampled)
	require.NoError(r.t, err)
	require.EqualValues(r.t, n, waiting, "deep evaluations wait")
	records, err := ReadRecords(ctx, r.seeds, topicIncidents)
	require.NoError(r.t, err)
	passes := map[string]int{}
	for _, record := range records {
		_, id, err := readFlag(record)
		require.NoError(r.t, err)
		passes[id.pass]++
	}
	require.Equal(r.t, map[string]int{fast: 2 * n, deep: n}, passes)
	return took
}

// injectFaults writes the rest and injects faults into workers that wait for a charged reply. It returns how many faults
// hit during the load.
func (r *budgetRun) injectFaults(ctx context.Context) (hit int) {
	r.t.Helper()
	schedule := &faultSequence{faults: Schedule(len(r.inputs), *seed, []FaultCount{
		{Kind: Kill, Count: *budgetKills, Slots: workers}, {Kind: Zombie, Count: *budgetZombies, Slots: workers},
	})}
	pace := *budgetEvents / interactionsPerAnswer
	r.model.allowRequests(pace)
	defer r.model.allowRequests(-1)
	l := r.write(ctx, len(r.inputs), schedule)
	r.t.Cleanup(func() { <-l.done })
	for _, fault := range schedule.faults {
		require.NoError(r.t, awaitTrue(ctx, "the next fault is due", func() (bool, error) {
			return l.written.Load() >= int64(fault.At), nil
		}))
		if r.injectFault(ctx, fault) && l.running() {
			hit++
		}
		r.model.allowRequests(pace)
		schedule.over.Add(1)
	}
	r.model.allowRequests(-1)
	r.written(l)
	return hit
}

// injectFault applies a fault to a process that waits for a charged reply, and reports whether there was one: in the
// fault's slot, or in another if that one has no tokens left.
func (r *budgetRun) injectFault(ctx context.Context, fault Fault) (hit bool) {
	r.t.Helper()
	who := fault.Slot
	for range workers {
		wait, cancel := context.WithTimeout(ctx, 5*time.Second)
		err := awaitTrue(wait, modelName(who)+" waits for an answer", func() (bool, error) { return r.model.waitingRequests(modelName(who)) > 0, nil })
		cancel()
		if hit = err == nil; hit {
			break
		}
		who = (who + 1) % workers
	}
	if !hit {
		return false
	}
	s := r.fleet.slots[who]
	if fault.Kind == Kill {
		require.NoError(r.t, s.send(syscall.SIGKILL))
		require.NoError(r.t, awaitTrue(ctx, "its requests are gone", func() (bool, error) { return r.model.waitingRequests(modelName(who)) == 0, nil }))
		return true
	}
	require.NoError(r.t, s.send(syscall.SIGSTOP))
	sleepFor(ctx, session*3/2)
	require.NoError(r.t, s.send(syscall.SIGCONT))
	return true
}

func (r *budgetRun) drained(ctx context.Context, group, topic string) {
	r.t.Helper()
	require.NoError(r.t, awaitTrue(ctx, "the lag of "+group+" is 0", func() (bool, error) {
		n, err := GroupLag(ctx, r.client, group, topic)
		return err == nil && n == 0, err
	}))
}
