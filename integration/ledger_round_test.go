//go:build integration

package integration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

const (
	alertGroup = "confab-alert"

	// The slots of a round's workers: detect, sample and alert.
	detectSlots = 3
	sampleSlot  = 3
	alertSlot   = 4
	allSlots    = 5

	diskSize = 1 << 30
)

// round is a run of the whole pipeline on three real brokers, under faults of every kind.
type round struct {
	brokerTier
	cluster *Cluster
	bin     string
	file    string // configuration
	events  int
	slack   *slackChannel
	fleet   *workerFleet
}

// RoundResult is what a round found, as it is kept.
type RoundResult struct {
	Round    int            `json:"round"`
	Seed     uint64         `json:"seed"`
	Delivery string         `json:"delivery"`
	Versions string         `json:"versions"`
	Commit   string         `json:"commit"`
	Events   int            `json:"events"`
	Faults   map[string]int `json:"faults"`
	Planned  int            `json:"planned"`
	Hit      int            `json:"hit"`
	Detect   AuditResult    `json:"detect"`
	Copies   AuditResult    `json:"copies"`
	Deep     AuditResult    `json:"deep"`
	Alerts   int            `json:"alerts"` // distinct incidents
	Slack    slackAudit     `json:"slack"`
	Ended    []string       `json:"ended"` // workers that ended by themselves
	Drain    float64        `json:"drain"` // seconds from the end of load and faults until the lag of detect is 0
	Seconds  float64        `json:"seconds"`
	Err      string         `json:"err"`
}

// newRound starts brokers and workers.
func newRound(t *testing.T, events int, once bool, faults [][]FaultCount) *round {
	t.Helper()
	c, admin := startBrokers(t, ClusterOptions{Links: true, Disk: diskSize})
	versions, err := admin.ApiVersions(t.Context())
	require.NoError(t, err)
	kafka := versions[1]
	brokers := &realBrokers{Cluster: c, admin: admin}
	r := &round{
		brokerTier: brokerTier{
			name: tierB, broker: "Kafka " + kafka.VersionGuess(), seeds: c.Seeds(), once: once, session: 6 * time.Second, faults: faults, rate: 2 * perTick,
		},
		cluster: c, bin: workerBinary(t), events: events, slack: &slackChannel{},
	}
	r.inflict = func(ctx context.Context, f *workerFleet, fault Fault, struck func()) error {
		if fault.Kind == Kill || fault.Kind == Zombie {
			return r.signalWorker(ctx, f, fault, struck)
		}
		return brokers.inflict(ctx, fault, struck)
	}
	for _, sequence := range faults {
		r.deaths += countFaults(sequence)
	}
	r.deaths++
	r.configure(t, c.LinkSeeds())
	out, err := exec.CommandContext(t.Context(), r.bin, "topics", "apply", "--config", r.file, "--partitions", "6", "--set", "kafka.instance_id=setup").CombinedOutput()
	require.NoError(t, err, string(out))
	r.fleet = startProcesses(t, allSlots, func(slot int, admin string) *exec.Cmd {
		role := "detect"
		switch slot {
		case sampleSlot:
			role = "sample"
		case alertSlot:
			role = "alert"
		}
		return exec.Command(r.bin, "run", "--config", r.file, "--roles", role, "--emit", "all", //nolint:noctx // the fleet ends it
			"--set", fmt.Sprintf("kafka.instance_id=ledger-%d", slot), "--set", "admin.listen="+admin)
	})
	return r
}

const slackSettings = `
  slack: {bot_token: xoxb-ledger, channel: C0LEDGER, api_url: %s/api/, interval: 50ms}
`

// configure writes the configuration: workers reach brokers through the links.
func (r *round) configure(t *testing.T, links []string) {
	t.Helper()
	serve := func(h http.Handler) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	registry := serve(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/schemas/ids/1" {
			http.NotFound(w, q)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"schema": schemas.InteractionAvro()}) // the worker may have ended
	}))
	seeds := r.seeds
	r.seeds = links
	text := r.config()
	r.seeds = seeds
	text += fmt.Sprintf(`
schema_registry: {url: %q}
sampling: {tenants: {default: 0.02}, salt: ledger}
detectors: {consistency: {max_tokens: 100}}
llm:
  sampler: {base_url: "%s/v1", model: scripted}
alerting:
  group_interval: 1s`+slackSettings, registry, serve(newMeteredModel()), serve(r.slack))
	r.file = filepath.Join(t.TempDir(), "confab.yaml")
	require.NoError(t, os.WriteFile(r.file, []byte(text), 0o600))
}

