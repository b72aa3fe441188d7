//go:build integration

package integration_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

const (
	defaultKills   = 10 // CONFAB_CHAIN_KILLS
	alertsPerRound = 6  // alerting incidents per round
	othersPerRound = 30 // other interactions

	alertPartitions = 3

	topicAlerts   = "llm.alerts"
	topicFeedback = "llm.feedback"
)

// deliveryTest covers the way from an interaction to a message in Slack and back, on real brokers: one worker detects
// without faults, another delivers alerts and is killed again and again.
type deliveryTest struct {
	*integration.Cluster
	t      *testing.T
	slack  *fakeSlack
	bin    string
	config string
	clicks string // address of the alert role's interactions endpoint

	alert *worker
	due   map[string]flag // produced alerting incidents by id
	kills map[string]int  // number of kills by moment
}

// TestChain kills the worker that delivers alerts again and again, at moments spread over its work, and then compares the
// channel with what was due: every alerting incident counted once, no unmarked duplicate message, the records of
// llm.alerts consistent with the channel. Then it labels and silences as users do.
func TestChain(t *testing.T) {
	kills := defaultKills
	if v := os.Getenv("CONFAB_CHAIN_KILLS"); v != "" {
		n, err := strconv.Atoi(v)
		require.NoError(t, err, "CONFAB_CHAIN_KILLS")
		kills = n
	}
	step := stopwatch(t)
	ch := startDelivery(t)
	rounds := ch.splitRounds(t, kills+3)
	step("ready")
	for i := range kills {
		ch.killInRound(t, i, rounds[i])
	}
	step(fmt.Sprintf("%d kills", kills))
	ch.produce(t, rounds[kills])
	ch.awaitDelivered(t)
	ch.slack.closeHistory(false)
	step("settled")

	t.Run("messages", func(t *testing.T) { ch.requireChannel(t) })
	t.Run("records", func(t *testing.T) { ch.requireAlertRecords(t) })
	t.Run("clicks", func(t *testing.T) { ch.requireClicks(t) })
	t.Run("label", func(t *testing.T) { ch.requireLabelCommand(t) })
	t.Run("silence", func(t *testing.T) { ch.requireSilence(t, rounds[kills+1], rounds[kills+2]) })
	step("judged")
}

func startDelivery(t *testing.T) *deliveryTest {
	t.Helper()
	ch := &deliveryTest{
		Cluster: startCluster(t, integration.ClusterOptions{}), t: t, slack: startSlack(t), bin: buildWorker(t),
		clicks: freeAddress(t), due: map[string]flag{}, kills: map[string]int{},
	}
	ch.config = filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(ch.config, fmt.Appendf(nil, `
kafka: {seed_brokers: [%s], start_offset: earliest, session_timeout: 10s}
alerting:
  group_by: [service, operation, model, detectors]
  group_interval: 1s
  slack: {bot_token: %s, channel: %s, api_url: %s/api/, interval: 50ms, signing_secret: %s, interactions_listen: %q}
log: {format: json}
`, strings.Join(ch.Seeds(), ", "), slackToken, slackChannel, ch.slack.URL, signingSecret, ch.clicks), 0o600))
	_, err := command(t.Context(), ch.bin, "topics", "apply", "--config", ch.config, "--partitions", strconv.Itoa(alertPartitions))
	require.NoError(t, err)
	startWorker(t, ch.bin, ch.config, "detect", "kafka.instance_id=detect")
	ch.start()
	return ch
}

// start starts the delivering worker. It replaces the one before it, as a pod of a StatefulSet would.
func (ch *deliveryTest) start(sets ...string) {
	ch.t.Helper()
	ch.alert = startWorker(ch.t, ch.bin, ch.config, "alert", append(sets, "kafka.instance_id=alert")...)
}

