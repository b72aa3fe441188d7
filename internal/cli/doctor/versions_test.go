package doctor

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/worker/config"
	"confab/internal/worker/incidents"
	"confab/internal/worker/tuning"
)

func TestVersions(t *testing.T) {
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	cluster, err := embedded.Start(embedded.Options{Topics: map[string]int32{"llm.calibrations": 1}})
	require.NoError(t, err)
	t.Cleanup(cluster.Close)
	c, k := config.Default(), kafka.Config{SeedBrokers: cluster.Seeds()}
	require.Empty(t, Versions(t.Context(), c, k, now), "there are none")
	c.Tuning.Auto = config.TuningApply
	put := func(key string, value any) {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		require.NoError(t, incidents.Produce(t.Context(), k, kafka.Message{Topic: "llm.calibrations", Key: []byte(key), Value: text}))
	}
	says := func(state console.State, text string) {
		t.Helper()
		all := Versions(t.Context(), c, k, now)
		for _, f := range all {
			if f.State == state && strings.Contains(f.Detail, text) && (state == console.OK || f.Remedy != "") {
				return
			}
		}
		require.Fail(t, "no such finding", "%s %q in %+v", state, text, all)
	}
	says(console.OK, "no refit yet")
	says(console.OK, "the calibration file is in force")
	base, err := tuning.BaseOf(confab.Tuning{})
	require.NoError(t, err)
	for id, from := range map[string]string{"v1": base, "v2": base, "v3": "another"} {
		put("version/"+id, tuning.Version{ID: id, Base: from, At: now, Words: []string{"threshold of facts: 0.55, was 0.60"}, Calibration: "format: 1\nid: " + id + "\n"})
	}
	put("in_force", tuning.Choice{Version: "v1", At: now.Add(-time.Hour)})
	put("refit", tuning.Refit{Until: now, At: now, Outcome: tuning.Proposed, Version: "v2", Judged: 400})
	says(console.OK, "version v1 is in force since 2026-11-23")
	says(console.Warning, "version v2 is proposed: threshold of facts: 0.55, was 0.60")
	says(console.OK, "of 400 judged answers: proposed")
	put("in_force", tuning.Choice{Version: "v3", At: now.Add(time.Hour)})
	put("refit", tuning.Refit{Until: now, At: now, Outcome: tuning.TooFew, Words: []string{"3 answers were judged"}})
	says(console.Warning, "version v3 was made from another calibration file")
	says(console.Warning, "learned nothing: 3 answers were judged")
	put("refit", tuning.Refit{Until: now, At: now, Outcome: tuning.Failed, Words: []string{"the record is too large"}})
	says(console.Warning, "learned nothing: the record is too large")
	put("in_force", tuning.Choice{Version: "gone"})
	put("refit", tuning.Refit{Until: now.Add(-100 * 24 * time.Hour), At: now.Add(-100 * 24 * time.Hour), Outcome: tuning.Kept})
	says(console.Warning, "version gone, which was put in force, is damaged or gone")
	says(console.Warning, "the last refit was on 2026-08-15")
	c.Kafka.Topics.Calibrations = "none"
	says(console.Problem, "none")
}
