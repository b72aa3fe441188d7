package confab_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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

var costTolerance = flag.Float64("cost", 0, "how far the instructions of an event may be from those recorded: 0.03 is 3 %; 0 skips the comparison")

const (
	costEnv    = "CONFAB_COST_ROUNDS" // makes TestCostEvents evaluate the events so many times
	costEvents = 512
)

// TestCost compares the instructions of an event with those recorded in testdata/cost, in thousands; -update writes them. They
// are counted by callgrind, in processes that evaluate the same events once and three times. Two runs differ by less than
// 0.2 %, on a busy machine, too.
func TestCost(t *testing.T) {
	if *costTolerance == 0 {
		t.Skip("make cost runs it")
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("the recorded counts are those of amd64")
	}
	for name, events := range costLoads(t) {
		t.Run(name, func(t *testing.T) {
			got := float64(countInstructions(t, name, 3)-countInstructions(t, name, 1)) / float64(2*len(events)) / 1000
			file := filepath.Join("testdata", "cost", name+".txt")
			if golden.Update() {
				golden.Equal(t, file, fmt.Sprintf("%.0f\n", got))
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			recorded, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
			require.NoError(t, err)
			change := got/recorded - 1
			t.Logf("an event needs %.0f thousand instructions, recorded %.0f: %+.1f %%", got, recorded, 100*change)
			require.LessOrEqual(t, math.Abs(change), *costTolerance, "find out why, or record it with -update")
		})
	}
}

func costLoads(tb testing.TB) map[string][]*schemas.Interaction {
	typical := slices.Repeat(detectortest.Events(64), costEvents/64)
	return map[string][]*schemas.Interaction{"typical": typical, "real": realEvents(tb)[:costEvents]}
}

// countInstructions are those of a process that evaluates the events so many times.
func countInstructions(t *testing.T, load string, rounds int) int {
	t.Helper()
	valgrind, err := exec.LookPath("valgrind")
	require.NoError(t, err, "install valgrind")
	cmd := exec.CommandContext(t.Context(), valgrind, "--tool=callgrind", "--callgrind-out-file=/dev/null",
		os.Args[0], "-test.run", "^TestCostEvents$/^"+load+"$")
	cmd.Env = append(os.Environ(), fmt.Sprint(costEnv, "=", rounds), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1") // callgrind fails at signals that interrupt it
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out[:min(len(out), 1000)]))
	collected := regexp.MustCompile(`Collected : (\d+)`).FindSubmatch(out)
	require.NotNil(t, collected, string(out))
	n, err := strconv.Atoi(string(collected[1]))
	require.NoError(t, err)
	return n
}

// TestCostEvents is the process that TestCost starts.
func TestCostEvents(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv(costEnv))
	if err != nil {
		t.Skip("TestCost runs it")
	}
	for name, events := range costLoads(t) {
		t.Run(name, func(t *testing.T) {
			e, err := confab.New(confab.Options{Suite: detectors.Options{Now: time.Now}}, confab.Tuning{})
			require.NoError(t, err)
			var encoded []byte
			for range rounds {
				for _, in := range events {
					measured := e.Suite.Evaluate(t.Context(), in)
					if measured.AnyFired() {
						f := e.Flag(measured, schemas.Origin{}, time.Time{})
						encoded, err = json.AppendFlag(encoded[:0], &f)
						require.NoError(t, err)
					}
					measured.Release()
				}
			}
		})
	}
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
