package worker

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
	"confab/internal/worker/config"
	"confab/schemas"
	flagjson "confab/schemas/json"
)

var (
	judgedAnswer = regexp.MustCompile(`(?s)Answer:\n<<DATA-[a-p]+\n(.*?)\nDATA-[a-p]+>>`)
	canaryFigure = regexp.MustCompile(`\b\d{5}\b`)
)

// judge replies as one that finds every paragraph wrong or right, and knows its canaries unless it obeys the texts.
func judge(wrong, obeys bool) func(llmtest.Chat, int) string {
	return func(c llmtest.Chat, _ int) string {
		faults := []any{}
		for p := range strings.SplitSeq(judgedAnswer.FindStringSubmatch(c.Last())[1], "\n\n") {
			if !obeys && (wrong || canaryFigure.MatchString(p)) {
				faults = append(faults, map[string]any{"quote": p, "stance": "contradicted", "source": "1", "instead": "fourteen", "material": true, "probability": 0.9})
			}
		}
		text, _ := json.Marshal(map[string]any{"faults": faults})
		return string(text)
	}
}

// newConfirmHarness is a harness whose alerts wait for the server, which nothing else asks.
func newConfirmHarness(t *testing.T, o llmtest.Options) (*workerHarness, *llmtest.Server) {
	t.Helper()
	b, server := newSampleHarness(t, o)
	b.config.Sampling.Rate = 0
	b.config.Kafka.Inputs[0].TenantFrom = config.TenantPayload
	b.config.Tenants = map[string]config.Tenant{
		"private": {LLM: config.TenantLLM{OptOut: true}},
		"poor":    {LLM: config.TenantLLM{TokensPerWindow: new(int64)}},
	}
	require.True(t, b.config.ConfirmsAlerts())
	return b, server
}

// wrongAnswer is ungrounded, of a tenant, with an address that no judge may see.
func wrongAnswer(id, tenant string) string {
	in := strings.Replace(fmt.Sprintf(ungrounded, id), `"service"`, `"tenant":"`+tenant+`","service"`, 1)
	return strings.Replace(in, "everywhere", "everywhere, says ada.lovelace@example.com", 1)
}

func (b *workerHarness) waitForAlert(n int) {
	b.t.Helper()
	eventually(b.t, func() bool { return strings.Count(b.console.String(), "▌ ALERT") == n }, 30*time.Second, 5*time.Millisecond, b.console.String())
}

// deepFlag waits for the flags of both passes of one answer, and returns the deep one.
func (b *workerHarness) deepFlag() (f schemas.Flag) {
	b.t.Helper()
	for _, r := range b.read("llm.incidents", 2) {
		require.NoError(b.t, flagjson.DecodeFlag(r.Value, &f))
		if f.Pass == schemas.PassDeep {
			return f
		}
	}
	return f
}

func TestJudgeConfirmsAnAlert(t *testing.T) {
	b, server := newConfirmHarness(t, llmtest.Options{Answer: judge(true, false)})
	stop := b.start()
	b.produce("llm.interactions", wrongAnswer("bad", "default"))
	b.waitForAlert(1)
	f := b.deepFlag()
	require.Equal(t, "confirm", f.SampleReason)
	require.Zero(t, f.SampleProbability, "no part of the random sample")
	require.Equal(t, []string{"citation", "grounding", "facts", "faithfulness"}, f.Fired)
	require.Equal(t, schemas.JudgeDetector, f.ConfirmedBy)
	require.Contains(t, b.console.String(), "Confirmed by the judge.")
	require.Contains(t, b.console.String(), "Source says: fourteen")
	require.Len(t, server.Requests(), 1, "no sampled responses")
	for _, r := range server.Requests() {
		require.NotContains(t, r.Body, "ada.lovelace", "texts leave redacted")
	}
	require.InDelta(t, 1, b.metric(t, "confab_sampled_total", "reason", "confirm"), 0)
	require.NoError(t, stop())
}

func TestJudgeClearsAnAlert(t *testing.T) {
	b, _ := newConfirmHarness(t, llmtest.Options{Answer: judge(false, false)})
	stop := b.start()
	b.produce("llm.interactions", wrongAnswer("fine", "default"))
	eventually(t, func() bool { return b.metric(t, "confab_alerts_cleared_total") == 1 }, 30*time.Second, 5*time.Millisecond)
	f := b.deepFlag()
	require.False(t, f.Alert)
	require.Equal(t, []string{"citation", "grounding", "facts"}, f.Fired, "both verdicts stay")
	require.Equal(t, schemas.Clear, signalOf(t, &f, schemas.JudgeDetector).Outcome)
	require.Zero(t, b.metric(t, "confab_alert_waiting_incidents"))
	require.NoError(t, stop())
	require.Empty(t, b.console.String())
}

