package integration

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka/embedded"
)

var (
	distinctNames = flag.Int("cardinality.names", 0, "distinct tenants, models and services; 0 skips the test")
	memLimit      = flag.Int64("cardinality.gomemlimit", 230<<20, "GOMEMLIMIT of the worker in bytes, 0 for none: 90 % of the limit that the chart suggests")
)

const (
	alertLimit = 256 << 20 // bytes, the memory limit that the chart suggests for alert
	bankGroups = 8         // problems of the configured tenant during a run
	onTime     = 30 * time.Second
	inFlight   = 2000 // flags that the worker has not read yet
)

//go:embed testdata/flag.json
var flagTemplate []byte

// TestCardinality sends flags of ever new tenants, models and services to a worker that notifies Slack. Its memory stays
// within the limit of the chart, its throughput does not fall, and a configured tenant is notified on time, also after a
// restart.
func TestCardinality(t *testing.T) {
	if *distinctNames == 0 {
		t.Skip("run make cardinality")
	}
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{
		topicIn: 3, topicIncidents: 3, topicDLQ: 1, "llm.alerts": 3, "llm.feedback": 1,
	}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	slack := newFakeSlack(t)
	p := &alertProcess{t: t, bin: workerBinary(t), file: filepath.Join(t.TempDir(), "confab.yaml")}
	require.NoError(t, os.WriteFile(p.file, fmt.Appendf(nil, cardinalityConfig, strings.Join(c.Seeds(), ", "), slack.URL), 0o600))
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...), kgo.DefaultProduceTopic(topicIncidents))
	require.NoError(t, err)
	t.Cleanup(cl.Close)

	p.start()
	began := time.Now()
	marks := []time.Time{began}
	for i := range *distinctNames {
		if i%(*distinctNames/bankGroups) == *distinctNames/bankGroups/2 {
			service := fmt.Sprintf("bank-%d", i)
			slack.expect(service)
			writeFlags(t, cl, cardinalityFlag(t, "bank", service, "m", i))
		}
		n := strconv.Itoa(i)
		writeFlags(t, cl, cardinalityFlag(t, "tenant-"+n, "service-"+n, "model-"+n, i))
		if i%100 == 0 {
			p.await("flags are read", func() bool { return p.read() >= float64(i-inFlight) })
		}
		if (i+1)%(*distinctNames/10) == 0 {
			p.await("flags are read", func() bool { return p.read() >= float64(i+1) })
			marks = append(marks, time.Now())
			t.Logf("%7d flags, %5.1f s, RSS %3d MiB, groups %.0f, suppressed at the limit %.0f", i+1, time.Since(began).Seconds(),
				p.status("VmRSS")>>20, p.metric("confab_alert_groups"), p.metric(`confab_notifications_suppressed_total{reason="state_limit"`))
		}
	}
	rate := func(tenth int) float64 {
		return float64(*distinctNames/10) / marks[tenth].Sub(marks[tenth-1]).Seconds()
	}
	rss, peak := p.status("VmRSS"), p.status("VmHWM")
	slack.wait(t, onTime)
	p.stop()
	p.start()
	service := "bank-after-restart"
	slack.expect(service)
	writeFlags(t, cl, cardinalityFlag(t, "bank", service, "m", *distinctNames))
	slack.wait(t, 2*time.Minute)
	p.await("the flag is read", func() bool { return p.read() >= 1 })
	again := p.status("VmHWM")
	t.Logf("%d names: %.0f s; RSS %d MiB, peak %d MiB, peak after restart %d MiB; flags/s first tenth %.0f, last tenth %.0f; slowest message of the configured tenant %s, after the restart %s; %d messages",
		*distinctNames, marks[len(marks)-1].Sub(began).Seconds(), rss>>20, peak>>20, again>>20, rate(1), rate(10),
		slack.slowest("bank-after-restart"), slack.delay(service), slack.posts())
	p.stop()
	if os.Getenv("CONFAB_BIN") != "" {
		return // figures of another version, for comparison
	}
	require.Less(t, peak, int64(alertLimit))
	require.Less(t, again, int64(alertLimit))
	require.GreaterOrEqual(t, rate(10), 0.8*rate(1))
	require.Less(t, slack.slowest(), onTime)
}

const cardinalityConfig = `
kafka:
  seed_brokers: [%s]
  start_offset: earliest
log: {format: json}
tenants:
  bank: {}
alerting:
  slack:
    bot_token: xoxb-cardinality
    channel: C0123ABCD
    api_url: %s/
`