// run writes the load under faults, waits until every role is done, and audits what each has written.
func (r *round) run(t *testing.T, number int) *RoundResult {
	t.Helper()
	began := time.Now()
	inputs, err := MixedInputs(r.events, *seed)
	require.NoError(t, err)
	t.Logf("round %d, seed %d", number, *seed)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	l, hit := r.underFaults(ctx, t, r.fleet, inputs)
	loaded := time.Now()
	r.drain(t)
	drained := time.Since(loaded)
	r.drainGroup(t, sampleGroup, topicSampled)
	r.drainGroup(t, alertGroup, topicIncidents)
	r.awaitDelivered(ctx, t)
	t.Logf("detect is done after %.1f s, sample and alert after %.1f s", drained.Seconds(), time.Since(loaded).Seconds())
	res := &RoundResult{
		Round: number, Seed: *seed, Delivery: "at_least_once", Versions: r.versions(t, r.bin), Commit: commitHash(t),
		Events: r.events, Faults: map[string]int{}, Hit: hit, Drain: drained.Seconds(),
	}
	if r.once {
		res.Delivery = "exactly_once"
	}
	for _, f := range slices.Concat(r.faults...) {
		res.Faults[string(f.Kind)] += f.Count
		res.Planned += f.Count
	}
	res.Ended = r.fleet.stop(t)
	verdict := r.auditAll(t, l, res)
	if hit*10 < res.Planned*9 {
		verdict = errors.Join(verdict, fmt.Errorf("the round is void: %d of %d faults hit under load", hit, res.Planned))
	}
	if verdict != nil {
		res.Err = verdict.Error()
	}
	res.Seconds = time.Since(began).Seconds()
	t.Log(res)
	return res
}

// auditAll audits detect's output, its copies of sampled interactions, the flags of the deep pass and the messages.
func (r *round) auditAll(t *testing.T, l *loadRun, res *RoundResult) error {
	t.Helper()
	expected := r.expected(t, l)
	incidents, letters, copies := r.read(t, topicIncidents), r.read(t, topicDLQ), r.read(t, topicSampled)
	r.requireSameByConsole(t, topicIncidents, incidents)
	fastFlags, deepFlags, sampled, alerts := splitFlags(t, incidents)
	detect, err := expected.Audit(fastFlags, letters)
	require.NoError(t, err)
	sample, err := auditCopiesOf(sampled, copies)
	require.NoError(t, err)
	evaluated, err := expected.auditDeep(copies, deepFlags)
	require.NoError(t, err)
	channel, err := r.slack.audit()
	require.NoError(t, err)
	res.Detect, res.Copies, res.Deep, res.Alerts, res.Slack = *detect, *sample, *evaluated, alerts, channel
	verdict := errors.Join(detect.Err(), sample.Err(), evaluated.Err())
	if r.once {
		verdict = errors.Join(verdict, detect.Once(), sample.Once(), describeRepeats(fastFlags, letters), r.explainRepeats(t, fastFlags, letters))
	}
	if channel.Incidents != alerts || channel.Unmarked > 0 {
		verdict = errors.Join(verdict, fmt.Errorf("%d alerts, in messages %+v\n%s", alerts, channel, strings.Join(r.slack.calls, "\n")))
	}
	if len(copies) == 0 || alerts == 0 {
		verdict = errors.Join(verdict, errors.New("the round is void: nothing was sampled, or nothing is an alert"))
	}
	return verdict
}

// describeRepeats returns an error with the flags and dead letters of the input records that have several.
func describeRepeats(flags, letters []Record) error {
	byOrigin := map[RecordPosition][]string{}
	for _, r := range flags {
		if at, _, err := readFlag(r); err == nil {
			byOrigin[at] = append(byOrigin[at], fmt.Sprintf("flag %v %s", r.RecordPosition, r.Writer))
		}
	}
	for _, r := range letters {
		if at, err := readLetter(r); err == nil {
			byOrigin[at] = append(byOrigin[at], fmt.Sprintf("dead letter %v %s", r.RecordPosition, r.Writer))
		}
	}
	var errs []error
	for at, list := range byOrigin {
		if len(list) > 1 && len(errs) < 20 {
			errs = append(errs, fmt.Errorf("input %v: %s", at, strings.Join(list, "; ")))
		}
	}
	return errors.Join(errs...)
}

// awaitDelivered waits until the worker with role alert has no pending incidents.
func (r *round) awaitDelivered(ctx context.Context, t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	require.NoError(t, r.fleet.ready(ctx, alertSlot))
	require.NoError(t, awaitTrue(ctx, "no incident is pending", func() (bool, error) {
		n, err := r.fleet.slots[alertSlot].metric(ctx, `confab_alert_pending_incidents`)
		return err == nil && n == 0, errors.Join(err, fmt.Errorf("%g are", n))
	}))
}