// Without a verdict the alert is sent: at once where it is known that none will come, else after the deadline.
func TestAlertWithoutASecondOpinion(t *testing.T) {
	for name, tt := range map[string]struct {
		judge    llmtest.Options
		tenant   string
		requests bool
		marked   bool
	}{
		"the tenant's texts are never sent": {judge: llmtest.Options{Answer: judge(false, false)}, tenant: "private"},
		"the budget is used up":             {judge: llmtest.Options{Answer: judge(false, false)}, tenant: "poor", marked: true},
		"the judge is down":                 {judge: llmtest.Options{Script: []llmtest.Reply{{Reset: true, Times: -1}}}, tenant: "default", requests: true, marked: true},
		"the judge is slower than the wait": {judge: llmtest.Options{Script: []llmtest.Reply{{Hang: true, Times: -1}}}, tenant: "default", requests: true, marked: true},
		"the judge sends no JSON":           {judge: llmtest.Options{Answer: func(llmtest.Chat, int) string { return "All is well." }}, tenant: "default", requests: true, marked: true},
		"the judge obeys injected text":     {judge: llmtest.Options{Answer: judge(false, true)}, tenant: "default", requests: true, marked: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, server := newConfirmHarness(t, tt.judge)
			b.config.Alerting.ConfirmWithin, b.config.ShutdownGrace = 2*time.Second, time.Second
			stop := b.start()
			b.produce("llm.interactions", wrongAnswer("bad", tt.tenant))
			eventually(t, func() bool { return b.metric(t, "confab_events_processed_total", "role", "alert") >= 1 }, 30*time.Second, time.Millisecond)
			b.waitForAlert(1)
			require.Equal(t, tt.requests, len(server.Requests()) > 0)
			require.Equal(t, tt.marked, strings.Contains(b.console.String(), "Not confirmed"))
			require.InDelta(t, boolNumber(tt.marked), b.metric(t, "confab_alerts_unconfirmed_total"), 0)
			require.Zero(t, b.metric(t, "confab_alerts_cleared_total"))
			require.NoError(t, stop())
		})
	}
}

func boolNumber(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// No offset waits for the judge, and what waits is kept over a restart of the worker: the deadline stays, and the verdict of the
// next worker counts.
func TestRestartWhileAnAlertWaits(t *testing.T) {
	for name, wrong := range map[string]bool{"confirmed": true, "cleared": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slow, _ := newConfirmHarness(t, llmtest.Options{Script: []llmtest.Reply{{Hang: true, Times: -1}}})
			slow.config.ShutdownGrace = time.Second
			stop := slow.start()
			slow.produce("llm.interactions", wrongAnswer("bad", "default"))
			eventually(t, func() bool { return slow.metric(t, "confab_alert_waiting_incidents") == 1 }, 30*time.Second, 5*time.Millisecond)
			require.InDelta(t, 1, slow.metric(t, "confab_events_processed_total", "role", "alert", "outcome", "waiting"), 0)
			require.NoError(t, stop())
			require.Empty(t, slow.console.String())

			server, err := llmtest.Listen(t, llmtest.Options{Answer: judge(wrong, false)})
			require.NoError(t, err)
			slow.config.LLM.Judge.BaseURL, slow.registry = server.URL+"/v1", prometheus.NewRegistry()
			stop = slow.start()
			if wrong {
				slow.waitForAlert(1)
				require.Contains(t, slow.console.String(), "Confirmed by the judge.")
			} else {
				eventually(t, func() bool { return slow.metric(t, "confab_alerts_cleared_total") == 1 }, 30*time.Second, 5*time.Millisecond)
			}
			require.NoError(t, stop())
			require.Equal(t, wrong, slow.console.String() != "")
		})
	}
}

// Alerts that need no second opinion are sent as before, without a judge and with confirm: off.
func TestAlertsWithoutConfirmation(t *testing.T) {
	b, server := newConfirmHarness(t, llmtest.Options{Answer: judge(false, false)})
	b.config.Alerting.Confirm = "off"
	stop := b.start()
	b.produce("llm.interactions", wrongAnswer("bad", "default"))
	b.waitForAlert(1)
	require.NoError(t, stop())
	require.Empty(t, server.Requests())
	require.NotContains(t, b.console.String(), "Confirmed by")
	require.NotContains(t, b.console.String(), "Not confirmed")
}

// With a share of the traffic, the judge alone is asked about answers that no detector flags, beside the random sample.
func TestJudgeIsAskedByValue(t *testing.T) {
	b, server := newConfirmHarness(t, llmtest.Options{Answer: judge(true, false)})
	b.config.Sampling.JudgeShare = 1
	stop := b.start()
	b.produce("llm.interactions", fmt.Sprintf(grounded, "quiet"), strings.Replace(fmt.Sprintf(grounded, "opted-out"), `"service"`, `"tenant":"private","service"`, 1))
	f := b.readDeepFlags(1)["quiet"]
	require.Equal(t, "expected_value", f.SampleReason)
	require.Zero(t, f.SampleProbability)
	require.Equal(t, []string{"faithfulness"}, f.Fired, "one witness")
	require.False(t, f.Alert)
	require.Len(t, server.Requests(), 1)
	eventually(t, func() bool { return b.metric(t, "confab_interactions_total", "role", "detect") == 2 }, 30*time.Second, 5*time.Millisecond)
	require.InDelta(t, 1, b.metric(t, "confab_sampled_total", "reason", "expected_value"), 0)
	require.NoError(t, stop())
}
