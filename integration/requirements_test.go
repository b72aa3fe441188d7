//go:build integration

package integration_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/integration"
)

func requireFlags(t *testing.T, c *integration.Cluster, want map[string]flag) {
	t.Helper()
	ours, err := c.ReadTopic(t.Context(), topicIncidents)
	require.NoError(t, err)
	got := map[string]flag{}
	repeats := 0
	for _, r := range ours {
		f := parseFlag(t, r.Value)
		require.Equal(t, f.incident(), r.Key, "the record's key")
		if earlier, ok := got[f.incident()]; ok {
			repeats++
			require.Empty(t, cmp.Diff(earlier.comparable(), f.comparable()), "a repeat says the same")
		}
		got[f.incident()] = f
	}
	var missing, differ, uncalled int
	for id, w := range want {
		g, ok := got[id]
		switch {
		case !ok && w.fired():
			missing++
		case ok:
			if d := cmp.Diff(w.comparable(), g.comparable()); d != "" {
				if differ++; differ <= 3 {
					t.Logf("%s: check (-) and the topic (+) differ:\n%s", id, d)
				}
			}
		}
	}
	for id := range got {
		if w, ok := want[id]; !ok || !w.fired() {
			uncalled++
		}
	}
	t.Logf("%d flags, %d repeats", len(got), repeats)
	require.Zero(t, missing, "flags that check gives and the topic lacks")
	require.Zero(t, differ, "flags that differ")
	require.Zero(t, uncalled, "flags that check does not give")

	theirs, err := c.KcatRead(t.Context(), topicIncidents)
	if requireKcat(t, err) {
		require.Equal(t, byPosition(ours), byPosition(theirs), "kcat reads the same records")
	}
}

func byPosition(records []integration.Record) map[string]string {
	out := map[string]string{}
	for _, r := range records {
		out[fmt.Sprintf("%d/%d", r.Partition, r.Offset)] = r.Key + " " + string(r.Value)
	}
	return out
}

// requireSlackMessages expects each alert in the count of one message; another post of the same message must be marked.
func requireSlackMessages(t *testing.T, slack *fakeSlack, want map[string]flag) {
	t.Helper()
	due := 0
	for _, f := range want {
		if f.alert() {
			due++
		}
	}
	unmarked := map[string]int{}
	for _, p := range slack.snapshot() {
		require.True(t, want[p.Incident].alert(), "%s is delivered and no alert", p.Incident)
		if !p.possiblyDuplicated() {
			unmarked[p.Message]++
		}
	}
	for id, n := range unmarked {
		require.LessOrEqual(t, n, 1, "posts of message %s without a mark", id)
	}
	delivered := slack.countIncidents(t)
	t.Logf("%d alerts delivered in %d posts", delivered, len(slack.snapshot()))
	require.Equal(t, due, delivered, "incidents delivered in Slack")
}

// requireSampledCopies expects byte-identical copies of tagged interactions, as many as the flags say.
func requireSampledCopies(t *testing.T, c *integration.Cluster, rows []row) {
	t.Helper()
	input, err := c.ReadTopic(t.Context(), topicIn)
	require.NoError(t, err)
	values := map[string]bool{}
	for _, r := range input {
		values[string(r.Value)] = true
	}
	copies, err := c.ReadTopic(t.Context(), topicSampled)
	require.NoError(t, err)
	forwarded := map[string]bool{}
	for _, r := range copies {
		require.True(t, values[string(r.Value)], "a copy differs from every record that was read")
		require.Contains(t, string(r.Value), `"medical"`)
		forwarded[r.Key] = true
	}
	flags, err := c.ReadTopic(t.Context(), topicIncidents)
	require.NoError(t, err)
	picked := 0
	for _, r := range flags {
		f := parseFlag(t, r.Value)
		if f["sampled"] == true {
			picked++
			require.True(t, forwarded[f["interaction_id"].(string)], "a flag says sampled and no copy is there")
		}
	}
	t.Logf("%d copies, %d flags speak of one", len(forwarded), picked)
	require.Positive(t, picked)
	tagged := 0.0
	for _, r := range rows {
		if r.tagged {
			tagged++
		}
	}
	require.InDelta(t, sampleRate*tagged, len(forwarded), 5*math.Sqrt(tagged*sampleRate*(1-sampleRate)), "the share of the draw, within five sigma")
}

func requireDeadLetters(t *testing.T, c *integration.Cluster, want []string) {
	t.Helper()
	letters, err := c.ReadTopic(t.Context(), topicDLQ)
	require.NoError(t, err)
	var got []string
	seen := map[string]bool{}
	for _, r := range letters {
		if !seen[string(r.Value)] {
			seen[string(r.Value)] = true
			got = append(got, string(r.Value))
		}
	}
	require.ElementsMatch(t, want, got)
}

// requireMetrics expects consistent counts of each worker, and no panic.
func requireMetrics(t *testing.T, workers []series, records int) {
	t.Helper()
	measured := 0.0
	for _, m := range workers {
		require.NotEmpty(t, m)
		for _, role := range []string{`role="detect"`, `role="alert"`} {
			require.Equal(t, m.sum("confab_interactions_total", role), m.sum("confab_events_processed_total", role), role) //nolint:testifylint // whole numbers
		}
		measured += m.sum("confab_interactions_total", `role="detect"`)
		require.Zero(t, m.sum("confab_panics_total"))
		require.Zero(t, m.sum("confab_data_loss_offsets_total"))
	}
	require.GreaterOrEqual(t, measured, float64(records), "interactions counted as done, poison included")
}

// requireCleanLogs requires that the logs hold neither text of answers nor the token.
func requireCleanLogs(t *testing.T, rows []row, logs ...[]byte) {
	t.Helper()
	for _, log := range logs {
		require.NotEmpty(t, log)
		require.NotContains(t, string(log), slackToken)
		for _, r := range rows {
			if len(r.answer) >= 40 {
				require.False(t, bytes.Contains(log, []byte(r.answer[:40])), "the answer of %s is in a log", r.id)
			}
		}
	}
}

// requireKcat reports whether kcat is installed.
func requireKcat(t *testing.T, err error) bool {
	t.Helper()
	if errors.Is(err, integration.ErrNoKcat) && os.Getenv("REQUIRE_DOCKER") != "1" {
		t.Log(err)
		return false
	}
	require.NoError(t, err)
	return true
}