// requireSameByConsole compares records with those that Kafka's console consumer reads.
func (r *round) requireSameByConsole(t *testing.T, topic string, records []Record) {
	t.Helper()
	byConsole, err := r.console(t.Context(), topic)
	require.NoError(t, err)
	values := map[RecordPosition]string{}
	for _, record := range records {
		values[record.RecordPosition] = record.Key + "\t" + string(record.Value)
	}
	require.Len(t, byConsole, len(values), "records of %s that the console consumer reads", topic)
	for at, value := range byConsole {
		require.Equal(t, values[at], value, "%s %v", topic, at)
	}
}

// splitFlags splits flags by pass. It returns also the positions of sampled interactions by number of copies, none yet,
// and the number of distinct incidents that are alerts.
func splitFlags(t *testing.T, incidents []Record) (first, second []Record, sampled map[RecordPosition]bool, alerts int) {
	t.Helper()
	sampled, ids := map[RecordPosition]bool{}, map[string]bool{}
	for _, r := range incidents {
		var f struct {
			Incident string `json:"incident_id"`
			Pass     string `json:"pass"`
			Sampled  bool   `json:"sampled"`
			Alert    bool   `json:"alert"`
		}
		require.NoError(t, json.Unmarshal(r.Value, &f))
		if f.Alert {
			ids[f.Incident] = true
		}
		if f.Pass == deep {
			second = append(second, r)
			continue
		}
		first = append(first, r)
		if at, _, err := readFlag(r); err == nil && f.Sampled {
			sampled[at] = true
		}
	}
	return first, second, sampled, len(ids)
}

// auditCopiesOf compares copies with the interactions whose flags say that they are sampled.
func auditCopiesOf(sampled map[RecordPosition]bool, copies []Record) (*AuditResult, error) {
	e := &Expected{Flags: map[RecordPosition]string{}}
	for at := range sampled {
		e.Flags[at] = ""
	}
	return e.AuditCopies(copies)
}

// auditDeep expects a flag of the deep pass for each copy.
func (b *Expected) auditDeep(copies, flags []Record) (*AuditResult, error) {
	e := &Expected{Passes: []string{deep}, Flags: map[RecordPosition]string{}}
	for _, r := range copies {
		at, err := readOrigin(r.Headers["confab-origin"])
		if err != nil {
			return nil, fmt.Errorf("copy at %v: %w", r.RecordPosition, err)
		}
		e.Flags[at] = b.Flags[at]
	}
	return e.Audit(flags, nil)
}

// String returns the line that is quoted.
func (r *RoundResult) String() string {
	return fmt.Sprintf("round %d, seed %d, %s: %d events, %d faults (%d under load), %d alerts, %d messages (%d posts, %d marked); "+
		"detect %s; copies %s; deep %s; lag 0 after %.1f s; %.0f s; %s, commit %s%s",
		r.Round, r.Seed, r.Delivery, r.Events, r.Planned, r.Hit, r.Alerts, r.Slack.Messages, r.Slack.Posts, r.Slack.Marked,
		&r.Detect, &r.Copies, &r.Deep, r.Drain, r.Seconds, r.Versions, r.Commit, prefixed("; ", r.Err))
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// console reads the committed records of a topic with Kafka's console consumer, in a broker's container. It ends when
// nothing has come for some seconds.
func (r *round) console(ctx context.Context, topic string) (map[RecordPosition]string, error) {
	out, err := r.cluster.Exec(ctx, 0, strings.Fields("java -Xmx256m -cp /opt/kafka/libs/* org.apache.kafka.tools.consumer.ConsoleConsumer "+
		"--bootstrap-server "+InternalSeed(0)+" --from-beginning --isolation-level read_committed --timeout-ms 8000 --topic "+topic+
		" --property print.partition=true --property print.offset=true --property print.key=true")...)
	if err != nil {
		return nil, err
	}
	records := map[RecordPosition]string{}
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "Partition:") {
			continue // a warning
		}
		var at RecordPosition
		partition, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		offset, rest, found := strings.Cut(rest, "\t")
		if _, err := fmt.Sscanf(partition+" "+offset, "Partition:%d Offset:%d", &at.Partition, &at.Offset); err != nil || !found {
			return nil, fmt.Errorf("console consumer: %s", line)
		}
		records[at] = rest
	}
	return records, nil
}
