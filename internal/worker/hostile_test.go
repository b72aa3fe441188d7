package worker

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	runtimemetrics "runtime/metrics"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab"
	"confab/internal/hostile"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/schemas"
	"confab/schemas/json"
)

var (
	hostileRun   = flag.Bool("hostile", false, "measure the hostile corpus: make hostile")
	hostileSeeds = flag.Int("hostile.seeds", 3, "records per kind and size")
	hostileKinds = flag.String("hostile.kinds", "", "only kinds whose names match this expression")
)

// Limits of make hostile.
const (
	mostCPU   = 50 * time.Millisecond  // of 99 % of the records
	worstCPU  = 250 * time.Millisecond // of all
	growth    = 2.5                    // of twice the size
	growsFrom = 30 * time.Millisecond  // what costs less may grow as it likes: noise
	tooLong   = 20 * time.Second       // a record that would cost more is not measured
)

// hostileCost is what one record costs from its bytes to the bytes of its flag.
type hostileCost struct {
	cpu       time.Duration // garbage collection included; tooLong: not measured
	allocated uint64        // bytes
	work      int64         // units that the detectors counted
	outcomes  string        // of the rules that fired, failed or were skipped, or the decoder's reason
}

// hostileRow is one kind with one seed.
type hostileRow struct {
	kind  hostile.Kind
	seed  int
	costs []hostileCost // by size
}

func (r *hostileRow) worst() hostileCost {
	return slices.MaxFunc(r.costs, func(a, b hostileCost) int { return cmp.Compare(a.cpu, b.cpu) })
}

func (r *hostileRow) allocated() uint64 {
	return slices.MaxFunc(r.costs, func(a, b hostileCost) int { return cmp.Compare(a.allocated, b.allocated) }).allocated
}

// growth is the largest ratio of the costs of one size and of half of it, where the larger one counts; else 0. What was
// not measured grows without limit.
func (r *hostileRow) growth() float64 {
	worst := 0.0
	for i := 1; i < len(r.costs); i++ {
		switch c := r.costs[i].cpu; {
		case c >= tooLong:
			return math.Inf(1)
		case c > growsFrom:
			worst = max(worst, float64(c)/float64(r.costs[i-1].cpu))
		}
	}
	return worst
}

