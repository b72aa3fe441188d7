package worker

import (
	"bytes"
	"context"
	"encoding/json"
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

	"confab/cmd/worker/internal/config"
	"confab/internal/kafka"
	"confab/schemas"
)

var (
	peersPage       = flag.String("peers", "", "page with the table of peers, to be written; see make bench-peers")
	peerRounds      = flag.Int("peers.rounds", 3, "rounds in which each program is measured once")
	versionPrograms = flag.String("versions", "", "programs of Confab's versions, separated by spaces; see make bench-versions")
)

const (
	peerWarmUp = 20_000 // events before the measurement
	peerEvents = 40_000 // events of the measurement
)

// peer is a program that reads every event: Confab, or a stream processor that validates it and maps five fields.
type peer struct {
	name    string
	command func(seeds, output string) []string
	env     []string
	output  bool // it writes one record for each event
}

// peerFigures are those of one program and load, by round.
type peerFigures struct {
	micros []float64 // CPU time of an event
	memory int64     // largest resident set, bytes
}

// TestPeers compares the CPU time of an event in Confab with that in stream processors, on one core each, in one run.
func TestPeers(t *testing.T) {
	if *peersPage == "" {
		t.Skip("make bench-peers runs it")
	}
	root, err := filepath.Abs("../../../..")
	require.NoError(t, err)
	schema := filepath.Join(root, "schemas/interaction.schema.json")
	peers := []peer{
		confabPeer(t, "Confab, role `detect`", filepath.Join(root, "bin/confab")),
		{name: "Kafka Streams 4.3.1: schema (networknt 2.0.0), mapping", output: true, command: func(seeds, output string) []string {
			java := filepath.Join(root, "bin/peers/java")
			return []string{"java", "-XX:ActiveProcessorCount=1", "-cp", filepath.Join(java, "classes") + ":" + filepath.Join(java, "lib/*"), "Peer", seeds, schema, "llm.interactions", output}
		}},
		{name: "Quix Streams 3.28.1: schema (jsonschema-rs 0.60.3), mapping", output: true, command: func(seeds, output string) []string {
			return []string{filepath.Join(root, "bin/peers/python/bin/python"), filepath.Join(root, "integration/peers/peer.py"), seeds, schema, "llm.interactions", output}
		}},
	}
	loads := []peerLoad{{"benchmark events, 6.5 kB", typicalEvents(64), 0}, {"answers of RAGTruth, 3.6 kB", realEvents(t), 0}}
	figures := comparePeers(t, peers, loads)
	var table strings.Builder
	fmt.Fprintf(&table, "| on one core | %s: µs an event, events/s | %s | largest RSS |\n|---|---|---|---|\n", loads[0].name, loads[1].name)
	for i := range peers {
		fmt.Fprintf(&table, "| %s | %s | %s | %d MB |\n", peers[i].name, figures[i][0], figures[i][1], max(figures[i][0].memory, figures[i][1].memory)>>20)
	}
	writePeers(t, table.String())
}

// TestVersions compares the CPU time of an event in several versions of Confab, whose programs -versions names, in the same way.
func TestVersions(t *testing.T) {
	if *versionPrograms == "" {
		t.Skip("make bench-versions runs it")
	}
	var peers []peer
	for program := range strings.FieldsSeq(*versionPrograms) {
		peers = append(peers, confabPeer(t, filepath.Base(program), program))
	}
	loads := []peerLoad{{"benchmark events", typicalEvents(64), 0}, {"answers of RAGTruth", realEvents(t), 0}, {"the same, 80 % of the sources read before", realEvents(t), 80}}
	for i, figures := range comparePeers(t, peers, loads) {
		for l := range loads {
			t.Logf("%s, %s: median %s (µs an event, events/s) of %.1f", loads[l].name, peers[i].name, figures[l], figures[l].micros)
		}
	}
}

// peerLoad are events, with the share of their sources, in percent, that were read before.
type peerLoad struct {
	name   string
	events []schemas.Interaction
	known  int
}

// comparePeers measures the peers with each load, in alternating rounds, and returns the figures by peer and load.
func comparePeers(t *testing.T, peers []peer, loads []peerLoad) [][]peerFigures {
	figures := make([][]peerFigures, len(peers))
	for i := range peers {
		figures[i] = make([]peerFigures, len(loads))
	}
	for round := range *peerRounds {
		for l, load := range loads {
			seeds := startBroker(t)
			fillInput(t, seeds, peerWarmUp+peerEvents, renewed(t, load.events, load.known))
			for i := range peers {
				micros, memory := peers[i].measure(t, seeds)
				figures[i][l].micros, figures[i][l].memory = append(figures[i][l].micros, micros), max(figures[i][l].memory, memory)
				t.Logf("round %d, %s, %s: %.1f µs, %d MB", round+1, load.name, peers[i].name, micros, memory>>20)
			}
		}
	}
	return figures
}

