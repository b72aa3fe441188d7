package integration

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"
)

var (
	events  = flag.Int("ledger.events", 5000, "interactions, poison and tombstones to write")
	kills   = flag.Int("ledger.kills", 4, "SIGKILLs of workers, half of them while writes are refused")
	zombies = flag.Int("ledger.zombies", 1, "SIGSTOPs past the session")
	seed    = flag.Uint64("ledger.seed", 0, "seed of inputs and faults; 0 draws one")
)

const (
	topicIn        = "llm.interactions"
	topicSampled   = "llm.interactions.sampled"
	topicIncidents = "llm.incidents"
	topicDLQ       = "llm.interactions.dlq"
	group          = "confab-detect"
	tenant         = "default"

	workers    = 3
	session    = 2 * time.Second
	drainLimit = 5 * time.Minute
)

// DrawSeed draws the seed of the ledgers unless the command line has one.
func DrawSeed() {
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64N(1e9)
	}
}

// brokerTier is the environment of a run.
type brokerTier struct {
	name    string
	broker  string // name and version; the embedded broker when empty
	seeds   []string
	windows int            // number of faults that make writes fail
	faults  [][]FaultCount // sequences, which happen side by side
	rate    int            // records of the load per tick; perTick when 0
	session time.Duration
	passes  []string // additional passes of each interaction
	once    bool     // exactly_once
	copies  bool     // every interaction is sampled
	deaths  int      // limit of the crash guard above all faults, which end processes at good records; 0: the default
	// inflict applies a fault and returns when it is over. It calls struck when the fault begins.
	inflict func(ctx context.Context, f *workerFleet, fault Fault, struck func()) error
}

// run writes the load, applies the faults, waits until the lag is 0 and audits.
func (w *brokerTier) run(t *testing.T) {
	began := time.Now()
	inputs, err := Inputs(*events, *seed)
	require.NoError(t, err)
	for _, sequence := range w.faults {
		w.deaths += countFaults(sequence)
	}
	w.deaths++
	t.Logf("seed %d", *seed)
	bin := workerBinary(t)
	f := startFleet(t, workers, bin, w.config())
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	l, hit := w.underFaults(ctx, t, f, inputs)
	loaded := time.Since(began)
	w.drain(t)
	t.Logf("loaded after %.1f s, lag 0 after %.1f s", loaded.Seconds(), time.Since(began).Seconds())
	exits := f.stop(t)
	t.Logf("workers that ended by themselves: %d %v", len(exits), exits)

	expected, result := w.audit(t, l)
	delivery, verdict := "at_least_once", result.Err()
	if w.once {
		delivery, verdict = "exactly_once", errors.Join(result.Once(), w.auditCopies(t, expected))
	}
	report := Report{
		Events: *events, Poison: len(expected.DeadLetters), Windows: w.windows, Faults: slices.Concat(w.faults...), UnderLoad: hit, Seed: *seed, Result: result, Delivery: delivery,
		Hop: "llm.interactions → llm.incidents, llm.interactions.dlq", Tier: w.name, Versions: w.versions(t, bin), Commit: commitHash(t),
	}
	t.Log(report.String())
	require.NoError(t, verdict)
	require.Empty(t, report.Invalid(), "the run is void")
}

// underFaults waits until all workers are ready, writes the inputs while the faults happen, and returns how many of them
// hit during the load.
func (w *brokerTier) underFaults(ctx context.Context, t *testing.T, f *workerFleet, inputs []Input) (*loadRun, int) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for n := range f.slots {
		require.NoError(t, f.ready(ctx, n))
	}
	sequences := make([]*faultSequence, len(w.faults))
	for i, faults := range w.faults {
		sequences[i] = &faultSequence{faults: Schedule(len(inputs), *seed+uint64(i), faults)}
	}
	l := startLoad(ctx, w.seeds, cmp.Or(w.rate, perTick), inputs, sequences...)
	defer func() { cancel(); <-l.done }()
	var hit atomic.Int64
	g, gctx := errgroup.WithContext(ctx)
	for _, sequence := range sequences {
		g.Go(func() error {
			for _, fault := range sequence.faults {
				err := awaitTrue(gctx, "the next fault is due", func() (bool, error) { return l.written.Load() >= int64(fault.At), nil })
				if err != nil {
					return err
				}
				err = w.inflict(gctx, f, fault, func() {
					if l.running() {
						hit.Add(1)
					}
				})
				if err != nil {
					return fmt.Errorf("%s, slot %d: %w", fault.Kind, fault.Slot, err)
				}
				sequence.over.Add(1)
			}
			return nil
		})
	}
	require.NoError(t, g.Wait())
	<-l.done
	require.NoError(t, l.err)
	return l, int(hit.Load())
}

func (w *brokerTier) config() string {
	guard := ""
	if w.deaths > 0 {
		guard = "  crash_suspect: false\n"
	}
	copies := ""
	if w.once {
		guard += "  delivery: exactly_once\n"
	}
	if w.copies {
		copies = "sampling: {tenants: {default: 1}, salt: ledger}\n"
	}
	return fmt.Sprintf(`
kafka:
  seed_brokers: [%s]
  start_offset: earliest
  session_timeout: %s
%s%slog: {format: json}
`, strings.Join(w.seeds, ", "), w.session, guard, copies)
}