func writeFlags(t *testing.T, cl *kgo.Client, value []byte) {
	t.Helper()
	cl.Produce(t.Context(), &kgo.Record{Value: value}, func(_ *kgo.Record, err error) {
		if err != nil {
			t.Error(err)
		}
	})
}

// cardinalityFlag is the template under other names, detected now.
func cardinalityFlag(t *testing.T, tenant, service, model string, i int) []byte {
	t.Helper()
	f := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(flagTemplate, &f))
	set := func(key string, v any) {
		raw, err := json.Marshal(v)
		require.NoError(t, err)
		f[key] = raw
	}
	set("incident_id", fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%s/%d", tenant, i))))
	set("tenant", tenant)
	set("service", service)
	set("model", model)
	set("recommendation", []string{"flag", "block"}[i%2]) // the severity
	set("detected_at", time.Now().UTC())
	raw, err := json.Marshal(f)
	require.NoError(t, err)
	return raw
}

// alertProcess is a worker that runs the alert role.
type alertProcess struct {
	t         *testing.T
	bin, file string
	cmd       *exec.Cmd
	admin     string
}

func (p *alertProcess) start() {
	p.t.Helper()
	port, err := FreePort(p.t.Context())
	require.NoError(p.t, err)
	p.admin = net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	p.cmd = exec.Command(p.bin, "run", "--config", p.file, "--roles", "alert", "--set", "admin.listen="+p.admin) //nolint:noctx // stop ends it
	p.cmd.Env = os.Environ()
	if *memLimit > 0 {
		p.cmd.Env = append(p.cmd.Env, fmt.Sprintf("GOMEMLIMIT=%d", *memLimit))
	}
	log, err := os.Create(filepath.Join(p.t.TempDir(), "worker.log"))
	require.NoError(p.t, err)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	require.NoError(p.t, p.cmd.Start())
	p.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		log.Close()
		if p.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			p.t.Logf("worker: %s", text[max(0, len(text)-2000):])
		}
	})
}

func (p *alertProcess) stop() {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(p.t, p.cmd.Wait())
}

func (p *alertProcess) await(what string, done func() bool) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Minute)
	defer cancel()
	require.NoError(p.t, awaitTrue(ctx, what, func() (bool, error) { return done(), nil }))
}

func (p *alertProcess) read() float64 { return p.metric(`confab_interactions_total{`) }

// metric sums the series whose lines begin with the prefix; 0 while the process does not answer.
func (p *alertProcess) metric(prefix string) (sum float64) {
	resp, err := http.Get("http://" + p.admin + "/metrics") //nolint:noctx // a test against loopback
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	for s := bufio.NewScanner(resp.Body); s.Scan(); {
		if line := s.Text(); strings.HasPrefix(line, prefix) {
			v, _ := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			sum += v
		}
	}
	return sum
}

// status is a size of the process in bytes, as /proc shows it.
func (p *alertProcess) status(key string) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	require.NoError(p.t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			require.NoError(p.t, err)
			return kib << 10
		}
	}
	return 0
}

// fakeSlack accepts every message and notes when a service was first named.
type fakeSlack struct {
	*httptest.Server
	mu    sync.Mutex
	count int
	since map[string]time.Time
	took  map[string]time.Duration
}

func newFakeSlack(t *testing.T) *fakeSlack {
	s := &fakeSlack{since: map[string]time.Time{}, took: map[string]time.Duration{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *fakeSlack) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil { // the worker was killed
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	for service, at := range s.since {
		if _, done := s.took[service]; !done && strings.Contains(string(body), service) {
			s.took[service] = time.Since(at)
		}
	}
	fmt.Fprintf(w, `{"ok":true,"channel":"C0123ABCD","ts":"%d.000000","messages":[]}`, s.count)
}

func (s *fakeSlack) expect(service string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since[service] = time.Now()
}

// wait returns when all services were named, or after the limit.
func (s *fakeSlack) wait(t *testing.T, limit time.Duration) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	_ = awaitTrue(ctx, "every service is named", func() (bool, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.took) == len(s.since), nil
	})
}

func (s *fakeSlack) posts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// delay is how long it took until the service was named, or how long it is awaited.
func (s *fakeSlack) delay(service string) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	took, ok := s.took[service]
	if !ok {
		took = time.Since(s.since[service])
	}
	return took.Round(time.Millisecond)
}

func (s *fakeSlack) slowest(except ...string) (worst time.Duration) {
	s.mu.Lock()
	var all []string
	for service := range s.since {
		if len(except) == 0 || service != except[0] {
			all = append(all, service)
		}
	}
	s.mu.Unlock()
	for _, service := range all {
		worst = max(worst, s.delay(service))
	}
	return worst
}
