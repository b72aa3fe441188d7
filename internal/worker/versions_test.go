package worker

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/worker/config"
	"confab/schemas"
)

var (
	versionRounds   = flag.Int("rounds", 3, "rounds in which each program is measured once")
	versionPrograms = flag.String("versions", "", "programs of Confab's versions, separated by spaces; see make bench-versions")
)

const (
	warmUpEvents   = 20_000 // events before the measurement
	measuredEvents = 40_000 // events of the measurement
)

// version is a program of one version of Confab.
type version struct{ name, program string }

// versionFigures are those of one program and load, by round.
type versionFigures struct {
	micros []float64 // CPU time of an event
	memory int64     // largest resident set, bytes
}

// TestVersions compares the CPU time of an event in several versions of Confab, whose programs -versions names, on one core each,
// in one run.
func TestVersions(t *testing.T) {
	if *versionPrograms == "" {
		t.Skip("make bench-versions runs it")
	}
	var versions []version
	for program := range strings.FieldsSeq(*versionPrograms) {
		versions = append(versions, version{filepath.Base(program), program})
	}
	loads := []versionLoad{{"benchmark events", typicalEvents(64)}, {"answers of RAGTruth", realEvents(t)}}
	for i, figures := range compareVersions(t, versions, loads) {
		for l := range loads {
			t.Logf("%s, %s: median %s (µs an event, events/s) of %.1f", loads[l].name, versions[i].name, figures[l], figures[l].micros)
		}
	}
}

// versionLoad are events.
type versionLoad struct {
	name   string
	events []schemas.Interaction
}

// compareVersions measures the versions with each load, in alternating rounds, and returns the figures by peer and load.
func compareVersions(t *testing.T, versions []version, loads []versionLoad) [][]versionFigures {
	figures := make([][]versionFigures, len(versions))
	for i := range versions {
		figures[i] = make([]versionFigures, len(loads))
	}
	for round := range *versionRounds {
		for l, load := range loads {
			seeds := startBroker(t)
			fillInput(t, seeds, warmUpEvents+measuredEvents, renewed(t, load.events))
			for i := range versions {
				micros, memory := versions[i].measure(t, seeds)
				figures[i][l].micros, figures[i][l].memory = append(figures[i][l].micros, micros), max(figures[i][l].memory, memory)
				t.Logf("round %d, %s, %s: %.1f µs, %d MB", round+1, load.name, versions[i].name, micros, memory>>20)
			}
		}
	}
	return figures
}

// String is the median CPU time of an event, and how many a core does in a second.
func (f versionFigures) String() string {
	slices.Sort(f.micros)
	median := f.micros[len(f.micros)/2]
	return fmt.Sprintf("%.0f, %.0f", median, 1e6/median)
}

// command runs the role detect of the program, with a consumer group of its own, on one core.
func (v *version) command(t *testing.T, seeds, group string) *exec.Cmd {
	file := filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(file, []byte("roles: [detect]\nkafka: {seed_brokers: ["+seeds+"], consumer_group: "+group+
		", start_offset: earliest}\nadmin: {listen: 127.0.0.1:0}\nlog: {level: error}\n"), 0o600))
	cmd := exec.CommandContext(t.Context(), "taskset", "-c", "1", v.program, "run", "--config", file)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	return cmd
}

// measure runs the program until it has processed every record. It returns the CPU time of an event after the warm-up, and the
// largest resident set.
func (v *version) measure(t *testing.T, seeds []string) (micros float64, memory int64) {
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...))
	require.NoError(t, err)
	defer client.Close()
	admin := kadm.NewClient(client)
	group := fmt.Sprint("version-", time.Now().UnixNano())
	cmd := v.command(t, strings.Join(seeds, ","), group)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	defer func() {
		_ = stdin.Close()
		_ = cmd.Process.Signal(os.Interrupt)
		if err := <-ended; err != nil {
			t.Log("interrupted: ", err)
		}
	}()
	progress := func() int {
		lags, err := admin.Lag(t.Context(), group+"-"+string(config.RoleDetect))
		require.NoError(t, err)
		read := 0
		for _, lag := range lags.Sorted()[0].Lag.Sorted() {
			read += int(lag.End.Offset - max(lag.Lag, 0))
		}
		return read
	}
	await := func(n int) (int, time.Duration) {
		for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C {
			select {
			case err := <-ended:
				ended <- err
				require.Fail(t, "the program ended", "%s: %v\n%s", v.name, err, log.String())
			default:
			}
			if done := progress(); done >= n {
				return done, processTime(t, cmd.Process.Pid)
			}
		}
	}
	first, before := await(warmUpEvents)
	last, after := await(warmUpEvents + measuredEvents)
	require.Equal(t, warmUpEvents+measuredEvents, last)
	return float64((after - before).Microseconds()) / float64(last-first), largestMemory(t, cmd.Process.Pid)
}

// processTime is the CPU time of a process and its threads.
func processTime(t *testing.T, pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	d, err := parseTimes(string(stat))
	require.NoError(t, err)
	return d
}

// parseTimes reads user and system time, in ticks of 10 ms, behind the command's name, which may have spaces.
func parseTimes(stat string) (time.Duration, error) {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 13 {
		return 0, io.ErrUnexpectedEOF
	}
	user, err := strconv.Atoi(fields[11])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, err
}

func TestParseTimes(t *testing.T) {
	t.Parallel()
	d, err := parseTimes("12 (a b) c) S 1 1 1 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 1 0 5 0 0")
	require.NoError(t, err)
	require.Equal(t, 3*time.Second, d)
	_, err = parseTimes("12 (a) S 1")
	require.Error(t, err)
}

// largestMemory is the largest resident set of a process so far, in bytes.
func largestMemory(t *testing.T, pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	_, after, found := strings.Cut(string(status), "VmHWM:")
	require.True(t, found)
	kilobytes, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	require.NoError(t, err)
	return kilobytes << 10
}
