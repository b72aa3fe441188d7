//go:build integration

package integration

import (
	"bufio"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	chaosRounds = flag.Int("chaos.rounds", 14, "rounds; the mode of delivery alternates")
	chaosEvents = flag.Int("chaos.events", 150_000, "records of a round")
	chaosState  = flag.String("chaos.state", "", "directory of the results of finished rounds; empty: TestChaos does not run")
	chaosMode   = flag.String("chaos.delivery", "", "at_least_once or exactly_once for all rounds; empty: in turns")
	chaosReport = flag.String("chaos.report", "", "page whose report is written; empty: none")
)

// TestChaosGate is a small round in each mode of delivery.
func TestChaosGate(t *testing.T) {
	faults := map[string]string{}
	for _, once := range []bool{false, true} {
		t.Run(deliveryName(once), func(t *testing.T) {
			r := newRound(t, 20_000, once, [][]FaultCount{
				{{Kind: Kill, Count: 12, Slots: allSlots, Each: true}, {Kind: Zombie, Count: 1, Slots: detectSlots}},
				{
					{Kind: KillBroker, Count: 1, Slots: 3},
					{Kind: CutBroker, Count: 1, Slots: 3},
					{Kind: FullDisk, Count: 1, Slots: 1},
					{Kind: MoveLeader, Count: 1, Slots: 6},
					{Kind: MuteLink, Count: 1, Slots: 3},
				},
			})
			faults[deliveryName(once)] = "the round ended before its audit"
			faults[deliveryName(once)] = r.run(t, 0).Err
			require.Empty(t, faults[deliveryName(once)])
			delete(faults, deliveryName(once))
		})
	}
	require.Empty(t, faults) // again, as the end of a long log is what people see
}

// TestChaos runs the rounds that are not finished yet and writes the report of all.
func TestChaos(t *testing.T) {
	if *chaosState == "" {
		t.Skip("make chaos-campaign")
	}
	first := *seed
	file := filepath.Join(*chaosState, strconv.FormatUint(first, 10)+".jsonl")
	t.Logf("SEED=%d continues this run; results in %s", first, file)
	results := readResults(t, file)
	for number := len(results); number < *chaosRounds; number++ {
		*seed = first + uint64(number)*100
		t.Run(strconv.Itoa(number), func(t *testing.T) {
			r := newRound(t, *chaosEvents, *chaosMode == "exactly_once" || *chaosMode == "" && number%2 == 1, [][]FaultCount{
				{{Kind: Kill, Count: 40, Slots: allSlots, Each: true}, {Kind: Zombie, Count: 2, Slots: detectSlots}},
				{
					{Kind: KillBroker, Count: 3, Slots: 3, Each: true},
					{Kind: CutBroker, Count: 1, Slots: 3},
					{Kind: PauseBroker, Count: 1, Slots: 3},
					{Kind: FullDisk, Count: 1, Slots: 1},
					{Kind: MoveLeader, Count: 3, Slots: 6},
					{Kind: CutLink, Count: 1, Slots: 3},
					{Kind: MuteLink, Count: 1, Slots: 3},
					{Kind: SlowLink, Count: 1, Slots: 3},
					{Kind: SliceLink, Count: 1, Slots: 3},
				},
			})
			result := r.run(t, number)
			results = append(results, result)
			appendResult(t, file, result)
			require.Empty(t, result.Err)
		})
		if t.Failed() {
			break // a round that stopped in its middle runs again
		}
	}
	if *chaosReport != "" {
		writeChaosReport(t, *chaosReport, results)
	}
}

func deliveryName(once bool) string {
	if once {
		return "exactly_once"
	}
	return "at_least_once"
}

func readResults(t *testing.T, file string) (results []*RoundResult) {
	t.Helper()
	f, err := os.Open(file)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var r RoundResult
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		results = append(results, &r)
	}
	return results
}

func appendResult(t *testing.T, file string, r *RoundResult) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	defer f.Close()
	line, err := json.Marshal(r)
	require.NoError(t, err)
	_, err = f.Write(append(line, '\n'))
	require.NoError(t, err)
}
