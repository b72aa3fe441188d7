package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
)

const monitoringDir = "../../helm/confab/monitoring"

// alertingRule is a rule of rules.yaml.
type alertingRule struct {
	Alert       string
	Expr        string
	Labels      map[string]string
	Annotations map[string]string
}

func readRules(t *testing.T) (all []alertingRule) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(monitoringDir, "rules.yaml"))
	require.NoError(t, err)
	var file struct {
		Groups []struct{ Rules []alertingRule }
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	require.NotEmpty(t, all)
	return all
}

// metricNames are those of docs/metrics.md, which a test compares with the registry, and of the Go process.
func metricNames(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	names := map[string]bool{"process_cpu_seconds_total": true, "process_resident_memory_bytes": true}
	for _, m := range regexp.MustCompile("(?m)^\\| `(confab_\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		names[m[1]] = true
	}
	return names
}

var metricName = regexp.MustCompile(`\b(?:confab|process)_[a-z_]+`)

// requireMetrics fails for a metric that no worker has.
func requireMetrics(t *testing.T, expr, where string) {
	t.Helper()
	known := metricNames(t)
	found := metricName.FindAllString(expr, -1)
	require.NotEmpty(t, found, where)
	for _, name := range found {
		base := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_sum"), "_count")
		require.True(t, known[name] || known[base], "%s: no metric is called %s", where, name)
	}
}

// Every rule says how severe it is, what happened and what to do, and is tested both ways.
func TestRulesAreComplete(t *testing.T) {
	runbooks, err := os.ReadFile("../../docs/runbooks.md")
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(monitoringDir, "rules_test.yaml"))
	require.NoError(t, err)
	var cases struct {
		Tests []struct {
			Rules []struct {
				Alert string `yaml:"alertname"`
				Want  []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &cases))
	fires, quiet := map[string]bool{}, map[string]bool{}
	for _, c := range cases.Tests {
		for _, r := range c.Rules {
			fires[r.Alert] = fires[r.Alert] || len(r.Want) > 0
			quiet[r.Alert] = quiet[r.Alert] || len(r.Want) == 0
		}
	}
	names := map[string]bool{}
	for _, r := range readRules(t) {
		require.False(t, names[r.Alert], "%s is there twice", r.Alert)
		names[r.Alert] = true
		require.Contains(t, []string{"critical", "warning"}, r.Labels["severity"], r.Alert)
		require.NotEmpty(t, r.Annotations["summary"], r.Alert)
		require.NotEmpty(t, r.Annotations["description"], r.Alert)
		require.Equal(t, "docs/runbooks.md#"+strings.ToLower(r.Alert), r.Annotations["runbook_url"])
		require.Contains(t, string(runbooks), "\n## "+r.Alert+"\n", "the runbook of %s", r.Alert)
		require.True(t, fires[r.Alert] && quiet[r.Alert], "%s has a case in which it fires and one in which it does not", r.Alert)
		requireMetrics(t, r.Expr, r.Alert)
	}
	for _, m := range regexp.MustCompile(`(?m)^## (\w+)$`).FindAllStringSubmatch(string(runbooks), -1) {
		require.True(t, names[m[1]], "the runbook %s belongs to a rule", m[1])
	}
}

// dashboard is as much of a dashboard as these tests look at.
type dashboard struct {
	UID, Title string
	Panels     []struct {
		ID                 int
		Type, Title        string
		Description        string
		GridPos            struct{ X, Y, W, H int }
		Targets            []struct{ Expr, LegendFormat string }
		DatasourceTemplate struct{ UID string } `json:"datasource"`
	}
}

func readDashboards(t *testing.T) (all []dashboard) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(monitoringDir, "dashboards", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var d dashboard
		require.NoError(t, json.Unmarshal(text, &d), name)
		require.Equal(t, "confab-"+strings.TrimSuffix(filepath.Base(name), ".json"), d.UID)
		all = append(all, d)
	}
	return all
}

func TestDashboardsAreComplete(t *testing.T) {
	for _, d := range readDashboards(t) {
		ids, cells := map[int]bool{}, map[[2]int]string{}
		for _, p := range d.Panels {
			where := d.UID + ": " + p.Title
			require.False(t, ids[p.ID], "%s: its id is there twice", where)
			ids[p.ID] = true
			require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, where)
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					require.Empty(t, cells[[2]int{x, y}], "%s lies over another panel", where)
					cells[[2]int{x, y}] = where
				}
			}
			if p.Type == "row" {
				continue
			}
			require.NotEmpty(t, p.Description, where)
			require.Equal(t, "${datasource}", p.DatasourceTemplate.UID, where)
			require.NotEmpty(t, p.Targets, where)
			for _, target := range p.Targets {
				require.NotEmpty(t, target.LegendFormat, where)
				requireMetrics(t, target.Expr, where)
			}
		}
	}
}

