//go:build integration

package integration_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/integration"
)

// label is a record of llm.feedback, decoded without our own types.
type label struct {
	Incident string `json:"incident_id"`
	Verdict  string `json:"verdict"`
	User     string `json:"user"`
	Source   string `json:"source"`
}

// labels returns the records of llm.feedback, unordered.
func (ch *deliveryTest) labels(t *testing.T) []label {
	t.Helper()
	records, err := ch.ReadTopic(t.Context(), topicFeedback)
	require.NoError(t, err)
	out := make([]label, len(records))
	for i, r := range records {
		require.NoError(t, json.Unmarshal(r.Value, &out[i]))
		require.Equal(t, out[i].Incident, r.Key)
	}
	return out
}

// requireClicks clicks a button of one message: that gives one label, which the message then shows. Delivered twice, it gives the
// same record twice.
func (ch *deliveryTest) requireClicks(t *testing.T) {
	now := time.Now()
	post := ch.unlabelledMessage(t)
	ch.slack.deliver(t, "e-0", post.click(t, "confab_wrong", "U0CLICKER", now))
	first := label{post.Incident, "wrong", "U0CLICKER", "slack"}
	require.Equal(t, []label{first}, ch.labels(t))
	ch.awaitShown(t, post, "U0CLICKER")

	other := ch.unlabelledMessage(t)
	payload := other.click(t, "confab_fine", "U0SOCKET", now)
	for _, envelope := range []string{"e-1", "e-2"} { // delivered twice, as Slack may do
		ch.slack.deliver(t, envelope, payload)
	}
	second := label{other.Incident, "fine", "U0SOCKET", "slack"}
	require.ElementsMatch(t, []label{first, second, second}, ch.labels(t), "the same record, twice")
	ch.awaitShown(t, other, "U0SOCKET")

	ch.slack.deliver(t, "e-3", other.click(t, "confab_silence", "U0SOCKET", now))
	partitions := 0
	for _, r := range ch.liveRecords(t) {
		if r.Silence != nil && r.Silence.User == "U0SOCKET" {
			partitions++
		}
	}
	require.Equal(t, alertPartitions, partitions, "every partition knows of the silence")
	ch.expireSilence(t)
}

// expireSilence ends the one silence that there is.
func (ch *deliveryTest) expireSilence(t *testing.T) {
	t.Helper()
	out, err := command(t.Context(), ch.bin, "silence", "--json", "--config", ch.config)
	require.NoError(t, err)
	var silence struct {
		ID string `json:"id"`
	}
	require.NoError(t, json.Unmarshal(out, &silence), "%s", out)
	_, err = command(t.Context(), ch.bin, "silence", "--expire", silence.ID, "--config", ch.config)
	require.NoError(t, err)
}

// requireLabelCommand labels an incident of another message at the command line.
func (ch *deliveryTest) requireLabelCommand(t *testing.T) {
	post := ch.unlabelledMessage(t)
	before := len(ch.labels(t))
	_, err := command(t.Context(), ch.bin, "label", post.Incident, "--verdict", "fine", "--user", "oncall", "--config", ch.config)
	require.NoError(t, err)
	labels := ch.labels(t)
	require.Len(t, labels, before+1)
	require.Contains(t, labels, label{post.Incident, "fine", "oncall", "cli"})
	ch.awaitShown(t, post, "oncall")
}

// unlabelledMessage returns a message about one group without a label.
func (ch *deliveryTest) unlabelledMessage(t *testing.T) slackPost {
	t.Helper()
	for _, p := range ch.slack.snapshot() {
		if strings.Contains(p.Blocks, "confab_wrong") && !strings.Contains(p.Blocks, "U0") {
			return p
		}
	}
	t.Fatal("no message with buttons")
	return slackPost{}
}

// awaitShown waits until the message contains the text.
func (ch *deliveryTest) awaitShown(t *testing.T, post slackPost, what string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	require.NoError(t, integration.Await(ctx, "the message shows the label", func(context.Context) (bool, error) {
		for _, p := range ch.slack.snapshot() {
			if p.TS == post.TS {
				return strings.Contains(strings.ToLower(p.Blocks), strings.ToLower(what)), fmt.Errorf("it reads %s", p.Blocks)
			}
		}
		return false, errors.New("it is gone")
	}))
}

// requireSilence silences a service: its incidents are not delivered, others are, and those after its end too.
func (ch *deliveryTest) requireSilence(t *testing.T, muted, loud []row) {
	delivered := ch.slack.countIncidents(t)
	_, err := command(t.Context(), ch.bin, "silence", "--for", "1h", "--service", "shared", "--comment", "known", "--config", ch.config)
	require.NoError(t, err)
	ch.alert.stop(t) // a restarted worker applies the silence
	ch.start()
	ch.produce(t, muted)
	ch.awaitDelivered(t)
	silenced := ch.alert.scrape(t).sum("confab_notifications_suppressed_total", `reason="silenced"`)
	require.Equal(t, alertsPerRound/2, int(silenced), "the round's incidents of the silenced service")
	require.Equal(t, delivered+alertsPerRound-alertsPerRound/2, ch.slack.countIncidents(t))

	ch.expireSilence(t) // while the worker runs
	delivered = ch.slack.countIncidents(t)
	ch.produce(t, loud)
	ch.awaitDelivered(t)
	require.Equal(t, delivered+alertsPerRound, ch.slack.countIncidents(t), "after the silence")
}
