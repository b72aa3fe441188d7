package confab_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"confab"
	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/golden"
	"confab/schemas"
	"confab/schemas/json"
)

var costTolerance = flag.Float64("cost", 0, "how much more than recorded an event may cost: 0.1 is a tenth; 0 skips the comparison")

// TestCost compares the CPU time of an event with that of a fixed reference on the same texts, as a ratio, so that the speed
// of the machine cancels out. testdata/cost/*.txt hold the recorded ratios; -update writes them. Runs on one machine differ
// by 2 %; other processors may differ by more, so CI allows more than `make cost`.
func TestCost(t *testing.T) {
	if *costTolerance == 0 {
		t.Skip("make cost runs it")
	}
	for name, events := range map[string][]*schemas.Interaction{"typical": detectortest.Events(64), "real": realEvents(t)} {
		t.Run(name, func(t *testing.T) {
			got := costRatio(t, events)
			file := filepath.Join("testdata", "cost", name+".txt")
			if golden.Update() {
				golden.Equal(t, file, fmt.Sprintf("%.2f\n", got))
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			recorded, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
			require.NoError(t, err)
			t.Logf("an event costs %.2f of the reference, recorded %.2f: %+.1f %%", got, recorded, 100*(got/recorded-1))
			require.LessOrEqual(t, got, recorded*(1+*costTolerance), "an event costs more than recorded: find out why, or record it with -update")
		})
	}
}

// costRatio is the least time of each batch of events, added up, against that of the reference on the same texts.
func costRatio(t *testing.T, events []*schemas.Interaction) float64 {
	t.Helper()
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
	require.NoError(t, err)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const size = 64
	runs := 25 * 1024 / max(len(events), 64)
	var encoded []byte
	var spent, reference time.Duration
	for batch := range slices.Chunk(events, size) {
		least, leastReference := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
		for range runs {
			least = min(least, threadTime(t, func() {
				for _, in := range batch {
					measured := e.Suite.Evaluate(t.Context(), in)
					if measured.AnyFired() {
						f := e.Flag(measured, schemas.Origin{}, time.Time{})
						encoded, err = json.AppendFlag(encoded[:0], &f)
						require.NoError(t, err)
					}
					measured.Release()
				}
			}))
			leastReference = min(leastReference, threadTime(t, func() {
				for _, in := range batch {
					countWords(in)
				}
			}))
		}
		spent, reference = spent+least, reference+leastReference
	}
	return float64(spent) / float64(reference)
}

// countWords is the reference: the words of the texts, hashed byte by byte and counted in a table, eight times. It must not
// change, since the recorded ratios depend on it.
func countWords(in *schemas.Interaction) (words uint32) {
	var counts [1 << 12]uint32
	count := func(s string) {
		h := uint64(14695981039346656037)
		for i := range len(s) {
			if c := s[i]; c != ' ' {
				h = (h ^ uint64(c)) * 1099511628211
				continue
			}
			counts[h>>52]++
			h = 14695981039346656037
		}
		counts[h>>52]++
	}
	for range 8 {
		count(in.Answer)
		for i := range in.Sources {
			count(in.Sources[i].Text)
		}
	}
	for _, n := range counts {
		words += n
	}
	return words
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
