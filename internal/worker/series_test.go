package worker

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
)

// counterSeries are the labels of the counters in a registry, by name.
func (b *workerHarness) counterSeries() (names map[string][]string, series []string) {
	families, err := b.registry.Gather()
	require.NoError(b.t, err)
	names = map[string][]string{}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "confab_") || f.GetType() != dto.MetricType_COUNTER {
			continue
		}
		for _, m := range f.GetMetric() {
			var keys, pairs []string
			for _, l := range m.GetLabel() {
				keys = append(keys, l.GetName())
				pairs = append(pairs, l.GetName()+"="+l.GetValue())
			}
			names[f.GetName()] = keys
			series = append(series, f.GetName()+"{"+strings.Join(pairs, ",")+"}")
		}
	}
	slices.Sort(series)
	return names, series
}

// documentedCounters are the labels of the counters of docs/metrics.md, by name.
func documentedCounters(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/metrics.md")
	require.NoError(t, err)
	counters := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(confab_\\w+_total)` \\| ([a-z, ]*) \\|").FindAllStringSubmatch(string(page), -1) {
		counters[row[1]] = strings.FieldsFunc(row[2], func(r rune) bool { return r == ',' || r == ' ' })
	}
	require.Greater(t, len(counters), 30)
	return counters
}

// TestCountersExistFromTheStart: every documented counter has its series before the first record, and work adds none.
func TestCountersExistFromTheStart(t *testing.T) {
	b, _ := newSampleHarness(t, llmtest.Options{Answer: answersAlike})
	b.learn()
	newOTLPInput(t, b)
	stop := b.start()
	eventually(t, func() bool { return b.metric(t, "confab_rebalances_total", "event", "assigned") >= 3 }, 20*time.Second, 10*time.Millisecond)
	names, before := b.counterSeries()
	for name, labels := range documentedCounters(t) {
		if strings.HasPrefix(name, "confab_clicks_") || strings.HasPrefix(name, "confab_export_") || strings.HasPrefix(name, "confab_registry_") ||
			strings.HasPrefix(name, "confab_http_") || strings.HasPrefix(name, "confab_ui_") || strings.HasPrefix(name, "confab_observations_") {
			continue // of sinks, inputs and roles that this worker does not have
		}
		require.Contains(t, names, name)
		require.ElementsMatch(t, labels, names[name], name)
	}
	for _, want := range []string{
		"confab_dlq_records_total{reason=syntax,stage=decode}", "confab_dlq_records_total{reason=tenant_unverified,stage=validate}",
		"confab_dlq_records_total{reason=crash_suspect,stage=handle}", "confab_dlq_records_total{reason=too_large,stage=publish}",
		"confab_sampled_total{reason=high_stakes}", "confab_notifications_total{sink=console}", "confab_notifications_failed_total{reason=auth}",
		"confab_not_judged_total{reason=budget}", "confab_events_processed_total{outcome=flagged,role=detect}",
		"confab_commits_total{result=error,role=alert}",
		"confab_data_loss_offsets_total{topic=llm.interactions}",
	} {
		require.Contains(t, before, want)
	}
	for _, want := range []string{
		`^confab_llm_requests_total\{code=429,model=`, `^confab_flags_total\{detector=citation,.*pass=fast`, `^confab_flags_total\{detector=consistency,.*pass=deep`,
	} {
		require.True(t, slices.ContainsFunc(before, regexp.MustCompile(want).MatchString), want)
	}

	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "bad"), "poison", `{"interaction_id":"no answer"}`)
	b.read("llm.incidents", 2)
	eventually(t, func() bool {
		return b.metric(t, "confab_dlq_records_total") == 2 && b.metric(t, "confab_notifications_total") == 1
	}, 20*time.Second, 10*time.Millisecond)
	require.NoError(t, stop())
	_, after := b.counterSeries()
	var added []string
	for _, s := range after {
		if !slices.Contains(before, s) && !strings.Contains(s, "service=") { // services and models are not known before
			added = append(added, s)
		}
	}
	require.Empty(t, added)
}
