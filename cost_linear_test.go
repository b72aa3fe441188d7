package confab_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"confab"
	"confab/detectors"
	"confab/schemas"
)

var measureCost = flag.Bool("linear", false, "measure the cost of an event against its size: make cost")

// TestCostIsLinear measures the CPU time of an event against the length of its answer, and the number and length of its sources.
func TestCostIsLinear(t *testing.T) {
	if !*measureCost {
		t.Skip("make cost runs it")
	}
	const steps = 10
	for _, line := range []struct {
		name  string
		event func(r *rand.Rand, size int) *schemas.Interaction
	}{
		{"answer of 6 to 60 sentences, 5 sources of 10", func(r *rand.Rand, size int) *schemas.Interaction { return sizedEvent(r, 6*size, 5, 10) }},
		{"5 to 50 sources of 10 sentences, answer of 6", func(r *rand.Rand, size int) *schemas.Interaction { return sizedEvent(r, 6, 5*size, 10) }},
		{"5 sources of 10 to 100 sentences, answer of 6", func(r *rand.Rand, size int) *schemas.Interaction { return sizedEvent(r, 6, 5, 10*size) }},
	} {
		var costs []float64
		for size := range steps {
			costs = append(costs, eventCost(t, func(r *rand.Rand) *schemas.Interaction { return line.event(r, size+1) }))
		}
		t.Logf("%s: %.0f µs", line.name, costs)
		require.LessOrEqual(t, costs[steps-1], 1.5*steps*costs[0], "more than linear: %s", line.name)
	}
}

// eventCost is the CPU time of an event, in µs: the least of several runs over 16 different ones.
func eventCost(t *testing.T, build func(r *rand.Rand) *schemas.Interaction) float64 {
	t.Helper()
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const events, runs = 16, 15
	least := time.Hour
	for range runs {
		r := rand.New(rand.NewPCG(1, 2))
		var list []*schemas.Interaction
		for range events {
			list = append(list, build(r))
		}
		least = min(least, threadTime(t, func() {
			for _, in := range list {
				e.Suite.Evaluate(t.Context(), in).Release()
			}
		}))
	}
	return float64(least.Nanoseconds()) / 1e3 / events
}

// sizedEvent is an event of invented sentences with names and figures. Two thirds of the answer's are those of sources.
func sizedEvent(r *rand.Rand, answer, sources, sentences int) *schemas.Interaction {
	syllables := strings.Fields("ba ren tor mi sal ken du lor ves ta pan gri hol nem fa cur bel zon tim ro")
	common := strings.Fields("the of and to in a is that for it was on are as with they at be this from have or by one had not but")
	sentence := func() string {
		var words []string
		for range 12 + r.IntN(6) {
			word := common[r.IntN(len(common))]
			if r.IntN(2) == 0 {
				word = ""
				for range 2 + r.IntN(2) {
					word += syllables[r.IntN(len(syllables))]
				}
			}
			if r.IntN(15) == 0 {
				word = fmt.Sprint(1 + r.IntN(2_000))
			}
			words = append(words, word)
		}
		text := strings.Join(words, " ") + "."
		return strings.ToUpper(text[:1]) + text[1:]
	}
	in := &schemas.Interaction{Operation: "qa", Temperature: schemas.UnknownTemperature}
	var all []string
	for i := range sources {
		var text []string
		for range sentences {
			text = append(text, sentence())
		}
		all = append(all, text...)
		in.Sources = append(in.Sources, schemas.Source{ID: fmt.Sprint(i + 1), Text: strings.Join(text, " ")})
	}
	var said []string
	for i := range answer {
		if i%3 == 0 {
			said = append(said, sentence())
			continue
		}
		said = append(said, all[r.IntN(len(all))])
	}
	in.Answer = strings.Join(said, " ")
	return in
}

// threadTime is the CPU time of this thread during do.
func threadTime(t *testing.T, do func()) time.Duration {
	t.Helper()
	used := func() time.Duration {
		var now unix.Timespec
		require.NoError(t, unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now))
		return time.Duration(now.Nano())
	}
	before := used()
	do()
	return used() - before
}