// prometheusTool finds a program of Prometheus. Its tests run with REQUIRE_PROMETHEUS=1, as make monitoring does.
func prometheusTool(t *testing.T, name string) string {
	t.Helper()
	if os.Getenv("REQUIRE_PROMETHEUS") == "" {
		t.Skip("make monitoring runs it")
	}
	file, err := exec.LookPath(name)
	require.NoError(t, err, "install the packages prometheus and prometheus-alertmanager")
	return file
}

func TestRulesFire(t *testing.T) {
	tool := prometheusTool(t, "promtool")
	for _, args := range [][]string{{"check", "rules", "--lint=all", "--lint-fatal", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		cmd := exec.CommandContext(t.Context(), tool, args...)
		cmd.Dir = monitoringDir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", args, out)
	}
}

// TestAlertmanagerExample: the routes of examples/alertmanager are valid, and each alert reaches the receivers that its comment names.
func TestAlertmanagerExample(t *testing.T) {
	tool := prometheusTool(t, "amtool")
	file := filepath.Join("..", "..", "examples", "alertmanager", "alertmanager.yml")
	out, err := exec.CommandContext(t.Context(), tool, "check-config", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for receivers, labels := range map[string][]string{
		"on-call,chat": {"alertname=ConfabHallucination", "severity=critical", "tenant=bank"},
		"chat":         {"alertname=ConfabHallucination", "severity=warning", "tenant=bank"},
		"owners":       {"alertname=ConfabDetectorBroken", "severity=warning"},
	} {
		args := append([]string{"config", "routes", "test", "--config.file=" + file, "--verify.receivers=" + receivers}, labels...)
		out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
}

// withoutData are panels of what the worker of TestQueriesInPrometheus does not do.
var withoutData = regexp.MustCompile(`^confab-cost: (Sampled|Not judged|Requests|Time of a request|Tokens|Cost a day|Budget|Budget by tenant)$|` +
	`^confab-overview: (Schema registry|Checks on request|Halted partitions|Lost)$|^confab-quality: (Models without a calibration)$`)

// Every query runs in a real Prometheus that scrapes a running worker, and finds data where the worker has some.
func TestQueriesInPrometheus(t *testing.T) {
	tool := prometheusTool(t, "prometheus")
	cluster, err := embedded.Start(embedded.Options{})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	s := &docsHarness{dir: t.TempDir()}
	admin, api := freePort(t), freePort(t)
	s.env = append(os.Environ(), "KAFKA_BROKERS="+strings.Join(cluster.Seeds(), ","), "CONFAB_ADMIN_LISTEN="+admin, "CONFAB_KAFKA_START_OFFSET=earliest")
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(s.dir, "confab")))
	s.config(t)
	s.sh(t, "confab topics apply --partitions 1")
	s.startProgram(t, filepath.Join(s.dir, "confab"), "run", "--set", "alerting.console=true")
	config := fmt.Sprintf("global: {scrape_interval: 500ms, evaluation_interval: 500ms}\nrule_files: [rules.yaml]\nscrape_configs: [{job_name: confab, static_configs: [{targets: [%q]}]}]\n", admin)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "prometheus.yml"), []byte(config), 0o600))
	rules, err := os.ReadFile(filepath.Join(monitoringDir, "rules.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "rules.yaml"), rules, 0o600))
	s.startProgram(t, tool, "--config.file=prometheus.yml", "--storage.tsdb.path=data", "--web.listen-address="+api)
	s.flow(t, cluster, "http://"+api)

	queries := 0
	var empty []string
	for _, d := range readDashboards(t) {
		for _, p := range d.Panels {
			for _, target := range p.Targets {
				expr := strings.NewReplacer("$__rate_interval", "20s", `$job`, ".*").Replace(target.Expr)
				rows := ask(t, "http://"+api, expr)
				queries++
				if where := d.UID + ": " + p.Title; !withoutData.MatchString(where) && rows == 0 {
					empty = append(empty, where+": "+expr)
				}
			}
		}
	}
	for _, r := range readRules(t) {
		ask(t, "http://"+api, r.Expr)
		queries++
	}
	require.Empty(t, empty, "queries without data")
	t.Logf("%d queries", queries)
}

// flow writes good and bad answers until Prometheus has rates of them.
func (s *docsHarness) flow(t *testing.T, cluster *embedded.Cluster, api string) {
	t.Helper()
	producer, err := kafka.NewProducer(kafka.Config{SeedBrokers: cluster.Seeds()})
	require.NoError(t, err)
	defer producer.Close()
	label := fmt.Sprintf(`{"incident_id":%q,"verdict":"wrong","detectors":["citation"],"user":"ann","source":"cli","at":%q}`, strings.Repeat("ab", 32), time.Now().UTC().Format(time.RFC3339))
	require.NoError(t, producer.ProduceSync(t.Context(), kafka.Message{Topic: "llm.feedback", Partition: kafka.AnyPartition, Value: []byte(label)}))
	pause := time.NewTicker(500 * time.Millisecond)
	defer pause.Stop()
	for i, end := 0, time.Now().Add(time.Minute); ; i++ {
		require.True(t, time.Now().Before(end), "Prometheus has no rates")
		for _, value := range []string{
			fmt.Sprintf(`{"interaction_id":"bad-%d","service":"bot","model":"m","answer":"The lifetime warranty covers theft and accidental damage everywhere [9]. Express parcels cost 30 euros [1].","sources":[{"id":"1","text":"Standard parcels leave the Rotterdam warehouse within two working days. Express parcels cost 14 euros."}]}`, i),
			fmt.Sprintf(`{"interaction_id":"none-%d","service":"bot","model":"m","answer":"Yes."}`, i), "poison",
		} {
			require.NoError(t, producer.ProduceSync(t.Context(), kafka.Message{Topic: "llm.interactions", Partition: kafka.AnyPartition, Value: []byte(value)}))
		}
		if ask(t, api, `rate(confab_interactions_total{role="detect"}[20s]) > 0 and on () rate(confab_dlq_records_total[20s]) > 0 and on () confab_consumer_lag_records`) > 0 {
			return
		}
		<-pause.C
	}
}

// startProgram runs a program in the folder of the test until its end.
func (s *docsHarness) startProgram(t *testing.T, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	cmd.Dir, cmd.Env = s.dir, s.env
	log, err := os.Create(filepath.Join(s.dir, filepath.Base(program)+".log"))
	require.NoError(t, err)
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		log.Close()
		if t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Logf("%s:\n%s", log.Name(), text[max(0, len(text)-3000):])
		}
	})
}