// String is the median CPU time of an event, and how many a core does in a second.
func (f peerFigures) String() string {
	slices.Sort(f.micros)
	median := f.micros[len(f.micros)/2]
	return fmt.Sprintf("%.0f, %.0f", median, 1e6/median)
}

// writePeers replaces the table between the marks of the page.
func writePeers(t *testing.T, table string) {
	const begin, end = "<!-- peers -->\n", "<!-- /peers -->\n"
	page, err := os.ReadFile(*peersPage)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), begin)
	require.True(t, found, "%s has no %s", *peersPage, begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, "%s has no %s", *peersPage, end)
	require.NoError(t, os.WriteFile(*peersPage, []byte(before+begin+table+end+after), 0o600))
}

// confabPeer is the role detect of a program, with a consumer group of its own.
func confabPeer(t *testing.T, name, program string) peer {
	return peer{name: name, env: []string{"GOMAXPROCS=1"}, command: func(seeds, group string) []string {
		file := filepath.Join(t.TempDir(), "confab.yaml")
		require.NoError(t, os.WriteFile(file, []byte("roles: [detect]\nkafka: {seed_brokers: ["+seeds+"], consumer_group: "+group+
			", start_offset: earliest}\nadmin: {listen: 127.0.0.1:0}\nlog: {level: error}\n"), 0o600))
		return []string{program, "run", "--config", file}
	}}
}

// measure runs the program until it has processed every record. It returns the CPU time of an event after the warm-up, and the
// largest resident set.
func (p *peer) measure(t *testing.T, seeds []string) (micros float64, memory int64) {
	admin, err := kafka.NewAdmin(kafka.Config{SeedBrokers: seeds})
	require.NoError(t, err)
	defer admin.Close()
	output := fmt.Sprint("peer-", time.Now().UnixNano())
	_, _, err = admin.ApplyTopics(t.Context(), []kafka.TopicSpec{{Name: output, Partitions: 1}})
	require.NoError(t, err)
	command := append([]string{"taskset", "-c", "1"}, p.command(strings.Join(seeds, ","), output)...)
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
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
		if p.output {
			n, err := countRecords(t.Context(), seeds, output)
			require.NoError(t, err)
			return n
		}
		read, err := admin.GroupProgress(t.Context(), output+"-"+string(config.RoleDetect))
		require.NoError(t, err)
		return int(read.Ends - read.Lag)
	}
	await := func(n int) (int, time.Duration) {
		for tick := time.NewTicker(100 * time.Millisecond); ; <-tick.C {
			select {
			case err := <-ended:
				ended <- err
				require.Fail(t, "the program ended", "%s: %v\n%s", p.name, err, log.String())
			default:
			}
			if done := progress(); done >= n {
				return done, processTime(t, cmd.Process.Pid)
			}
		}
	}
	first, before := await(peerWarmUp)
	last, after := await(peerWarmUp + peerEvents)
	require.Equal(t, peerWarmUp+peerEvents, last, "one output for each event")
	if p.output {
		requireMapped(t, seeds, output)
	}
	return float64((after - before).Microseconds()) / float64(last-first), largestMemory(t, cmd.Process.Pid)
}

// countRecords is the offset of the next record of the topic's only partition.
func countRecords(ctx context.Context, seeds []string, topic string) (int, error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...))
	if err != nil {
		return 0, err
	}
	defer client.Close()
	ends, err := kadm.NewClient(client).ListEndOffsets(ctx, topic)
	if err != nil {
		return 0, err
	}
	end, _ := ends.Lookup(topic, 0)
	return int(end.Offset), nil
}

// requireMapped reads the first output.
func requireMapped(t *testing.T, seeds []string, topic string) {
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	require.NoError(t, err)
	defer client.Close()
	fetches := client.PollRecords(t.Context(), 1)
	require.NoError(t, fetches.Err0())
	var out map[string]any
	require.NoError(t, json.Unmarshal(fetches.Records()[0].Value, &out))
	require.Equal(t, true, out["valid"])
	require.Len(t, out, 6)
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