// TestHostileCost measures the CPU time of every record of the hostile corpus, decoded, evaluated, made a flag, redacted
// and encoded on one core, and prints the worst kinds first. It runs with -hostile only.
func TestHostileCost(t *testing.T) {
	if !*hostileRun {
		t.Skip("make hostile runs it")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	verdict, err := evaluation.NewFast(config.Default(), nil, nil)
	require.NoError(t, err)
	wanted := regexp.MustCompile(*hostileKinds)
	var rows []hostileRow
	for _, k := range hostile.Kinds() {
		if !wanted.MatchString(k.Name) {
			continue
		}
		for seed := range *hostileSeeds {
			rows = append(rows, hostileRow{k, seed, measureKind(t, verdict, k, seed)})
		}
	}
	slices.SortStableFunc(rows, func(a, b hostileRow) int { return cmp.Compare(b.worst().cpu, a.worst().cpu) })
	printHostile(rows)
	requireHostileLimits(t, rows)
}

// measureKind measures the kind at its sizes, as long as the next record can be expected to end.
func measureKind(t *testing.T, v *confab.Evaluator, k hostile.Kind, seed int) []hostileCost {
	var costs []hostileCost
	expected := time.Duration(0)
	for _, size := range k.Sizes() {
		if expected > tooLong {
			costs = append(costs, hostileCost{cpu: tooLong})
			continue
		}
		r := k.Record(size, uint64(seed))
		c := measureHostile(v, hostileValue(t, &r))
		if c.cpu > growsFrom && c.cpu < time.Second { // another text of the same layout: the load of the machine only adds
			r = k.Record(size, uint64(seed+3**hostileSeeds))
			again := measureHostile(v, hostileValue(t, &r))
			c.cpu = min(c.cpu, again.cpu)
		}
		costs = append(costs, c)
		expected = 2 * c.cpu
		if c.cpu > worstCPU {
			fmt.Fprintf(os.Stderr, "%s, seed %d, %d bytes: %v\n", k.Name, seed, size, c.cpu)
		}
	}
	return costs
}

// measureHostile takes the worker's way from a value to the flag's value.
func measureHostile(v *confab.Evaluator, raw []byte) hostileCost {
	decoder := json.NewDecoder(json.Options{})
	var in schemas.Interaction
	runtime.GC()
	allocated, before := allocatedBytes(), cpuTime()
	err := decoder.Decode(raw, &in)
	var f schemas.Flag
	work := int64(0)
	if err == nil {
		e := v.Suite.Evaluate(context.Background(), &in)
		f = v.Flag(e, schemas.Origin{}, time.Unix(1e9, 0))
		work = e.Work()
		e.Release()
		_, err = json.AppendFlag(nil, &f)
	}
	c := hostileCost{cpu: cpuTime() - before, allocated: allocatedBytes() - allocated, work: work}
	if err != nil {
		c.outcomes = err.Error()
		return c
	}
	var outcomes []string
	for _, s := range f.Signals {
		switch s.Outcome {
		case schemas.Fired:
			outcomes = append(outcomes, s.Detector)
		case schemas.Skipped, schemas.Failed:
			outcomes = append(outcomes, s.Detector+": "+s.Reason)
		default:
		}
	}
	c.outcomes = strings.Join(outcomes, ", ")
	return c
}

func hostileValue(t testing.TB, r *hostile.Record) []byte {
	t.Helper()
	if r.Raw != nil {
		return r.Raw
	}
	raw, err := json.AppendInteraction(nil, &r.Interaction)
	require.NoError(t, err, r.Kind)
	return raw
}

func allocatedBytes() uint64 {
	sample := []runtimemetrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	runtimemetrics.Read(sample)
	return sample[0].Value.Uint64()
}

func printHostile(rows []hostileRow) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kind\tseed\tn\tms at n/4\tn/2\tn\t2n\tgrowth\tMiB\tMunits\toutcome of the worst")
	ms := func(c hostileCost) string {
		if c.cpu >= tooLong {
			return fmt.Sprintf("> %.0f s", tooLong.Seconds())
		}
		return fmt.Sprintf("%.1f", float64(c.cpu.Microseconds())/1000)
	}
	for i := range rows {
		r := &rows[i]
		grows := ""
		if g := r.growth(); g > 0 {
			grows = fmt.Sprintf("%.1f", g)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%d\t%.1f\t%s\n", r.kind.Name, r.seed, r.kind.Full,
			ms(r.costs[0]), ms(r.costs[1]), ms(r.costs[2]), ms(r.costs[3]), grows, r.allocated()>>20, float64(r.worst().work)/1e6, r.worst().outcomes)
	}
	_ = w.Flush()
}

// requireHostileLimits holds the records against the limits.
func requireHostileLimits(t *testing.T, rows []hostileRow) {
	var all []time.Duration
	for i := range rows {
		for j, c := range rows[i].costs {
			all = append(all, c.cpu)
			assert.LessOrEqual(t, c.cpu, worstCPU, "%s, seed %d, size %d", rows[i].kind.Name, rows[i].seed, rows[i].kind.Sizes()[j])
		}
		assert.LessOrEqual(t, rows[i].growth(), growth, "growth of %s, seed %d", rows[i].kind.Name, rows[i].seed)
	}
	require.NotEmpty(t, all)
	slices.Sort(all)
	at := func(share float64) time.Duration { return all[int(math.Ceil(share*float64(len(all))))-1] }
	fmt.Fprintf(os.Stdout, "%d records: median %v, 95 %% %v, 99 %% %v, worst %v\n", len(all), at(.5), at(.95), at(.99), at(1))
	assert.LessOrEqual(t, at(.99), mostCPU, "99 %% of the records")
}