// ask returns the number of rows of an instant query; 0 while Prometheus does not answer yet.
func ask(t *testing.T, api, expr string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, api+"/api/v1/query?"+url.Values{"query": {expr}}.Encode(), http.NoBody)
	require.NoError(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	if resp.StatusCode == http.StatusServiceUnavailable {
		return 0
	}
	require.Equal(t, http.StatusOK, resp.StatusCode, "%s\n%s", expr, text)
	var answer struct {
		Data struct{ Result []json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(text, &answer))
	return len(answer.Data.Result)
}

// freePort returns an address of this machine that nothing listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // closed at once
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// ConfabModelRateRose looks every hour. Of a rate that stays as it is, at most one year in twenty has a false alarm; one that doubles
// from 5 % is found within a week at 2,000 verdicts a week, one that doubles from 20 % at 300.
func TestModelRateRoseIsSeldomFalse(t *testing.T) {
	var threshold, least float64
	for _, r := range readRules(t) {
		if r.Alert == "ConfabModelRateRose" {
			_, err := fmt.Sscan(regexp.MustCompile(`\) > (\S+)`).FindStringSubmatch(r.Expr)[1], &threshold)
			require.NoError(t, err)
			_, err = fmt.Sscan(regexp.MustCompile(`>= (\S+)`).FindStringSubmatch(r.Expr)[1], &least)
			require.NoError(t, err)
		}
	}
	const week = 7 * 24
	alarms := func(years, hours int, perWeek, before, later float64) (share float64) {
		for year := range years {
			rate := before
			random := rand.New(rand.NewPCG(uint64(year), 38))
			wrong, all := make([]float64, hours+1), make([]float64, hours+1)
			for h := range hours {
				if h == 2*week {
					rate = later
				}
				w, f := poisson(random, perWeek*rate/week), poisson(random, perWeek*(1-rate)/week)
				wrong[h+1], all[h+1] = wrong[h]+w, all[h]+w+f
			}
			for h := 2 * week; h <= hours; h++ {
				w1, n1 := wrong[h]-wrong[h-week], all[h]-all[h-week]
				w0, n0 := wrong[h-week]-wrong[h-2*week], all[h-week]-all[h-2*week]
				p := (w0 + w1) / (n0 + n1)
				if (w1/n1-w0/n0)/math.Sqrt(p*(1-p)*(1/n1+1/n0)) > threshold && n1 >= least && n0 >= least {
					share += 1 / float64(years)
					break
				}
			}
		}
		return share
	}
	const year = 52 * week
	for _, c := range [][2]float64{{110, 0.3}, {300, 0.05}, {1000, 0.02}, {5000, 0.1}} {
		got := alarms(100, year, c[0], c[1], c[1])
		t.Logf("%v verdicts a week, %v wrong: %v of years with a false alarm", c[0], c[1], got)
		require.LessOrEqual(t, got, 0.05)
	}
	require.GreaterOrEqual(t, alarms(100, 3*week, 2000, 0.05, 0.1), 0.9)
	require.GreaterOrEqual(t, alarms(100, 3*week, 300, 0.2, 0.4), 0.9)
}

func poisson(random *rand.Rand, mean float64) (n float64) {
	for p := random.Float64(); p > math.Exp(-mean); n++ {
		p *= random.Float64()
	}
	return n
}