// drain waits until the group has committed everything: a quiet topic alone may have pending work.
func (w *brokerTier) drain(t *testing.T) { w.drainGroup(t, group, topicIn) }

func (w *brokerTier) drainGroup(t *testing.T, group, topic string) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.seeds...))
	require.NoError(t, err)
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), drainLimit)
	defer cancel()
	var n int64
	require.NoError(t, awaitTrue(ctx, "the lag of "+group+" is 0", func() (bool, error) {
		now, err := GroupLag(ctx, cl, group, topic)
		if err == nil {
			n = now
		}
		return n == 0 && err == nil, fmt.Errorf("it was %d: %w", n, err)
	}))
}

// audit computes the required output from the input topic and compares the actual output.
func (w *brokerTier) audit(t *testing.T, l *loadRun) (*Expected, *AuditResult) {
	t.Helper()
	expected := w.expected(t, l)
	expected.Passes = append(expected.Passes, w.passes...)
	result, err := expected.Audit(w.read(t, topicIncidents), w.read(t, topicDLQ))
	require.NoError(t, err)
	return expected, result
}

// expected computes the required output from the input topic, which must hold every acknowledged record.
func (w *brokerTier) expected(t *testing.T, l *loadRun) *Expected {
	t.Helper()
	input := w.read(t, topicIn)
	there := map[RecordPosition]bool{}
	for _, r := range input {
		there[r.RecordPosition] = true
	}
	for at := range l.acked {
		require.True(t, there[at], "an acknowledged input is not in its topic: %v", at)
	}
	expected, err := NewExpected(w.clusterID(t), topicIn, tenant, input)
	require.NoError(t, err)
	return expected
}

// read reads a topic by two readers.
func (w *brokerTier) read(t *testing.T, topic string) []Record {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	records, err := ReadRecords(ctx, w.seeds, topic)
	require.NoError(t, err)
	w.requireSameByKcat(ctx, t, topic, records)
	return records
}

// auditCopies compares the copies of sampled interactions.
func (w *brokerTier) auditCopies(t *testing.T, expected *Expected) error {
	t.Helper()
	result, err := expected.AuditCopies(w.read(t, topicSampled))
	require.NoError(t, err)
	t.Logf("copies: %s", result)
	return result.Once()
}

// requireSameByKcat compares records with those that kcat reads; REQUIRE_DOCKER=1 makes its absence a failure.
func (w *brokerTier) requireSameByKcat(ctx context.Context, t *testing.T, topic string, records []Record) {
	t.Helper()
	byKcat, err := ReadWithKcat(ctx, w.seeds, topic)
	if errors.Is(err, ErrNoKcat) && os.Getenv("REQUIRE_DOCKER") != "1" {
		t.Logf("%s is read by one reader only: %v", topic, err)
		return
	}
	require.NoError(t, err)
	values := func(records []Record) map[RecordPosition]string {
		byPosition := map[RecordPosition]string{}
		for _, r := range records {
			byPosition[r.RecordPosition] = r.Key + "\t" + string(r.Value)
		}
		return byPosition
	}
	require.True(t, maps.Equal(values(records), values(byKcat)), "franz-go reads %d records of %s and kcat %d, or others", len(records), topic, len(byKcat))
}

func (w *brokerTier) clusterID(t *testing.T) string {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(w.seeds...))
	require.NoError(t, err)
	defer cl.Close()
	meta, err := kadm.NewClient(cl).BrokerMetadata(t.Context())
	require.NoError(t, err)
	return meta.Cluster
}

// signalWorker sends a signal to the slot's process once it is ready.
func (w *brokerTier) signalWorker(ctx context.Context, f *workerFleet, fault Fault, struck func()) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	if err := f.ready(ctx, fault.Slot); err != nil {
		return err
	}
	struck()
	if fault.Kind != Zombie {
		return f.slots[fault.Slot].send(syscall.SIGKILL)
	}
	if err := f.slots[fault.Slot].send(syscall.SIGSTOP); err != nil {
		return err
	}
	sleepFor(ctx, w.session*3/2)
	return f.slots[fault.Slot].send(syscall.SIGCONT)
}

// sleepFor waits for d, or until ctx ends.
func sleepFor(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

func (w *brokerTier) versions(t *testing.T, bin string) string {
	t.Helper()
	info, err := buildinfo.ReadFile(bin)
	require.NoError(t, err)
	broker := w.broker
	if broker == "" {
		broker = "kfake " + moduleVersion(info, "github.com/twmb/franz-go/pkg/kfake")
	}
	return info.GoVersion + ", franz-go " + moduleVersion(info, "github.com/twmb/franz-go") + ", " + broker
}

func moduleVersion(info *buildinfo.BuildInfo, path string) string {
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return "unknown"
}

func commitHash(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