// splitRounds splits interactions that `confab check` has evaluated into rounds, each with some that alert and some that
// do not. Half of a round's alerts come from a service of its own, so that each round opens groups and adds to open ones.
func (ch *deliveryTest) splitRounds(t *testing.T, n int) [][]row {
	t.Helper()
	candidates := loadRows(t, 8000)
	var alerts, others []row
	for i, f := range checkRows(t, ch.bin, ch.config, candidates) {
		if f.alert() {
			alerts = append(alerts, candidates[i])
		} else {
			others = append(others, candidates[i])
		}
	}
	require.GreaterOrEqual(t, len(alerts), n*alertsPerRound, "too few alerting rows for so many rounds")
	require.GreaterOrEqual(t, len(others), n*othersPerRound)
	rounds := make([][]row, n)
	for i := range rounds {
		for k := range alertsPerRound {
			service := "shared"
			if k%2 == 0 {
				service = "round-" + strconv.Itoa(i)
			}
			r := alerts[i*alertsPerRound+k]
			r.line = edit(t, r.line, "service", service)
			rounds[i] = append(rounds[i], r)
		}
		rounds[i] = append(rounds[i], others[i*othersPerRound:(i+1)*othersPerRound]...)
	}
	return rounds
}

// checkRows evaluates the rows with the worker's check command.
func checkRows(t *testing.T, bin, config string, rows []row) []flag {
	t.Helper()
	out, err := command(t.Context(), bin, "check", "--config", config, writeRows(t, "rows.jsonl", rows))
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	require.Len(t, lines, len(rows), "check answers every line")
	flags := make([]flag, len(lines))
	for i, line := range lines {
		flags[i] = parseFlag(t, line)
	}
	return flags
}

// produce writes a round and records its due incidents.
func (ch *deliveryTest) produce(t *testing.T, rows []row) {
	t.Helper()
	alerts := 0
	for _, f := range checkRows(t, ch.bin, ch.config, rows) {
		if f.alert() {
			ch.due[f.incident()] = f
			alerts++
		}
	}
	require.Equal(t, alertsPerRound, alerts, "a service changes no verdict")
	_, err := command(t.Context(), ch.bin, "produce", "--config", ch.config, writeRows(t, "round.jsonl", rows))
	require.NoError(t, err)
}

// killInRound produces a round, sends SIGKILL to the worker at the round's moment, and starts another in its place.
func (ch *deliveryTest) killInRound(t *testing.T, round int, rows []row) {
	t.Helper()
	moments := []slackCall{postStored, editStored, postReceived, "record written"}
	moment := moments[round%len(moments)]
	ch.slack.closeHistory(round/len(moments)%2 == 1) // every other time the history cannot be searched for possible duplicates
	victim := ch.alert
	var once sync.Once
	strike := func() bool { once.Do(func() { _ = victim.cmd.Process.Kill() }); return true }
	length, err := ch.Length(t.Context(), topicAlerts)
	require.NoError(t, err)
	if moment != "record written" {
		ch.slack.watch(func(c slackCall) bool { return c == moment && strike() })
	}
	ch.produce(t, rows)
	wait, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, integration.Await(wait, "the worker is killed: "+string(moment), func(ctx context.Context) (bool, error) {
		if moment == "record written" {
			n, err := ch.Length(ctx, topicAlerts)
			if err != nil {
				return false, err
			}
			if n > length+int64(round%8) { // the first record of the round, or a later one
				strike()
			}
		}
		select {
		case <-victim.done:
			return true, nil
		default:
			return false, nil
		}
	}))
	ch.slack.watch(nil)
	require.ErrorContains(t, victim.err, "killed")
	ch.kills[string(moment)]++
	ch.start()
}

// awaitDelivered waits until all due incidents are read and delivered.
func (ch *deliveryTest) awaitDelivered(t *testing.T) {
	t.Helper()
	require.NoError(t, ch.AwaitCaughtUp(t.Context(), "confab-detect", topicIn))
	require.NoError(t, ch.AwaitCaughtUp(t.Context(), "confab-alert", topicIncidents))
	ch.alert.awaitDelivered(t)
}
